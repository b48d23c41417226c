CREATE TABLE archive_segments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key),
    branch TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    own BLOB NOT NULL,
    near BLOB NOT NULL,
    places BLOB NOT NULL
);
CREATE INDEX archive_segments_session ON archive_segments (session, number);
CREATE TABLE archive_postings (
    cell INTEGER PRIMARY KEY,
    postings BLOB NOT NULL
);
CREATE TABLE archived (
    session INTEGER NOT NULL REFERENCES sessions (key),
    seq INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;
