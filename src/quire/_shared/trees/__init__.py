"""What trees, forests and their readers share: nodes, rows, categories, ways to leaves."""
