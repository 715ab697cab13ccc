"""Who may talk, whose accounts belong together, what each may spend, and who the companion is."""
