-- What goes on around a gradebook: regrades, threads on checks, spreadsheets that come in, reports that look alike.

-- Every stored report of a class, or of one of its labs, through one version of the grader. Nothing of it counts until
-- it is published.
CREATE TABLE regrades (
    id             TEXT PRIMARY KEY,
    class_id       TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    -- NULL: every lab.
    lab            TEXT,
    grader_version TEXT NOT NULL,
    state          TEXT NOT NULL
                   CHECK (state IN ('running', 'ready', 'publishing', 'published', 'discarded', 'outdated')),
    started_by     TEXT NOT NULL REFERENCES users (id),
    created_ms     BIGINT NOT NULL,
    decided_by     TEXT REFERENCES users (id),
    decided_ms     BIGINT,
    CHECK ((decided_by IS NULL) = (decided_ms IS NULL)),
    CHECK (state NOT IN ('publishing', 'published') OR decided_by IS NOT NULL)
);
CREATE INDEX regrades_by_class ON regrades (class_id, created_ms);
CREATE INDEX regrades_by_state ON regrades (state, created_ms);

-- One report of a regrade: the grade that counted when it was graded anew, and the new one until it is published.
CREATE TABLE regrade_lines (
    regrade_id   TEXT NOT NULL REFERENCES regrades (id) ON DELETE CASCADE,
    report_id    TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    old_grade_id TEXT NOT NULL REFERENCES grades (id) ON DELETE CASCADE,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'same', 'changed', 'failed', 'published', 'overtaken')),
    outcome      TEXT CHECK (outcome IN ('graded', 'not_evidence')),
    cpu_earned   BIGINT,
    cpu_possible BIGINT,
    gpu_earned   BIGINT,
    gpu_possible BIGINT,
    new_grade_id TEXT REFERENCES grades (id) ON DELETE CASCADE,
    grade        TEXT,
    PRIMARY KEY (regrade_id, report_id),
    CHECK ((state = 'published') = (new_grade_id IS NOT NULL))
);
CREATE INDEX regrade_lines_by_state ON regrade_lines (regrade_id, state);

-- What learner and teacher say about one check of a report. A thread is a check with its place; it is appended to.
CREATE TABLE comments (
    id         TEXT PRIMARY KEY,
    report_id  TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    check_id   TEXT NOT NULL,
    pointer    TEXT NOT NULL,
    author_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('said', 'resolved', 'reopened')),
    body       TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK ((kind = 'said') = (body <> ''))
);
CREATE INDEX comments_by_report ON comments (report_id, created_ms, id);
CREATE INDEX comments_by_time ON comments (created_ms);

-- Up to when a reader has seen the comments of a report.
CREATE TABLE comments_seen (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    report_id TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    seen_ms   BIGINT NOT NULL,
    PRIMARY KEY (user_id, report_id)
);

-- A spreadsheet that came in: what it would change, worked out when it arrived, and whether it was applied.
CREATE TABLE grade_imports (
    id         TEXT PRIMARY KEY,
    class_id   TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    author_id  TEXT NOT NULL REFERENCES users (id),
    file       TEXT NOT NULL,
    plan       TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    applied_ms BIGINT
);
CREATE INDEX grade_imports_by_class ON grade_imports (class_id, created_ms);

-- The numbers of a report that are compared with those of others. Without a workload there is nothing to compare.
CREATE TABLE report_prints (
    report_id  TEXT PRIMARY KEY REFERENCES reports (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    workload   TEXT,
    print      TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX report_prints_by_workload ON report_prints (workload, created_ms);

-- Two reports of two learners whose times agree as measurements do not.
CREATE TABLE report_likenesses (
    report_id          TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    other_id           TEXT NOT NULL REFERENCES reports (id) ON DELETE CASCADE,
    times              BIGINT NOT NULL,
    largest_difference DOUBLE PRECISION NOT NULL CHECK (largest_difference >= 0),
    PRIMARY KEY (report_id, other_id)
);
CREATE INDEX report_likenesses_by_other ON report_likenesses (other_id);

CREATE TRIGGER comments_are_immutable BEFORE UPDATE ON comments
BEGIN SELECT RAISE(ABORT, 'comments are immutable'); END;
