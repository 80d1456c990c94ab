"""What all reports share: HTML that is known to be HTML, charts, tables, sections and the page."""
