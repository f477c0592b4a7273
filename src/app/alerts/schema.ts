import { queueSchema, type Schema } from '../../store/index.ts';

/**
 * The schema of alerts. They have their own database, so that storing them never waits for a writer of runs. Groups to
 * be investigated are jobs of its queue.
 */
export const alertsSchema: Schema = {
  name: 'alerts',
  needs: [queueSchema],
  steps: [
    {
      name: 'alerts and the groups that are investigated',
      sql: `
        CREATE TABLE alert_groups (
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL,                  -- what its alerts have in common
          state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
          run TEXT,                            -- once it is investigated
          attempts INTEGER NOT NULL DEFAULT 0,
          opened INTEGER NOT NULL,             -- milliseconds since the Unix epoch, as every time here
          updated INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX alert_groups_state ON alert_groups (state, id);
        CREATE INDEX alert_groups_name ON alert_groups (name, opened);

        -- Every alert that was accepted, each delivery of it by itself.
        CREATE TABLE alerts (
          id INTEGER PRIMARY KEY,
          alert_group INTEGER REFERENCES alert_groups (id),  -- null: it tells that something is over
          fingerprint TEXT NOT NULL,
          received INTEGER NOT NULL,
          sent TEXT NOT NULL                   -- as it came, with secrets masked
        ) STRICT;
        CREATE INDEX alerts_group ON alerts (alert_group);
      `,
    },
    {
      name: 'why a group failed, and who is at it',
      sql: `
        ALTER TABLE alert_groups ADD COLUMN title TEXT;    -- a line for people; NULL: of an older version
        ALTER TABLE alert_groups ADD COLUMN reason TEXT;   -- why it failed
        -- Host, process and its start, as JSON; NULL: nobody is at it, or a version that did not say.
        ALTER TABLE alert_groups ADD COLUMN holder TEXT;
        -- How often its process died while it was at it.
        ALTER TABLE alert_groups ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
      `,
    },
    {
      name: 'where alerts were kept before',
      sql: `
        -- Databases out of which alerts were taken over, each once.
        CREATE TABLE alert_sources (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      `,
    },
    {
      name: 'groups are jobs of the queue',
      sql: `
        INSERT INTO queue_jobs
          (id, topic, key, in_turn, priority, due, payload, state, attempts, deaths, kept, error, created, updated)
        SELECT id, 'alert groups', name, 0, 0, opened,
          json_object('title', title, 'sent',
            (SELECT sent FROM alerts WHERE alert_group = alert_groups.id ORDER BY alerts.id LIMIT 1)),
          CASE state WHEN 'running' THEN 'waiting' ELSE state END, 0, deaths,
          CASE WHEN run IS NOT NULL THEN json_object('run', run) END,
          CASE WHEN state = 'failed' THEN json_object('code', 'tool_failed', 'message', coalesce(reason, '')) END,
          opened, updated
        FROM alert_groups ORDER BY id;

        CREATE TABLE alerts_of_jobs (
          id INTEGER PRIMARY KEY,
          alert_group INTEGER,                 -- the number of a job; null: it tells that something is over
          fingerprint TEXT NOT NULL,
          received INTEGER NOT NULL,
          sent TEXT NOT NULL                   -- as it came, with secrets masked
        ) STRICT;
        INSERT INTO alerts_of_jobs SELECT id, alert_group, fingerprint, received, sent FROM alerts;
        DROP TABLE alerts;
        DROP TABLE alert_groups;
        ALTER TABLE alerts_of_jobs RENAME TO alerts;
        CREATE INDEX alerts_group ON alerts (alert_group);
      `,
    },
    {
      name: 'whether an alert began, ended or went on',
      sql: `
        ALTER TABLE alerts ADD COLUMN state TEXT NOT NULL DEFAULT 'firing' CHECK (state IN ('firing', 'resolved', 'note'));
        -- Only what ended had no group.
        UPDATE alerts SET state = 'resolved' WHERE alert_group IS NULL;
        DROP INDEX alerts_group;
        CREATE INDEX alerts_group ON alerts (alert_group, fingerprint, id);
      `,
    },
    {
      name: 'deliveries that were kept',
      sql: `
        -- A delivery that comes again, whole, counts once.
        CREATE TABLE alert_deliveries (
          delivery TEXT PRIMARY KEY,           -- a hash of its sender and its id or content
          received INTEGER NOT NULL,
          taken TEXT NOT NULL                  -- JSON: what was answered of its alerts
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX alert_deliveries_received ON alert_deliveries (received);
      `,
    },
    {
      name: 'alerts by their fingerprint',
      sql: `
        -- What ends, or is a note, finds its beginning by it.
        CREATE INDEX alerts_fingerprint ON alerts (fingerprint, id);
      `,
    },
  ],
};
