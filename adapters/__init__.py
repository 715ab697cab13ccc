"""Chat platforms: each translates what comes in to events and delivers what goes out."""
