/** What is known of the newest copy of a workspace, whose pages are with its host alone. */
import type { SchemaStep } from './schema.ts';

export const backupStep: SchemaStep = {
  name: 'the newest copy of a workspace',
  sql: `
    CREATE TABLE host_backup (
      one int PRIMARY KEY CHECK (one = 1),
      at bigint NOT NULL,                  -- when it was begun: what was written later is not in it
      backup text NOT NULL                 -- JSON
    );
  `,
};
