CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    counter TEXT NOT NULL,
    fence INTEGER NOT NULL DEFAULT 0,
    holder TEXT NOT NULL DEFAULT '',
    held_until REAL NOT NULL DEFAULT 0,
    erasing INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, id)
);
CREATE INDEX sessions_project ON sessions (project, key);
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL,
    branch TEXT NOT NULL,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    log_digest BLOB NOT NULL,
    transcript_digest BLOB,
    normal_digest BLOB,
    place INTEGER,
    anchor INTEGER,
    cost TEXT,
    upto TEXT,
    first_human INTEGER,
    last_human INTEGER,
    learned BLOB,
    payload BLOB NOT NULL, -- the last: whoever looks at the others does not go through it
    CHECK (id = session * 4294967296 + seq AND seq BETWEEN 0 AND 4294967295)
);
CREATE INDEX entries_place ON entries (session, branch, place) WHERE anchor IS NOT NULL;
CREATE INDEX entries_anchor ON entries (session, branch, id) WHERE anchor IS NOT NULL;
CREATE INDEX entries_message ON entries (session, name) WHERE place IS NOT NULL;
CREATE INDEX entries_kind ON entries (session, kind, branch, seq) WHERE place IS NULL;
CREATE INDEX entries_learned ON entries (session, branch, seq) WHERE learned IS NOT NULL;
CREATE TABLE refused (
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL,
    branch TEXT NOT NULL,
    refused_at INTEGER NOT NULL,
    PRIMARY KEY (session, seq, branch, refused_at)
) WITHOUT ROWID;
CREATE TABLE blobs (
    key INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    digest BLOB NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (project, digest)
);
CREATE TABLE blob_uses (
    session INTEGER NOT NULL REFERENCES sessions (key),
    digest BLOB NOT NULL,
    PRIMARY KEY (session, digest)
) WITHOUT ROWID;
CREATE INDEX blob_uses_digest ON blob_uses (digest);
CREATE TABLE queue (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key),
    holder TEXT NOT NULL,
    seen_until REAL NOT NULL
);
CREATE INDEX queue_session ON queue (session, ticket);
CREATE TABLE indexed (
    session INTEGER PRIMARY KEY REFERENCES sessions (key),
    upto INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (session UNINDEXED, seq UNINDEXED, body, tokenize = "unicode61 remove_diacritics 2");
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN
    SELECT RAISE (ABORT, 'entries are append-only');
END;
CREATE TRIGGER entries_last BEFORE DELETE ON entries
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session AND erasing = 1)
BEGIN
    SELECT RAISE (ABORT, 'entries are append-only: only a whole session can be erased');
END;
CREATE TRIGGER blobs_stay BEFORE UPDATE ON blobs
BEGIN
    SELECT RAISE (ABORT, 'blobs are never changed');
END;
CREATE TRIGGER blobs_last BEFORE DELETE ON blobs
WHEN EXISTS (
    SELECT 1 FROM blob_uses JOIN sessions ON sessions.key = blob_uses.session
    WHERE blob_uses.digest = OLD.digest AND sessions.project = OLD.project AND sessions.erasing = 0
)
BEGIN
    SELECT RAISE (ABORT, 'a session uses this blob: only a whole session can be erased');
END;
