"""What all reports share beside the shell of the page: their documents, and how to repeat them."""
