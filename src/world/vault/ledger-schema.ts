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

      -- For each page: the hash of the file at the last import, and the revision of the page then.
      CREATE TABLE vault_pages (
        vault INTEGER NOT NULL REFERENCES vault_roots (n),
        file TEXT NOT NULL,
        page TEXT NOT NULL,
        hash TEXT NOT NULL,
        revision INTEGER NOT NULL,
        told TEXT,                           -- hash of the file whose text is held as a deviation
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
        revision INTEGER NOT NULL,           -- of the page after the change
        before_text TEXT,                    -- null: there was no page or attachment before
        before_hash TEXT,
        PRIMARY KEY (run, file)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX vault_changes_page ON vault_changes (page, run);
    `,
    },
    {
      name: 'files that were exported',
      sql: `
      -- A file with another hash was changed by somebody else. A file has two rows while it is being replaced.
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

/** The tables of synchronised folders; see `sync/`. */
export const syncSchema: Schema = {
  name: 'sync',
  steps: [
    {
      name: 'folders, their files, the texts in which files and pages agreed',
      sql: `
      CREATE TABLE sync_vaults (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,             -- the id in the mark of the folder
        root TEXT NOT NULL UNIQUE,
        into_path TEXT NOT NULL
      ) STRICT;

      CREATE TABLE sync_files (
        n INTEGER PRIMARY KEY,
        vault INTEGER NOT NULL REFERENCES sync_vaults (n),
        file TEXT NOT NULL,
        page TEXT NOT NULL,                  -- its id
        path TEXT NOT NULL,                  -- of the page when both were last compared, as the next three
        revision INTEGER NOT NULL,           -- of the page; 0: it must be read again
        stamp TEXT NOT NULL,                 -- of the file: size, times, inode; empty: it must be read again
        hash TEXT,                           -- of the last common text; null: there is none
        deviation TEXT,                      -- id of the open conflict
        effect TEXT,                         -- JSON: the change of the file in progress, recorded before it begins
        UNIQUE (vault, file),
        UNIQUE (vault, page)
      ) STRICT;

      -- Not in sync_files, since every pass reads those rows. agreed: the last common text. While a file is replaced:
      -- its old text (replaced) and its new text (written).
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
