import type { Schema } from '../schema.ts';

/** Jobs that wait, are worked on, or have ended. */
export const queueSchema: Schema = {
  name: 'queue',
  steps: [
    {
      name: 'jobs',
      sql: `
      CREATE TABLE queue_jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so that an old claim stays invalid
        topic TEXT NOT NULL,
        key TEXT NOT NULL,
        job_group TEXT,
        in_turn INTEGER NOT NULL,
        priority INTEGER NOT NULL,
        due INTEGER NOT NULL,                -- milliseconds since the Unix epoch, as every time here
        payload TEXT NOT NULL,               -- JSON
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
        attempts INTEGER NOT NULL DEFAULT 0,
        deaths INTEGER NOT NULL DEFAULT 0,
        fence INTEGER NOT NULL DEFAULT 0,
        holder TEXT,                         -- JSON: host, pid, start of the process, and the queue within it; null: nobody
        expires INTEGER,
        kept TEXT,                           -- JSON, as the next two
        result TEXT,
        error TEXT,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX queue_jobs_key ON queue_jobs (topic, key, id);
      CREATE INDEX queue_jobs_state ON queue_jobs (topic, state, id);
      CREATE INDEX queue_jobs_due ON queue_jobs (topic, priority, due, id) WHERE state = 'waiting';
      CREATE INDEX queue_jobs_group ON queue_jobs (topic, job_group, id);
    `,
    },
    {
      name: 'whose work it is, what it needs, and what may run at once',
      sql: `
      ALTER TABLE queue_jobs ADD COLUMN team TEXT NOT NULL DEFAULT '';
      ALTER TABLE queue_jobs ADD COLUMN shape TEXT NOT NULL DEFAULT '';
      ALTER TABLE queue_jobs ADD COLUMN needs TEXT;
      CREATE INDEX queue_jobs_kind ON queue_jobs (topic, team, shape, needs, priority, due, id) WHERE state = 'waiting';

      CREATE TABLE queue_rules (
        topic TEXT NOT NULL,
        team TEXT NOT NULL,                  -- JSON; null: each team by itself
        shape TEXT NOT NULL,                 -- JSON; null: all shapes together
        max INTEGER,
        paused INTEGER NOT NULL,
        PRIMARY KEY (topic, team, shape)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE queue_workers (
        id TEXT PRIMARY KEY,
        worker TEXT NOT NULL,                -- JSON
        seen INTEGER NOT NULL,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
    },
  ],
};
