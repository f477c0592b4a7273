import { queueSchema, type Schema } from '../../../store/index.ts';

/** The table of the host for its agent, besides the queue of requests: how far the host has read each log. */
export const requestSchema: Schema = {
  // Existing workspace files contain this name, so it can't change.
  name: 'desk',
  needs: [queueSchema],
  steps: [
    {
      name: 'requests to the agent',
      sql: `
        CREATE TABLE desk_requests (
          seq INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,             -- the same request sent twice is one
          thread TEXT NOT NULL,
          request TEXT NOT NULL,               -- JSON: kind and what belongs to it
          state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done')),
          outcome TEXT,                        -- JSON, once it is done
          created INTEGER NOT NULL,            -- milliseconds since the Unix epoch, as every time here
          updated INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX desk_open ON desk_requests (thread, seq) WHERE state <> 'done';

        CREATE TABLE desk_marks (
          name TEXT PRIMARY KEY,
          value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
      `,
    },
    {
      name: 'requests that end their agent',
      sql: `
        -- How often the agent died while it was at it.
        ALTER TABLE desk_requests ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
      `,
    },
    {
      name: 'requests that come no further',
      sql: `
        -- How much of its thread's work was kept when the agent died last; NULL: it has not died.
        ALTER TABLE desk_requests ADD COLUMN progress INTEGER;
        -- Deaths since then, one after another, in which nothing was added to it.
        ALTER TABLE desk_requests ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;
        -- Until now each counted.
        UPDATE desk_requests SET stuck = deaths;
      `,
    },
    {
      name: 'requests are jobs of the queue',
      sql: `
        INSERT INTO queue_jobs
          (topic, key, job_group, in_turn, priority, due, payload, state, deaths, kept, result, created, updated)
        SELECT 'agent requests', id, thread, 1, CASE WHEN request LIKE '{"kind":"message"%' THEN 1 ELSE 0 END, created,
          request, state, deaths,
          CASE WHEN deaths > 0 THEN json_object('deaths', deaths, 'stuck', stuck, 'progress', progress) END,
          outcome, created, updated
        FROM desk_requests ORDER BY seq;
        DROP TABLE desk_requests;
      `,
    },
  ],
};
