-- Arrangements over dealt turns, requests to cover and to swap, and the writes that may be retried.
ALTER TABLE cell ADD COLUMN arranged_until INTEGER;
ALTER TABLE history ADD COLUMN arrangement_id TEXT;

-- Who holds a cell for an interval, over the dealt turn.
CREATE TABLE arrangement (
    -- Counts creations.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- Outlives the cell.
    cell_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- Starts at 1, rises with every change of the record.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    kind TEXT NOT NULL CHECK (kind IN ('directAssignment', 'acceptedCover', 'swapLeg')),
    cancelled INTEGER NOT NULL CHECK (cancelled IN (0, 1)),
    -- Whether it is still to come or runs, as last judged; null when it is over.
    stage TEXT CHECK (stage IN ('coming', 'running')),
    -- The request that it was agreed by; null for an assignment.
    request_id TEXT,
    -- The plan of the cell before it: { asOf, complete, segments }.
    snapshot TEXT NOT NULL CHECK (json_valid(snapshot)),
    -- [kind, from, until] of the turn that it takes over.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    CHECK (NOT cancelled OR stage IS NULL)
) STRICT;
CREATE INDEX arrangement_live ON arrangement (rotation_id, from_at) WHERE stage IS NOT NULL;
CREATE INDEX arrangement_by_end ON arrangement (rotation_id, until_at);

-- Requests among people: to cover a duty, or to swap two.
CREATE TABLE request (
    -- Counts creations.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('cover', 'swap')),
    requester_id TEXT NOT NULL,
    -- Lists of user ids.
    recipients TEXT NOT NULL CHECK (json_valid(recipients)),
    declined TEXT NOT NULL CHECK (json_valid(declined)),
    -- From the beginning of the first leg to the end of the last one.
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- What changes hands: a list of { key, cell, holder, assignee, from, until, arrangement }.
    legs TEXT NOT NULL CHECK (json_valid(legs)),
    reason TEXT NOT NULL,
    -- As that of an arrangement.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    -- Ids of conflicts acknowledged when it was made.
    acknowledged TEXT NOT NULL CHECK (json_valid(acknowledged)),
    -- Starts at 1, rises with every change of the record.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'cancelled', 'expired', 'ended')),
    accepted_by TEXT
) STRICT;
CREATE INDEX request_pending ON request (rotation_id) WHERE state = 'pending';
CREATE INDEX request_by_end ON request (rotation_id, kind, until_at, sequence);

-- Writes that were carried out under an id of the caller's, so that a retry is answered as the first try was.
CREATE TABLE operation (
    credential TEXT NOT NULL,
    id TEXT NOT NULL,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- SHA-256 of method, path and body in canonical form.
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    -- The answer.
    answer TEXT NOT NULL,
    etag TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (credential, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_by_creation ON operation (created_at);
CREATE INDEX operation_by_rotation ON operation (rotation_id);
