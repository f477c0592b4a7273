import type { Schema } from '../schema.ts';

/** The table of the audit. Rows are added and never changed. */
export const auditTable = `
  CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,                 -- milliseconds since the Unix epoch
    actor TEXT NOT NULL,
    team TEXT NOT NULL,                  -- empty: none
    act TEXT NOT NULL,
    target TEXT NOT NULL,
    result TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX audit_at ON audit (at, id);
  CREATE TRIGGER audit_kept BEFORE UPDATE ON audit
    BEGIN SELECT raise(ABORT, 'a row of the audit is never changed'); END;
  CREATE TRIGGER audit_there BEFORE DELETE ON audit
    BEGIN SELECT raise(ABORT, 'a row of the audit is never deleted'); END;
`;

/** The tables of `openStore`: runs, their logs, journals, leases and budgets. */
export const runsSchema: Schema = {
  name: 'runs',
  steps: [
    {
      name: 'runs, leases, logs and journals',
      sql: `
      CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        shape TEXT NOT NULL,
        question TEXT NOT NULL,
        root TEXT NOT NULL,
        params TEXT NOT NULL,                -- JSON
        status TEXT NOT NULL CHECK (status IN ('running', 'finished')),
        created INTEGER NOT NULL,            -- milliseconds since the Unix epoch, as every time here
        updated INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX runs_created ON runs (created);

      -- A fence stays after its lease is released. A run that has only accounts may have one too.
      CREATE TABLE leases (
        run TEXT PRIMARY KEY,
        fence INTEGER NOT NULL,
        host TEXT,                           -- boot and process namespace of the holder; null: nobody holds it
        pid INTEGER,
        started TEXT,                        -- start of the process, since pids are reused
        expires INTEGER
      ) STRICT;

      CREATE TABLE events (
        run TEXT NOT NULL REFERENCES runs (id),
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        key TEXT NOT NULL,
        event TEXT NOT NULL,                 -- JSON
        UNIQUE (run, seq),
        UNIQUE (run, key)
      ) STRICT;

      CREATE TABLE journal (
        run TEXT NOT NULL REFERENCES runs (id),
        key TEXT NOT NULL,
        value TEXT NOT NULL,                 -- JSON
        UNIQUE (run, key)
      ) STRICT;
    `,
    },
    {
      name: 'ledger',
      sql: `
      CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        parent TEXT REFERENCES accounts (id),
        opened TEXT NOT NULL                 -- JSON: the terms of its first opening
      ) STRICT, WITHOUT ROWID;

      -- Whole units; micro-dollars for usd. Spent and held include the accounts below.
      CREATE TABLE balances (
        account TEXT NOT NULL REFERENCES accounts (id),
        resource TEXT NOT NULL,
        ceiling INTEGER,                     -- null: none
        kept INTEGER NOT NULL DEFAULT 0,
        spent INTEGER NOT NULL DEFAULT 0,
        held INTEGER NOT NULL DEFAULT 0,
        unknown INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (account, resource)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE reservations (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL,
        step TEXT NOT NULL,
        fence INTEGER NOT NULL,
        account TEXT NOT NULL REFERENCES accounts (id),
        asked TEXT NOT NULL,                 -- JSON: whole units by resource
        spent TEXT,                          -- JSON, once it is settled
        state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'recovered'))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX reservations_open ON reservations (run, fence) WHERE state = 'open';
    `,
    },
    {
      name: 'snapshots of sessions',
      sql: `
      -- The latest snapshot of each sandbox session, which would be lost in a crash.
      CREATE TABLE snapshots (
        run TEXT NOT NULL REFERENCES runs (id),
        node TEXT NOT NULL,
        cells INTEGER NOT NULL,              -- the number of cells that had run
        bytes BLOB NOT NULL,
        PRIMARY KEY (run, node)
      ) STRICT;
    `,
    },
    { name: 'audit', sql: auditTable },
  ],
};
