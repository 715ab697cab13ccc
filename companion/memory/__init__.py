"""What recall and archival search share: words, vectors, ranking, pages."""
