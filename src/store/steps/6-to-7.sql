-- Every rotated-out secret of a key keeps its own grace; there was one place for them.
ALTER TABLE api_key RENAME TO api_key_6;

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    rotations TEXT CHECK (rotations IS NULL OR json_valid(rotations)),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO api_key (id, name, secret_hash, scopes, rotations, disabled, created_at, expires_at)
    SELECT id, name, secret_hash, scopes, rotations, disabled, created_at, expires_at FROM api_key_6;

CREATE TABLE api_key_outgoing (
    key_id TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, secret_hash)
) STRICT, WITHOUT ROWID;
INSERT INTO api_key_outgoing (key_id, secret_hash, expires_at)
    SELECT id, previous_hash, previous_expires_at FROM api_key_6
    WHERE previous_hash IS NOT NULL AND previous_expires_at IS NOT NULL;

DROP TABLE api_key_6;
