/** The record of a workspace's newest backup. Only the host of the workspace has the pages themselves. */
import type { SchemaStep } from './schema.ts';

export const backupStep: SchemaStep = {
  name: 'the newest copy of a workspace',
  sql: `
    CREATE TABLE host_backup (
      one int PRIMARY KEY CHECK (one = 1),
      at bigint NOT NULL,                  -- when the backup was begun: later writes are not in it
      backup text NOT NULL                 -- JSON
    );
  `,
};
