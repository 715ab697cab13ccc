-- Whom the person chose to talk with.
ALTER TABLE person ADD COLUMN persona TEXT;
