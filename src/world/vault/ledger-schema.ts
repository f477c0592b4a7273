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

/** Tables for folders that are synchronised with the pages; see `sync/`. */
export const syncSchema: Schema = {
  name: 'sync',
  steps: [
    {
      name: 'folders, their files, the texts in which files and pages agreed',
      sql: `
      CREATE TABLE sync_vaults (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,             -- what the mark in the folder says
        root TEXT NOT NULL UNIQUE,
        into_path TEXT NOT NULL
      ) STRICT;

      CREATE TABLE sync_files (
        n INTEGER PRIMARY KEY,
        vault INTEGER NOT NULL REFERENCES sync_vaults (n),
        file TEXT NOT NULL,
        page TEXT NOT NULL,                  -- its id
        path TEXT NOT NULL,                  -- of the page, when they were last compared, as all that follows
        revision INTEGER NOT NULL,           -- of the page; 0: to be read again
        stamp TEXT NOT NULL,                 -- of the file: size, times, inode; empty: to be read again
        hash TEXT,                           -- of the text in which they agreed; null: they never did
        deviation TEXT,                      -- the conflict that waits for a decision
        effect TEXT,                         -- JSON: what is being done to the file, kept before it is done
        UNIQUE (vault, file),
        UNIQUE (vault, page)
      ) STRICT;

      -- Apart from the rows that every pass reads. agreed: of both sides. While a file is replaced, what stood there
      -- (replaced), and what is put in its place (written).
      CREATE TABLE sync_texts (
        file INTEGER NOT NULL REFERENCES sync_files (n) ON DELETE CASCADE,
        role TEXT NOT NULL CHECK (role IN ('agreed', 'replaced', 'written')),
        text TEXT NOT NULL,
        PRIMARY KEY (file, role)
      ) STRICT;
    `,
    },
  ],
};
