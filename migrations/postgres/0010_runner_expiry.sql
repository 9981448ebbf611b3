-- When a runner's token ends by itself. Those made before this have no such moment.
ALTER TABLE runners ADD COLUMN expires_ms BIGINT;
