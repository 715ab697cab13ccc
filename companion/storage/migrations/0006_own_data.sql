-- A document that goes out with a message; taken out again once it has arrived.
ALTER TABLE outbox ADD COLUMN document BLOB;
ALTER TABLE outbox ADD COLUMN document_name TEXT;

-- How far this database has followed the ledger of erasures, which lies beside it: a copy from
-- before an erasure has that still to do. Nobody's personal data.
CREATE TABLE erased (
    ledger TEXT PRIMARY KEY,
    through INTEGER NOT NULL
) WITHOUT ROWID;
