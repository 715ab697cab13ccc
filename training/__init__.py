"""What made the data files in the tree, to be run again by hand."""
