ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_owner ON sessions (project, owner, key) WHERE owner <> '';
CREATE TABLE projects (
    name TEXT PRIMARY KEY,
    created REAL NOT NULL,
    version INTEGER NOT NULL, -- of its settings that hold now
    closed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE project_settings (
    project TEXT NOT NULL REFERENCES projects (name),
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,
    created REAL NOT NULL,
    made_by TEXT NOT NULL,
    PRIMARY KEY (project, version)
) WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    project TEXT NOT NULL, -- '' for a key of the whole server
    scope TEXT NOT NULL,
    owner TEXT NOT NULL, -- the end user that it speaks for; '' for nobody
    label TEXT NOT NULL,
    created REAL NOT NULL,
    expires REAL,
    limits TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;
CREATE INDEX api_keys_project ON api_keys (project, id);
CREATE TABLE meters (
    name TEXT NOT NULL,
    starts INTEGER NOT NULL, -- of the stretch of time that is counted, in seconds
    used REAL NOT NULL,
    PRIMARY KEY (name, starts)
) WITHOUT ROWID;
CREATE TABLE workers (
    holder TEXT PRIMARY KEY,
    seen_until REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE turns (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (key),
    number INTEGER NOT NULL,
    project TEXT NOT NULL,
    idempotency TEXT,
    asked BLOB NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 1,
    holder TEXT NOT NULL,
    begun REAL NOT NULL,
    ended REAL,
    stop INTEGER NOT NULL DEFAULT 0,
    outcome BLOB,
    UNIQUE (session, number)
);
CREATE UNIQUE INDEX turns_idempotency ON turns (project, idempotency) WHERE idempotency IS NOT NULL;
CREATE INDEX turns_open ON turns (key) WHERE ended IS NULL;
CREATE TABLE frames (
    turn INTEGER NOT NULL REFERENCES turns (key),
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (turn, first)
) WITHOUT ROWID;
CREATE TABLE uploads (
    project TEXT NOT NULL,
    owner TEXT NOT NULL,
    digest BLOB NOT NULL,
    mime TEXT NOT NULL,
    created REAL NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (project, owner, digest)
);
CREATE INDEX uploads_created ON uploads (created);
-- What is known of a session goes by its key, in memory too: a key that was given is never given again.
CREATE TABLE erased (highest INTEGER NOT NULL);
INSERT INTO erased VALUES (0);
CREATE TRIGGER session_erased AFTER DELETE ON sessions BEGIN
    UPDATE erased SET highest = max(highest, OLD.key);
END;
CREATE TRIGGER session_begun AFTER INSERT ON sessions WHEN NEW.key <= (SELECT highest FROM erased) BEGIN
    UPDATE sessions SET key = 1 + (SELECT max(highest, (SELECT max(key) FROM sessions)) FROM erased) WHERE key = NEW.key;
END;
