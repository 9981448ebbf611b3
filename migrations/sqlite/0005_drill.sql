-- The intuition drill. A set is the same questions for a class: its seed gives them.
CREATE TABLE drill_sets (
    id         TEXT PRIMARY KEY,
    class_id   TEXT NOT NULL REFERENCES classes (id) ON DELETE CASCADE,
    opened_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    seed       BIGINT NOT NULL,
    questions  BIGINT NOT NULL CHECK (questions BETWEEN 1 AND 100),
    created_ms BIGINT NOT NULL
);
CREATE INDEX drill_sets_by_class ON drill_sets (class_id, created_ms);

-- A question as it was asked. The row is written when it is shown, so that the time of asking is this server's.
CREATE TABLE drill_questions (
    id       TEXT PRIMARY KEY,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    set_id   TEXT REFERENCES drill_sets (id) ON DELETE CASCADE,
    -- Counts from 1 within the set.
    position BIGINT,
    topic    TEXT NOT NULL,
    -- The 64 bits of the seed.
    seed     BIGINT NOT NULL,
    asked_ms BIGINT NOT NULL,
    -- A question of a set is asked once: a page that is opened again shows the same clock.
    UNIQUE (user_id, set_id, position),
    CHECK ((set_id IS NULL) = (position IS NULL))
);
CREATE INDEX drill_questions_by_user ON drill_questions (user_id, asked_ms);
CREATE INDEX drill_questions_by_set ON drill_questions (set_id);

-- The first answer to a question; there is no second one.
CREATE TABLE drill_answers (
    question_id    TEXT PRIMARY KEY REFERENCES drill_questions (id) ON DELETE CASCADE,
    -- Both in the unit in which the question was asked.
    answer         DOUBLE PRECISION NOT NULL,
    exact          DOUBLE PRECISION NOT NULL,
    unit           TEXT NOT NULL,
    relative_error DOUBLE PRECISION NOT NULL CHECK (relative_error >= 0),
    in_time        BOOLEAN NOT NULL,
    passed         BOOLEAN NOT NULL,
    answered_ms    BIGINT NOT NULL,
    CHECK (in_time OR NOT passed)
);

CREATE TRIGGER drill_questions_are_immutable BEFORE UPDATE ON drill_questions
BEGIN SELECT RAISE(ABORT, 'drill questions are immutable'); END;

CREATE TRIGGER drill_answers_are_immutable BEFORE UPDATE ON drill_answers
BEGIN SELECT RAISE(ABORT, 'drill answers are immutable'); END;
