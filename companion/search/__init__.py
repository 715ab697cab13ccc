"""Finding: words, vectors, dates and names, put into one order."""
