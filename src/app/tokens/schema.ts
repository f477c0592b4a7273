import { auditTable, type Schema } from '../../store/index.ts';

export const tokensSchema: Schema = {
  name: 'tokens',
  steps: [
    {
      name: 'tokens of HTTP clients',
      sql: `
        CREATE TABLE tokens (
          hash TEXT PRIMARY KEY,               -- hexadecimal SHA-256: a token is 256 random bits, and needs no salt
          name TEXT NOT NULL,
          kind TEXT NOT NULL CHECK (kind IN ('workspace', 'alerts')),
          workspace TEXT NOT NULL,             -- its name, or the path of its file; empty for alerts
          workspace_id TEXT NOT NULL,          -- empty for alerts
          allow TEXT,                          -- a set of capabilities; NULL for alerts
          author INTEGER NOT NULL,
          kept INTEGER NOT NULL,               -- 1: made by a server, with a copy in a file for its user
          created INTEGER NOT NULL,            -- milliseconds since the Unix epoch
          UNIQUE (kind, workspace, name)
        ) STRICT, WITHOUT ROWID;
      `,
    },
    {
      name: 'tokens of one sender of alerts',
      sql: `
        ALTER TABLE tokens ADD COLUMN sender TEXT;              -- NULL: any, and whoever looks at the groups
        ALTER TABLE tokens ADD COLUMN hmac_secret_file TEXT;    -- its messages count only where they are signed with it
      `,
    },
    { name: 'audit', sql: auditTable },
  ],
};
