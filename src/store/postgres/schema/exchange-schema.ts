/**
 * The tables for events of conversations, and for questions of fronts to the host of a workspace. The lease `host`
 * shows which process is the host.
 */
import type { SchemaStep } from './schema.ts';

export const exchangeStep: SchemaStep = {
  name: 'events of conversations, and the host of a workspace',
  sql: `
    CREATE TABLE thread_events (
      thread text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,                 -- 1, 2, 3 … within the thread
      at bigint NOT NULL,
      request text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      event text NOT NULL,                 -- JSON
      -- The id of the attempt to store it: a retry after a lost answer stores it only once.
      attempt text COLLATE "C" NOT NULL,
      PRIMARY KEY (thread, seq)
    );
    CREATE INDEX thread_events_request ON thread_events (thread, request, kind);
    CREATE TABLE host_questions (
      id text COLLATE "C" PRIMARY KEY,
      at bigint NOT NULL,
      asked text NOT NULL,                 -- JSON, as the answer
      answer text
    );
    CREATE INDEX host_questions_open ON host_questions (at) WHERE answer IS NULL;
    CREATE TABLE host_about (one int PRIMARY KEY CHECK (one = 1), about text NOT NULL);

    -- Only the host calls it, one event at a time. A conversation keeps its newest 5000 events.
    CREATE FUNCTION keep_thread_event(asked_fence bigint, asked_thread text, asked_request text, asked_kind text,
      asked_event text, asked_attempt text, writer int) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
      last record;
      nth bigint := 1;
    BEGIN
      PERFORM require_lease('host', asked_fence, writer);
      SELECT seq, attempt INTO last FROM thread_events WHERE thread = asked_thread ORDER BY seq DESC LIMIT 1;
      IF FOUND THEN
        IF last.attempt = asked_attempt THEN RETURN last.seq; END IF;
        nth := last.seq + 1;
      END IF;
      INSERT INTO thread_events VALUES (asked_thread, nth, now_ms(), asked_request, asked_kind, asked_event, asked_attempt);
      DELETE FROM thread_events WHERE thread = asked_thread AND seq <= nth - 5000;
      PERFORM pg_notify(current_schema()::text, json_build_object('kind', 'kept', 'thread', asked_thread, 'seq', nth)::text);
      RETURN nth;
    END $$;
  `,
};
