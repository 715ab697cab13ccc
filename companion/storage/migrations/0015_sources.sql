-- Where what was said comes from, in words, where it is not the speaker's own: a forwarded message,
-- a file, a stranger. Empty for their own words.
ALTER TABLE message ADD COLUMN source TEXT NOT NULL DEFAULT '';
