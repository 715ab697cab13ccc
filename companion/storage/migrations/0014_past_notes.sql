-- Notes that are true no more stay, as past.
-- Since when it is past; missing where it is true.
ALTER TABLE passage ADD COLUMN until TEXT;
-- The note that is true in its place; missing where that stood in the working context, or is gone.
ALTER TABLE passage ADD COLUMN superseded_by INTEGER REFERENCES passage (id) ON DELETE SET NULL;
-- When it was told again, last; missing where it was told once.
ALTER TABLE passage ADD COLUMN renewed_at TEXT;
CREATE INDEX passage_superseded_by ON passage (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX passage_past ON passage (person_id, until) WHERE until IS NOT NULL;
