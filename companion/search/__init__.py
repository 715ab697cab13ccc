"""Finding: words, vectors, dates and names, put into one order. No database is needed."""
