-- The kernel that a learner wrote, where a job runs one. Goes to the runner with the job; never changed.
CREATE TABLE job_kernels (
    job_id   TEXT PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    language TEXT NOT NULL,
    text     TEXT NOT NULL
);
