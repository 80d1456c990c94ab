"""What all pages share: HTML that is known to be HTML, charts, tables, sections and the shell."""
