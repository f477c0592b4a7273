import type { Schema } from '../../store/index.ts';

export const ledgerSchema: Schema = {
  name: 'vault',
  steps: [
    {
      name: 'vaults, runs, files, changes',
      sql: `
      CREATE TABLE vault_roots (
        n INTEGER PRIMARY KEY,
        root TEXT NOT NULL,
        into_path TEXT NOT NULL,
        UNIQUE (root, into_path)
      ) STRICT;

      CREATE TABLE vault_runs (
        n INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        started INTEGER NOT NULL,            -- milliseconds since the Unix epoch, as every time here
        finished INTEGER,
        undone INTEGER
      ) STRICT;

      -- Pages by the hash of the file that was imported last, and the revision that the page had then.
      CREATE TABLE vault_pages (
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        file TEXT NOT NULL,
        page TEXT NOT NULL,
        hash TEXT NOT NULL,
        revision INTEGER NOT NULL,
        told TEXT,                           -- hash of the file that is held as a deviation
        PRIMARY KEY (vault, file)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX vault_pages_page ON vault_pages (page);

      CREATE TABLE vault_attachments (
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        file TEXT NOT NULL,
        path TEXT NOT NULL,                  -- of the attachment in the world
        bytes INTEGER NOT NULL,
        modified REAL NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (vault, file)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX vault_attachments_path ON vault_attachments (path);

      CREATE TABLE vault_changes (
        run INTEGER NOT NULL REFERENCES vault_runs (n),
        file TEXT NOT NULL,
        page TEXT,                           -- null: an attachment
        revision INTEGER NOT NULL,           -- the page's, after it
        before_text TEXT,                    -- null: there was no page, or no attachment
        before_hash TEXT,
        PRIMARY KEY (run, file)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX vault_changes_page ON vault_changes (page, run);
    `,
    },
    {
      name: 'files that were exported',
      sql: `
      -- By the hash of their bytes: a file of another hash was changed by somebody else. Two of a file while one is replaced.
      CREATE TABLE vault_exports (
        root TEXT NOT NULL,
        file TEXT NOT NULL,
        hash TEXT NOT NULL,
        PRIMARY KEY (root, file, hash)
      ) STRICT, WITHOUT ROWID;
    `,
    },
  ],
};
