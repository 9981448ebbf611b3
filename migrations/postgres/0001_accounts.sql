-- Accounts, classes and what opens them. Times are milliseconds UTC; secrets are stored as hashes.
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    login         TEXT NOT NULL,
    login_key     TEXT NOT NULL UNIQUE,
    display_name  TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('learner', 'instructor')),
    password_hash TEXT NOT NULL,
    auth_epoch    BIGINT NOT NULL,
    created_ms    BIGINT NOT NULL
);

CREATE TABLE classes (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    owner_id   TEXT NOT NULL REFERENCES users (id),
    join_code  TEXT NOT NULL UNIQUE,
    join_open  BOOLEAN NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE memberships (
    class_id  TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role      TEXT NOT NULL CHECK (role IN ('learner', 'instructor')),
    joined_ms BIGINT NOT NULL,
    PRIMARY KEY (class_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id, class_id);

CREATE TABLE sessions (
    key          TEXT PRIMARY KEY,
    user_id      TEXT REFERENCES users (id) ON DELETE CASCADE,
    data         TEXT NOT NULL,
    user_agent   TEXT NOT NULL,
    created_ms   BIGINT NOT NULL,
    last_seen_ms BIGINT NOT NULL,
    expires_ms   BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_ms);

-- A reset link is for one account; a set-up link makes one.
CREATE TABLE one_time_links (
    id         TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    purpose    TEXT NOT NULL CHECK (purpose IN ('setup', 'reset')),
    user_id    TEXT REFERENCES users (id) ON DELETE CASCADE,
    issued_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    used_ms    BIGINT,
    CHECK ((purpose = 'reset') = (user_id IS NOT NULL))
);
CREATE INDEX one_time_links_by_user ON one_time_links (user_id);

CREATE TABLE api_tokens (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    token_hash   TEXT NOT NULL UNIQUE,
    scopes       TEXT NOT NULL,
    created_ms   BIGINT NOT NULL,
    last_used_ms BIGINT,
    revoked_ms   BIGINT
);
CREATE INDEX api_tokens_by_user ON api_tokens (user_id);

CREATE TABLE audit_log (
    id       TEXT PRIMARY KEY,
    actor_id TEXT NOT NULL REFERENCES users (id),
    class_id TEXT REFERENCES classes (id) ON DELETE SET NULL,
    action   TEXT NOT NULL,
    subject  TEXT NOT NULL,
    detail   TEXT NOT NULL,
    at_ms    BIGINT NOT NULL
);
CREATE INDEX audit_log_by_class ON audit_log (class_id, at_ms);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, at_ms);
