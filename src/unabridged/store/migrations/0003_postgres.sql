CREATE TABLE archive_vectors (
    session BIGINT NOT NULL REFERENCES sessions (key),
    number BIGINT NOT NULL, -- of the segment
    first BIGINT NOT NULL,
    count BIGINT NOT NULL,
    embedder TEXT COLLATE "C" NOT NULL,
    vectors BYTEA NOT NULL,
    PRIMARY KEY (session, number, first)
);
ALTER TABLE archive_vectors ALTER COLUMN vectors SET STORAGE EXTERNAL;
