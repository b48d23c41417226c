CREATE TABLE archive_segments (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL REFERENCES sessions (key),
    branch TEXT COLLATE "C" NOT NULL,
    first BIGINT NOT NULL,
    last BIGINT NOT NULL,
    chunks BIGINT NOT NULL,
    own BYTEA NOT NULL,
    near BYTEA NOT NULL,
    places BYTEA NOT NULL
);
CREATE INDEX archive_segments_session ON archive_segments (session, number);
CREATE TABLE archive_postings (
    cell BIGINT PRIMARY KEY,
    postings BYTEA NOT NULL
);
CREATE TABLE archived (
    session BIGINT NOT NULL REFERENCES sessions (key),
    seq BIGINT NOT NULL,
    PRIMARY KEY (session, seq)
);
