import { queueSchema } from '../queue/queue-schema.ts';
import type { Schema } from '../schema.ts';

/** The tables of sessions: conversations, checkpoints, roles and schedules. */
export const sessionSchema: Schema = {
  name: 'session',
  needs: [queueSchema],
  steps: [
    {
      name: 'channels and threads',
      sql: `
      CREATE TABLE channels (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created INTEGER NOT NULL             -- milliseconds since the Unix epoch, as every time here
      ) STRICT;

      CREATE TABLE threads (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        channel TEXT REFERENCES channels (id) ON DELETE SET NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX threads_updated ON threads (updated);
      CREATE INDEX threads_channel ON threads (channel, updated);
    `,
    },
    {
      name: 'checkpoints',
      sql: `
      -- The latest checkpoint is the one with the largest seq, whatever the clock said.
      CREATE TABLE langgraph_checkpoints (
        seq INTEGER PRIMARY KEY,
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL,
        checkpoint_id TEXT NOT NULL,
        parent_checkpoint_id TEXT,
        checkpoint TEXT NOT NULL,            -- JSON, without the values of the channels
        metadata TEXT NOT NULL,              -- JSON
        channel_values TEXT NOT NULL,        -- JSON: for each channel a place, see places.ts
        UNIQUE (thread_id, checkpoint_ns, checkpoint_id)
      ) STRICT;
      CREATE INDEX langgraph_latest ON langgraph_checkpoints (thread_id, checkpoint_ns, seq);

      CREATE TABLE langgraph_writes (
        thread_id TEXT NOT NULL,
        checkpoint_ns TEXT NOT NULL,
        checkpoint_id TEXT NOT NULL,
        task_id TEXT NOT NULL,
        idx INTEGER NOT NULL,
        task_path TEXT NOT NULL,
        channel TEXT NOT NULL,
        value TEXT NOT NULL,                 -- JSON: a place
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
      ) STRICT, WITHOUT ROWID;

      -- A list is the first \`kept\` items of the list \`base\`, followed by \`items\`.
      CREATE TABLE langgraph_lists (
        id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so what is remembered by id stays true
        thread_id TEXT NOT NULL,
        base INTEGER,
        kept INTEGER NOT NULL,
        depth INTEGER NOT NULL,              -- the number of rows that are read for this list
        items TEXT NOT NULL                  -- JSON
      ) STRICT;
      CREATE INDEX langgraph_lists_thread ON langgraph_lists (thread_id);

      CREATE TABLE langgraph_pieces (
        id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so what is remembered by id stays true
        thread_id TEXT NOT NULL,
        hash BLOB NOT NULL,                  -- SHA-256 of type and data
        type TEXT NOT NULL,
        data ANY NOT NULL,
        UNIQUE (thread_id, hash)
      ) STRICT;
    `,
    },
    {
      name: 'roles and schedules',
      sql: `
      CREATE TABLE roles (
        level TEXT NOT NULL CHECK (level IN ('thread', 'channel', 'workspace', 'account')),
        within TEXT NOT NULL,
        content TEXT NOT NULL,
        applies_to TEXT,                     -- JSON: names; null: everything
        PRIMARY KEY (level, within)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE schedules (
        id TEXT PRIMARY KEY,
        schedule TEXT NOT NULL,              -- JSON
        enabled INTEGER NOT NULL,
        next INTEGER,
        created INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE schedule_fires (
        id TEXT PRIMARY KEY,
        schedule TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
        due INTEGER NOT NULL,
        at INTEGER NOT NULL,
        payload TEXT NOT NULL,               -- JSON
        state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
        note TEXT
      ) STRICT;
      CREATE INDEX schedule_fires_waiting ON schedule_fires (at) WHERE state = 'waiting';
      CREATE INDEX schedule_fires_of ON schedule_fires (schedule, due);
    `,
    },
    {
      name: 'lists are found by their ids alone',
      // Only the removal of a thread used this index, and every step had to write it.
      sql: 'DROP INDEX langgraph_lists_thread',
    },
    {
      name: 'fires are jobs of the queue',
      sql: `
      INSERT INTO queue_jobs
        (topic, key, job_group, in_turn, priority, due, payload, state, error, created, updated)
      SELECT 'fires', id, schedule, 0, 0, at, '{"due":' || due || ',"payload":' || payload || '}', state,
        CASE WHEN note IS NOT NULL THEN json_object('code', 'tool_failed', 'message', note) END, due, at
      FROM schedule_fires ORDER BY due, id;
      DROP TABLE schedule_fires;
    `,
    },
  ],
};
