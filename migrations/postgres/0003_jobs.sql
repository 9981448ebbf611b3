-- Machines that run labs, and the queue that they claim from.
CREATE TABLE runners (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    token_hash   TEXT NOT NULL UNIQUE,
    -- Ed25519; bound by the first identity that the token brings, then fixed.
    public_key   BYTEA,
    facts        TEXT NOT NULL,
    created_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_ms   BIGINT NOT NULL,
    last_seen_ms BIGINT,
    revoked_ms   BIGINT
);

CREATE TABLE jobs (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    lab            TEXT NOT NULL,
    params         TEXT NOT NULL,
    state          TEXT NOT NULL
                   CHECK (state IN ('queued', 'leased', 'done', 'failed_infra', 'failed_lab', 'cancelled')),
    stage          TEXT NOT NULL,
    times          TEXT NOT NULL,
    created_ms     BIGINT NOT NULL,
    claimed_ms     BIGINT,
    finished_ms    BIGINT,
    runner_id      TEXT REFERENCES runners (id),
    nonce          TEXT,
    lease_until_ms BIGINT,
    claims         BIGINT NOT NULL,
    failure        TEXT,
    message        TEXT NOT NULL,
    CHECK (state <> 'leased' OR (runner_id IS NOT NULL AND nonce IS NOT NULL AND lease_until_ms IS NOT NULL)),
    CHECK ((state IN ('queued', 'leased')) = (finished_ms IS NULL))
);
CREATE INDEX jobs_by_state ON jobs (state, created_ms, id);
CREATE INDEX jobs_by_user ON jobs (user_id, created_ms);
