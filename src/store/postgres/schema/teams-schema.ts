import type { SchemaStep } from './schema.ts';

export const teamsStep: SchemaStep = {
  name: 'teams',
  sql: `
    CREATE TABLE teams (
      name text COLLATE "C" PRIMARY KEY,
      created bigint NOT NULL
    );
    CREATE TABLE team_grants (
      team text COLLATE "C" NOT NULL REFERENCES teams (name),
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('workspace', 'repository')),
      name text COLLATE "C" NOT NULL,
      role text COLLATE "C" NOT NULL CHECK (role IN ('reader', 'operator', 'author')),
      PRIMARY KEY (team, kind, name)
    );
  `,
};
