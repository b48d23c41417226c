CREATE TABLE sessions (
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    counter TEXT NOT NULL,
    fence BIGINT NOT NULL DEFAULT 0,
    holder TEXT NOT NULL DEFAULT '',
    held_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    erasing INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, id)
);
CREATE INDEX sessions_project ON sessions (project, key);
-- No foreign key: what it would look up for each entry, whoever inserts one has looked up to see whose turn it is, and
-- holds until the end of the transaction. That a session stays as long as its entries, `sessions_stay` sees to.
CREATE TABLE entries (
    id BIGINT PRIMARY KEY, -- session * 4294967296 + seq
    session BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    branch TEXT COLLATE "C" NOT NULL,
    time TEXT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    log_digest BYTEA NOT NULL,
    transcript_digest BYTEA,
    normal_digest BYTEA,
    place BIGINT,
    anchor BIGINT,
    cost TEXT,
    upto TEXT,
    first_human BIGINT,
    last_human BIGINT,
    learned BYTEA,
    payload BYTEA NOT NULL
);
CREATE INDEX entries_place ON entries (session, branch, place) WHERE anchor IS NOT NULL;
CREATE INDEX entries_anchor ON entries (session, branch, id) WHERE anchor IS NOT NULL;
CREATE INDEX entries_message ON entries (session, name) WHERE place IS NOT NULL;
CREATE INDEX entries_kind ON entries (session, kind, branch, seq) WHERE place IS NULL;
CREATE INDEX entries_learned ON entries (session, branch, seq) WHERE learned IS NOT NULL;
CREATE TABLE refused (
    session BIGINT NOT NULL REFERENCES sessions (key),
    seq BIGINT NOT NULL,
    branch TEXT COLLATE "C" NOT NULL,
    refused_at BIGINT NOT NULL,
    PRIMARY KEY (session, seq, branch, refused_at)
);
CREATE TABLE blobs (
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project TEXT NOT NULL,
    digest BYTEA NOT NULL,
    data BYTEA NOT NULL,
    UNIQUE (project, digest)
);
ALTER TABLE blobs ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE blob_uses (
    session BIGINT NOT NULL REFERENCES sessions (key),
    digest BYTEA NOT NULL,
    PRIMARY KEY (session, digest)
);
CREATE INDEX blob_uses_digest ON blob_uses (digest);
CREATE TABLE queue (
    ticket BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL REFERENCES sessions (key),
    holder TEXT NOT NULL,
    seen_until DOUBLE PRECISION NOT NULL
);
CREATE INDEX queue_session ON queue (session, ticket);
CREATE TABLE indexed (
    session BIGINT PRIMARY KEY REFERENCES sessions (key),
    upto BIGINT NOT NULL
);
CREATE TABLE words (
    session BIGINT NOT NULL REFERENCES sessions (key),
    seq BIGINT NOT NULL,
    body TSVECTOR NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE INDEX words_body ON words USING gin (body);
CREATE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM sessions WHERE key = OLD.session AND erasing = 1) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'entries are append-only: only a whole session can be erased';
END
$$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION entries_stay();
CREATE FUNCTION entries_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries are append-only: only a whole session can be erased';
END
$$;
CREATE TRIGGER entries_keep BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION entries_keep();
CREATE TRIGGER blobs_keep BEFORE TRUNCATE ON blobs FOR EACH STATEMENT EXECUTE FUNCTION entries_keep();
CREATE FUNCTION blobs_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT 1 FROM blob_uses JOIN sessions ON sessions.key = blob_uses.session
        WHERE blob_uses.digest = OLD.digest AND sessions.project = OLD.project AND sessions.erasing = 0
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'blobs are never changed, and stay as long as a session uses them';
END
$$;
CREATE TRIGGER blobs_stay BEFORE UPDATE OR DELETE ON blobs FOR EACH ROW EXECUTE FUNCTION blobs_stay();
CREATE FUNCTION sessions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT 1 FROM entries WHERE id >= OLD.key * 4294967296 AND id < (OLD.key + 1) * 4294967296
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a session keeps its key, and stays as long as it has entries';
END
$$;
CREATE TRIGGER sessions_stay BEFORE DELETE OR UPDATE OF key ON sessions FOR EACH ROW EXECUTE FUNCTION sessions_stay();
CREATE TRIGGER sessions_keep BEFORE TRUNCATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION entries_keep();
CREATE FUNCTION hold_turn(wanted BIGINT, turn BIGINT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found sessions;
BEGIN
    SELECT * INTO found FROM sessions WHERE key = wanted FOR SHARE;
    IF found.key IS NULL OR found.fence <> turn OR (
        turn IS NULL AND found.holder <> ''
        AND found.held_until > extract(epoch FROM clock_timestamp())
        AND found.held_until <= extract(epoch FROM clock_timestamp()) + 3600 -- later: a clock was set back since
    ) THEN
        RAISE EXCEPTION 'another turn of this session runs' USING ERRCODE = 'UN001';
    END IF;
END
$$;
