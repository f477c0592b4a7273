/**
 * The record of the last host's file and its newest write. It reveals a file of the same name that is not the
 * workspace.
 */
import type { SchemaStep } from './schema.ts';

export const hostFileStep: SchemaStep = {
  name: 'the file of the last host of a workspace',
  sql: `
    CREATE TABLE host_file (one int PRIMARY KEY CHECK (one = 1), file text NOT NULL);  -- JSON
    SELECT isolate('host_file', 'false');
  `,
};
