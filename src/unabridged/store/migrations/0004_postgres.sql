ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_owner ON sessions (project, owner, key) WHERE owner <> '';
CREATE TABLE projects (
    name TEXT COLLATE "C" PRIMARY KEY,
    created DOUBLE PRECISION NOT NULL,
    version BIGINT NOT NULL, -- of its settings that hold now
    closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE project_settings (
    project TEXT COLLATE "C" NOT NULL REFERENCES projects (name),
    version BIGINT NOT NULL,
    settings TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    made_by TEXT NOT NULL,
    PRIMARY KEY (project, version)
);
CREATE TABLE api_keys (
    id TEXT COLLATE "C" PRIMARY KEY,
    digest BYTEA NOT NULL UNIQUE,
    project TEXT COLLATE "C" NOT NULL, -- '' for a key of the whole server
    scope TEXT NOT NULL,
    owner TEXT NOT NULL, -- the end user that it speaks for; '' for nobody
    label TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION,
    limits TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX api_keys_project ON api_keys (project, id);
CREATE TABLE meters (
    name TEXT COLLATE "C" NOT NULL,
    starts BIGINT NOT NULL, -- of the stretch of time that is counted, in seconds
    used DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (name, starts)
);
CREATE TABLE workers (
    holder TEXT COLLATE "C" PRIMARY KEY,
    seen_until DOUBLE PRECISION NOT NULL
);
CREATE TABLE turns (
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL REFERENCES sessions (key),
    number BIGINT NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    idempotency TEXT COLLATE "C",
    asked BYTEA NOT NULL,
    state TEXT NOT NULL,
    attempt BIGINT NOT NULL DEFAULT 1,
    holder TEXT NOT NULL,
    begun DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION,
    stop INTEGER NOT NULL DEFAULT 0,
    outcome BYTEA,
    UNIQUE (session, number)
);
CREATE UNIQUE INDEX turns_idempotency ON turns (project, idempotency) WHERE idempotency IS NOT NULL;
CREATE INDEX turns_open ON turns (key) WHERE ended IS NULL;
CREATE TABLE frames (
    turn BIGINT NOT NULL REFERENCES turns (key),
    first BIGINT NOT NULL,
    last BIGINT NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (turn, first)
);
CREATE TABLE uploads (
    project TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    mime TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (project, owner, digest)
);
ALTER TABLE uploads ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX uploads_created ON uploads (created);
