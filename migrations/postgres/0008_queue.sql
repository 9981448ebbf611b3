-- A fair queue: turns and priorities, retries, what jobs need and runners offer, and the log of every job.

-- 1: jobs of this class go before those of others, for a while.
ALTER TABLE classes ADD COLUMN priority BIGINT NOT NULL DEFAULT 0 CHECK (priority IN (0, 1));

-- 2: an instructor's own.
ALTER TABLE jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 2);
-- After a failure of the machine nobody gets the job before this.
ALTER TABLE jobs ADD COLUMN not_before_ms BIGINT NOT NULL DEFAULT 0;
-- So often it may be handed out; an instructor who queues it again allows more.
ALTER TABLE jobs ADD COLUMN claims_allowed BIGINT NOT NULL DEFAULT 3;
ALTER TABLE jobs ADD COLUMN needs_backend TEXT;
ALTER TABLE jobs ADD COLUMN needs_class TEXT CHECK (needs_class IN ('cpu', 'gpu'));
ALTER TABLE jobs ADD COLUMN needs_memory_bytes BIGINT NOT NULL DEFAULT 0 CHECK (needs_memory_bytes >= 0);
ALTER TABLE jobs ADD COLUMN needs_label TEXT;
-- An instructor took the failed job off the list.
ALTER TABLE jobs ADD COLUMN dismissed_ms BIGINT;
CREATE INDEX jobs_by_learner_and_state ON jobs (user_id, state);

-- When a learner was served last, counted in hand-outs: whoever waited for the most of them is next.
CREATE TABLE queue_turns (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    served  BIGINT NOT NULL
);
CREATE INDEX queue_turns_by_served ON queue_turns (served);

-- What happened to a job, line by line. Appended, never changed: a page that lost its stream goes on behind the last
-- line that it has.
CREATE TABLE job_log (
    job_id  TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq     BIGINT NOT NULL,
    at_ms   BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    kind    TEXT NOT NULL
            CHECK (kind IN ('queued', 'claimed', 'stage', 'note', 'lost', 'back', 'failed', 'ended', 'requeued',
                            'cancelled', 'reported')),
    -- The number that the runner gave its line, so that a line sent twice is kept once.
    note    BIGINT,
    body    TEXT NOT NULL,
    PRIMARY KEY (job_id, seq),
    CHECK ((kind = 'note') = (note IS NOT NULL))
);

-- What a runner said with its last question for a job.
ALTER TABLE runners ADD COLUMN device_class TEXT CHECK (device_class IN ('cpu', 'gpu'));
ALTER TABLE runners ADD COLUMN memory_bytes BIGINT;
ALTER TABLE runners ADD COLUMN offer TEXT;
-- It gets no job while this is set; what it has it finishes.
ALTER TABLE runners ADD COLUMN paused_ms BIGINT;

CREATE TABLE runner_offers (
    runner_id TEXT NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
    kind      TEXT NOT NULL CHECK (kind IN ('lab', 'backend', 'label')),
    value     TEXT NOT NULL,
    PRIMARY KEY (runner_id, kind, value)
);
