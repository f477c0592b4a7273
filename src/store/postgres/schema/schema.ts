/**
 * The migrations of a store in PostgreSQL. A new step goes to the end; a released one is never changed. Columns of JSON
 * are `text`, so that values come back byte for byte: `jsonb` changes the order of keys, and refuses `\u0000`.
 */

import { alertsStep } from './alerts-schema.ts';
import { auditStep } from './audit-schema.ts';
import { backupStep } from './backup-schema.ts';
import { dayStep } from './day-schema.ts';
import { exchangeStep } from './exchange-schema.ts';
import { hostFileStep } from './host-file-schema.ts';
import { isolationStep } from './isolation-schema.ts';
import { leaveStep } from './leave-schema.ts';
import { lostJobsStep } from './lost-jobs-schema.ts';
import { queueStep } from './queue-schema.ts';
import { sessionStep } from './session-schema.ts';
import { teamsStep } from './teams-schema.ts';

export interface SchemaStep {
  readonly name: string;
  readonly sql: string;
  /** True: programs that don't know this step may no longer write. Absent: they may. */
  readonly breaking?: true;
}

export const schemaSteps: readonly SchemaStep[] = [
  {
    name: 'runs, leases, logs, journals, ledger and snapshots',
    breaking: true,
    sql: `
      CREATE TABLE runs (
        id text COLLATE "C" PRIMARY KEY,
        shape text NOT NULL,
        question text NOT NULL,              -- JSON, since a question may contain NUL
        root text NOT NULL,
        params text NOT NULL,                -- JSON
        status text NOT NULL CHECK (status IN ('running', 'finished')),
        created bigint NOT NULL,             -- milliseconds since the Unix epoch, as every time here
        updated bigint NOT NULL
      );
      CREATE INDEX runs_created ON runs (created, id);

      -- A fence stays after its lease is released. A run that has only accounts may have one too.
      CREATE TABLE leases (
        run text COLLATE "C" PRIMARY KEY,
        fence bigint NOT NULL,
        host text,                           -- null: nobody holds it
        pid bigint,
        started text,
        expires bigint,                      -- by the clock of the database
        taken_by text,                       -- the id of the attempt that took it: a retry after a lost answer finds its own lease
        turn bigint NOT NULL DEFAULT 0       -- number of the last commit under this fence
      ) WITH (fillfactor = 50);

      CREATE TABLE events (
        run text COLLATE "C" NOT NULL REFERENCES runs (id),
        seq bigint NOT NULL,
        at bigint NOT NULL,
        key text COLLATE "C" NOT NULL,
        event text NOT NULL,                 -- JSON
        PRIMARY KEY (run, seq),
        UNIQUE (run, key)
      );

      CREATE TABLE journal (
        run text COLLATE "C" NOT NULL REFERENCES runs (id),
        key text COLLATE "C" NOT NULL,
        value text NOT NULL,                 -- JSON
        PRIMARY KEY (run, key)
      );

      CREATE TABLE snapshots (
        run text COLLATE "C" NOT NULL REFERENCES runs (id),
        node text COLLATE "C" NOT NULL,
        cells bigint NOT NULL,
        bytes bytea NOT NULL,
        PRIMARY KEY (run, node)
      );

      CREATE TABLE accounts (
        id text COLLATE "C" PRIMARY KEY,
        parent text COLLATE "C",
        opened text NOT NULL                 -- JSON: the terms of its first opening
      );

      -- A decision about a tree of accounts names the version that it read, and is refused if the version has changed.
      CREATE TABLE account_roots (
        root text COLLATE "C" PRIMARY KEY,
        version bigint NOT NULL
      ) WITH (fillfactor = 50);

      -- Stored decisions: a retry after a lost answer is not applied twice. Removed after a day.
      CREATE TABLE account_decisions (id uuid PRIMARY KEY, at bigint NOT NULL);
      CREATE INDEX account_decisions_at ON account_decisions (at);

      -- Whole units; micro-dollars for usd. Spent and held include the accounts below.
      CREATE TABLE balances (
        account text COLLATE "C" NOT NULL REFERENCES accounts (id),
        resource text COLLATE "C" NOT NULL,
        ceiling bigint,                      -- null: none
        kept bigint NOT NULL,
        spent bigint NOT NULL,
        held bigint NOT NULL,
        unknown bigint NOT NULL,
        PRIMARY KEY (account, resource)
      ) WITH (fillfactor = 50);

      CREATE TABLE reservations (
        id text COLLATE "C" PRIMARY KEY,
        run text COLLATE "C" NOT NULL,
        step text NOT NULL,
        fence bigint NOT NULL,
        account text COLLATE "C" NOT NULL REFERENCES accounts (id),
        asked text NOT NULL,                 -- JSON: whole units by resource
        spent text,                          -- JSON, once it is settled
        state text NOT NULL CHECK (state IN ('open', 'settled', 'recovered'))
      ) WITH (fillfactor = 70);
      CREATE INDEX reservations_open ON reservations (run, fence) WHERE state = 'open';
      CREATE INDEX reservations_account ON reservations (account);

      CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

      -- The first statement of each commit: raises SD001 if a fence is old. It locks the leases like an update, since with
      -- FOR SHARE two commits of one run would give the same numbers to their events. A commit that is sent again after a
      -- lost answer, or arrives after later ones, raises SD002 and changes nothing.
      CREATE FUNCTION take_turn(asked_runs text[], asked_fences bigint[], asked_turn bigint, writer int)
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        asked record;
        found text[] := '{}';
        lost text[];
        known boolean := false;
      BEGIN
        IF (SELECT oldest FROM store_schema) > writer THEN
          RAISE EXCEPTION 'this writer is too old' USING ERRCODE = 'SD003';
        END IF;
        FOR asked IN
          SELECT a.fence || ' ' || a.run AS name, leases.host IS NOT NULL AND leases.fence = a.fence AS held, leases.turn
          FROM unnest(asked_runs, asked_fences) AS a (run, fence) JOIN leases ON leases.run = a.run
          ORDER BY leases.run FOR NO KEY UPDATE OF leases
        LOOP
          IF asked.held THEN found := found || asked.name; END IF;
          IF asked.held AND asked.turn >= asked_turn THEN known := true; END IF;
        END LOOP;
        lost := ARRAY(SELECT a.fence || ' ' || a.run FROM unnest(asked_runs, asked_fences) AS a (run, fence)
          WHERE a.fence || ' ' || a.run <> ALL (found));
        IF cardinality(lost) > 0 THEN
          RAISE EXCEPTION 'lease lost' USING ERRCODE = 'SD001', DETAIL = array_to_json(lost)::text;
        END IF;
        IF known THEN
          RAISE EXCEPTION 'kept before' USING ERRCODE = 'SD002';
        END IF;
        UPDATE leases SET turn = asked_turn WHERE run = ANY (asked_runs);
      END $$;

      -- The first statement of each decision about accounts that nobody holds: raises SD004 if a version has changed, and
      -- SD002 if the decision is stored already.
      CREATE FUNCTION take_roots(asked_roots text[], versions bigint[], decision uuid, writer int)
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        asked record;
        changed int;
      BEGIN
        IF (SELECT oldest FROM store_schema) > writer THEN
          RAISE EXCEPTION 'this writer is too old' USING ERRCODE = 'SD003';
        END IF;
        FOR asked IN SELECT * FROM unnest(asked_roots, versions) AS a (root, version) ORDER BY root LOOP
          IF asked.version = 0 THEN
            INSERT INTO account_roots (root, version) VALUES (asked.root, 1) ON CONFLICT (root) DO NOTHING;
          ELSE
            UPDATE account_roots SET version = version + 1 WHERE root = asked.root AND version = asked.version;
          END IF;
          GET DIAGNOSTICS changed = ROW_COUNT;
          IF changed = 0 THEN
            IF EXISTS (SELECT 1 FROM account_decisions WHERE id = decision) THEN
              RAISE EXCEPTION 'kept before' USING ERRCODE = 'SD002';
            END IF;
            RAISE EXCEPTION 'decided meanwhile' USING ERRCODE = 'SD004';
          END IF;
        END LOOP;
        INSERT INTO account_decisions VALUES (decision, now_ms());
        IF random() < 0.01 THEN
          DELETE FROM account_decisions WHERE at < now_ms() - 86400000;
        END IF;
      END $$;

      -- The first statement of changes to a finished run: raises SD005 if it is not finished, or if its lease is held.
      CREATE FUNCTION require_over(asked_run text, dead_host text, dead_pid bigint, dead_started text, clock bigint, writer int)
      RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT oldest FROM store_schema) > writer THEN
          RAISE EXCEPTION 'this writer is too old' USING ERRCODE = 'SD003';
        END IF;
        PERFORM 1 FROM runs WHERE id = asked_run AND status = 'finished' FOR UPDATE;
        IF NOT FOUND THEN RAISE EXCEPTION 'not over' USING ERRCODE = 'SD005'; END IF;
        PERFORM 1 FROM leases WHERE run = asked_run FOR UPDATE;
        PERFORM 1 FROM leases WHERE run = asked_run AND host IS NOT NULL AND expires > coalesce(clock, now_ms())
          AND NOT coalesce(host = dead_host AND pid = dead_pid AND started = dead_started, false);
        IF FOUND THEN RAISE EXCEPTION 'not over' USING ERRCODE = 'SD005'; END IF;
      END $$;
    `,
  },
  sessionStep,
  queueStep,
  leaveStep,
  alertsStep,
  exchangeStep,
  auditStep,
  teamsStep,
  backupStep,
  isolationStep,
  dayStep,
  lostJobsStep,
  hostFileStep,
];

/** The number of steps that this program knows. Writes name it, so that an upgraded store can refuse them. */
export const writerVersion = schemaSteps.length;
