-- run.db, version 1. One writer (the engine), any number of readers.
-- A row of attempt a at step s counts unless a later attempt b has from_step(b) < s.

CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,   -- 1, 2, ..
    from_step INTEGER NOT NULL,   -- of the checkpoint it went on from; -1: from the beginning
    host TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid_namespace INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    start_time INTEGER NOT NULL,  -- clock ticks after boot, /proc/<pid>/stat field 22
    started TEXT NOT NULL,        -- all times: ISO 8601, UTC
    ended TEXT                    -- NULL: works still, or was killed
) STRICT;

CREATE TABLE metrics (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE samples (
    seq INTEGER PRIMARY KEY,      -- in the order of writing
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    metric INTEGER NOT NULL,
    value REAL                    -- NULL: not a number (SQLite has no NaN); infinities are kept
) STRICT;

-- The last value that counts of each metric, for lists of runs.
CREATE TABLE latest (
    metric INTEGER PRIMARY KEY,
    step INTEGER NOT NULL,
    value REAL
) STRICT;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    time TEXT NOT NULL,
    level INTEGER NOT NULL,       -- 0 debug, 1 info, 2 warning, 3 error
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    details TEXT                  -- JSON
) STRICT;

CREATE TABLE checkpoints (
    seq INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL,
    step INTEGER NOT NULL,
    folder TEXT NOT NULL,         -- relative to the run folder
    bytes INTEGER NOT NULL,
    time TEXT NOT NULL
) STRICT;

CREATE TABLE commands (
    id TEXT PRIMARY KEY,          -- sorts in the order of posting
    kind TEXT NOT NULL,
    arguments TEXT NOT NULL,      -- JSON
    received TEXT NOT NULL,
    acknowledged TEXT,
    done TEXT,
    answer TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    state TEXT NOT NULL,          -- planned, running, paused, finished, failed, cancelled
    message TEXT NOT NULL,
    step INTEGER NOT NULL,        -- last committed step that counts
    updated TEXT NOT NULL         -- last commit
) STRICT;
INSERT INTO state VALUES (1, 'planned', '', 0, '');

-- For people with a SQL shell: one row a metric and step, superseded ones left out.
CREATE VIEW curves AS
    SELECT m.name AS metric, s.step AS step, s.value AS value, s.attempt AS attempt
    FROM samples s JOIN metrics m ON m.id = s.metric
    WHERE NOT EXISTS (SELECT 1 FROM attempts b WHERE b.number > s.attempt AND b.from_step < s.step);
