-- The platform's id of the last message that came in a conversation. Where a platform gives only
-- what is written while somebody listens, its history is read on from there.
ALTER TABLE conversation ADD COLUMN last_message TEXT;
