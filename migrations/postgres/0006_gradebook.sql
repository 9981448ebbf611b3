-- The rules of a gradebook: who helps, when work counts and how much, what is shown, and what was set by hand.

-- Between learners and instructors stand assistants, with two rights apart: to change what the class does (dates,
-- release, sets of the drill), and to see its learners' work and give points.
CREATE TABLE memberships_with_rights (
    class_id  TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role      TEXT NOT NULL CHECK (role IN ('learner', 'assistant', 'instructor')),
    joined_ms BIGINT NOT NULL,
    may_edit  BOOLEAN NOT NULL DEFAULT FALSE,
    may_grade BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (class_id, user_id),
    CHECK (role <> 'learner' OR NOT (may_edit OR may_grade)),
    CHECK (role <> 'assistant' OR may_edit OR may_grade),
    CHECK (role <> 'instructor' OR (may_edit AND may_grade))
);
INSERT INTO memberships_with_rights (class_id, user_id, role, joined_ms, may_edit, may_grade)
    SELECT class_id, user_id, role, joined_ms, role = 'instructor', role = 'instructor' FROM memberships;
DROP TABLE memberships;
ALTER TABLE memberships_with_rights RENAME TO memberships;
CREATE INDEX memberships_by_user ON memberships (user_id, class_id);

-- Which attempt of a learner counts.
ALTER TABLE classes ADD COLUMN counting TEXT NOT NULL DEFAULT 'best' CHECK (counting IN ('best', 'latest'));

-- What a class asks of a lab. Instants are milliseconds UTC in chronological order; an absent one sets no limit.
-- Without a row a lab is open, counts in full and is shown at once.
CREATE TABLE lab_terms (
    class_id      TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    lab           TEXT NOT NULL,
    open_ms       BIGINT,
    early_ms      BIGINT,
    early_percent BIGINT CHECK (early_percent BETWEEN 100 AND 200),
    due_ms        BIGINT,
    late_percent  BIGINT CHECK (late_percent BETWEEN 0 AND 100),
    closed_ms     BIGINT,
    release       TEXT NOT NULL CHECK (release IN ('at_once', 'held', 'at')),
    release_ms    BIGINT,
    PRIMARY KEY (class_id, lab),
    CHECK ((early_ms IS NULL) = (early_percent IS NULL)),
    CHECK (late_percent IS NULL OR due_ms IS NOT NULL),
    CHECK (open_ms IS NULL OR open_ms < COALESCE(early_ms, due_ms, closed_ms, open_ms + 1)),
    CHECK (early_ms IS NULL OR early_ms < COALESCE(due_ms, closed_ms, early_ms + 1)),
    CHECK (due_ms IS NULL OR due_ms < COALESCE(closed_ms, due_ms + 1)),
    CHECK ((release = 'at') = (release_ms IS NOT NULL))
);
CREATE INDEX lab_terms_by_lab ON lab_terms (lab, class_id);

-- Dates of one learner, in place of those of the class.
CREATE TABLE lab_extensions (
    class_id      TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    lab           TEXT NOT NULL,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    open_ms       BIGINT,
    early_ms      BIGINT,
    early_percent BIGINT CHECK (early_percent BETWEEN 100 AND 200),
    due_ms        BIGINT,
    late_percent  BIGINT CHECK (late_percent BETWEEN 0 AND 100),
    closed_ms     BIGINT,
    PRIMARY KEY (class_id, lab, user_id),
    CHECK ((early_ms IS NULL) = (early_percent IS NULL)),
    CHECK (late_percent IS NULL OR due_ms IS NOT NULL),
    CHECK (open_ms IS NULL OR open_ms < COALESCE(early_ms, due_ms, closed_ms, open_ms + 1)),
    CHECK (early_ms IS NULL OR early_ms < COALESCE(due_ms, closed_ms, early_ms + 1)),
    CHECK (due_ms IS NULL OR due_ms < COALESCE(closed_ms, due_ms + 1))
);

-- Points set by hand for one part of a lab, in hundredths of a point; NULL takes back what was set before. Appended:
-- the newest row counts.
CREATE TABLE point_overrides (
    id         TEXT PRIMARY KEY,
    class_id   TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    lab        TEXT NOT NULL,
    -- Each part is set apart: no row can give points to both.
    part       TEXT NOT NULL CHECK (part IN ('cpu', 'gpu')),
    hundredths BIGINT CHECK (hundredths BETWEEN 0 AND 100000),
    reason     TEXT NOT NULL CHECK (reason <> ''),
    author_id  TEXT NOT NULL REFERENCES users (id),
    created_ms BIGINT NOT NULL
);
CREATE INDEX point_overrides_by_class ON point_overrides (class_id, user_id, lab, part, created_ms, id);

CREATE TRIGGER point_overrides_are_immutable BEFORE UPDATE ON point_overrides FOR EACH ROW EXECUTE FUNCTION refuse_update();
