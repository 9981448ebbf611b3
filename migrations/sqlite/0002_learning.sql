-- Every answer is kept; the latest one counts.
CREATE TABLE quiz_answers (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    lesson     TEXT NOT NULL,
    quiz       TEXT NOT NULL,
    question   TEXT NOT NULL,
    answer     TEXT NOT NULL,
    correct    BOOLEAN NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX quiz_answers_by_question ON quiz_answers (user_id, lesson, quiz, question, created_ms, id);

CREATE TABLE lesson_progress (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    lesson     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('opened', 'done')),
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, lesson)
);
