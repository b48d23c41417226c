CREATE TABLE archive_vectors (
    session INTEGER NOT NULL REFERENCES sessions (key),
    number INTEGER NOT NULL, -- of the segment
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    embedder TEXT NOT NULL,
    vectors BLOB NOT NULL,
    PRIMARY KEY (session, number, first)
);
