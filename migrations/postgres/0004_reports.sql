-- Reports are kept as the exact bytes that arrived. The class comes from device facts; no row can claim a GPU
-- that its device columns do not show.
CREATE TABLE reports (
    id             TEXT PRIMARY KEY,
    user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    job_id         TEXT UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
    sha256         TEXT NOT NULL,
    shape          TEXT NOT NULL,
    lab            TEXT,
    class          TEXT NOT NULL CHECK (class IN ('unproven', 'theory', 'cpu', 'gpu')),
    level          TEXT,
    provenance     TEXT NOT NULL CHECK (provenance IN ('runner', 'upload', 'browser')),
    device_backend TEXT,
    device_kind    TEXT,
    device_name    TEXT,
    runner_id      TEXT REFERENCES runners (id),
    signature      BYTEA,
    created_ms     BIGINT NOT NULL,
    -- Last: SQLite walks through a long value to reach the columns behind it.
    raw            BYTEA NOT NULL,
    UNIQUE (id, class),
    CHECK ((provenance = 'runner') = (job_id IS NOT NULL AND runner_id IS NOT NULL AND signature IS NOT NULL)),
    CHECK (class <> 'gpu' OR (
        COALESCE(device_name, '') <> ''
        AND COALESCE(device_kind, 'cpu') <> 'cpu'
        AND (COALESCE(device_backend, 'cpu') = 'reported'
             OR (device_backend IN ('wgpu', 'cuda') AND device_kind IN ('integrated_gpu', 'discrete_gpu')))
    ))
);
CREATE INDEX reports_by_user ON reports (user_id, created_ms);
CREATE INDEX reports_by_hash ON reports (sha256);
-- The same file uploaded twice by one learner is one report.
CREATE UNIQUE INDEX reports_uploaded_once ON reports (user_id, sha256) WHERE provenance <> 'runner';

-- Grades are appended; the newest of a report counts. The class is the report's own, held by the foreign key.
CREATE TABLE grades (
    id             TEXT PRIMARY KEY,
    report_id      TEXT NOT NULL,
    class          TEXT NOT NULL,
    grader_version TEXT NOT NULL,
    outcome        TEXT NOT NULL CHECK (outcome IN ('graded', 'not_evidence')),
    cpu_earned     BIGINT NOT NULL,
    cpu_possible   BIGINT NOT NULL,
    gpu_earned     BIGINT NOT NULL,
    gpu_possible   BIGINT NOT NULL,
    grade          TEXT NOT NULL,
    created_ms     BIGINT NOT NULL,
    FOREIGN KEY (report_id, class) REFERENCES reports (id, class) ON DELETE CASCADE,
    CHECK (class = 'gpu' OR gpu_earned = 0),
    CHECK (0 <= cpu_earned AND cpu_earned <= cpu_possible),
    CHECK (0 <= gpu_earned AND gpu_earned <= gpu_possible)
);
CREATE INDEX grades_by_report ON grades (report_id, created_ms, id);

CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% are immutable', TG_TABLE_NAME; END $$;

CREATE TRIGGER reports_are_immutable BEFORE UPDATE ON reports FOR EACH ROW EXECUTE FUNCTION refuse_update();

CREATE TRIGGER grades_are_immutable BEFORE UPDATE ON grades FOR EACH ROW EXECUTE FUNCTION refuse_update();
