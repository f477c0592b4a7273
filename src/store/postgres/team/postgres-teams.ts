/** Teams in PostgreSQL, in the schema that all workspaces share. */
import { SondeError } from '../../../core/index.ts';
import { type TeamGrant, type TeamRole, type Teams, teamName } from '../../team/teams.ts';
import type { PostgresOptions } from '../connection.ts';
import { openPostgres, type PostgresDatabase } from '../database.ts';
import { escapeNul } from '../escape-nul.ts';
import { recordAct } from './postgres-audit.ts';

export function openPostgresTeams(options: PostgresOptions): Teams {
  const db = openPostgres({ ...options, maxConnections: 1 });
  return Object.freeze({ ...createTeams(db), close: () => db.close() });
}

const placeText = ({ kind, name }: Pick<TeamGrant, 'kind' | 'name'>): string => `${kind} ${name}`;

function createTeams(db: PostgresDatabase): Omit<Teams, 'close'> {
  const teamExists = async (name: string): Promise<boolean> =>
    (await db.ask({ name: 'team', text: 'SELECT 1 FROM teams WHERE name = $1', values: [name] })).length > 0;

  return {
    async add(name, by) {
      if (!teamName.test(name))
        throw new SondeError('bad_argument', {
          message: `${JSON.stringify(name)} is not a name for a team`,
          remedy: 'Give a word of at most 64 letters, digits, dots, hyphens and underscores.',
        });
      if (await teamExists(name)) return false;
      await db.transact([
        ...recordAct(
          by,
          { act: 'team_added', on: name },
          {
            name: 'no team',
            test: 'NOT EXISTS (SELECT 1 FROM teams WHERE name = $1::text)',
            values: [name],
          },
        ),
        {
          name: 'add a team',
          text: 'INSERT INTO teams VALUES ($1, now_ms()) ON CONFLICT (name) DO NOTHING',
          values: [name],
        },
      ]);
      return true;
    },
    async give(team, grant, by) {
      if (!(await teamExists(team))) throw noTeamError(team);
      const { kind, name, role } = grant;
      await db.transact([
        {
          name: 'give a team',
          text: `INSERT INTO team_grants VALUES ($1, $2, $3, $4)
            ON CONFLICT (team, kind, name) DO UPDATE SET role = excluded.role`,
          values: [team, kind, escapeNul(name), role],
        },
        ...recordAct(by, { act: 'team_given', on: team, result: `${role} of the ${placeText(grant)}` }),
      ]);
    },
    async take(team, place, by) {
      const values = [team, place.kind, escapeNul(place.name)];
      const [, removedRows] = await db.transact([
        ...recordAct(
          by,
          { act: 'team_taken', on: team, result: placeText(place) },
          {
            name: 'a grant',
            test: 'EXISTS (SELECT 1 FROM team_grants WHERE team = $1::text AND kind = $2::text AND name = $3::text)',
            values,
          },
        ),
        {
          name: 'take from a team',
          text: 'DELETE FROM team_grants WHERE team = $1 AND kind = $2 AND name = $3 RETURNING team',
          values,
        },
      ]);
      return removedRows!.length > 0;
    },
    async list() {
      const [teams, grants] = await db.transact([
        { name: 'teams', text: 'SELECT * FROM teams ORDER BY name', values: [] },
        { name: 'grants', text: 'SELECT * FROM team_grants ORDER BY team, kind DESC, name', values: [] },
      ]);
      const grantsByTeam = Map.groupBy(grants!, ({ team }) => String(team));
      return teams!.map(({ name, created }) => ({
        name: String(name),
        created: Number(created),
        grants: (grantsByTeam.get(String(name)) ?? []).map((row) => ({
          kind: row['kind'] as TeamGrant['kind'],
          name: String(row['name']),
          role: row['role'] as TeamRole,
        })),
      }));
    },
  };
}

export const noTeamError = (team: string): SondeError =>
  new SondeError('not_found', {
    message: `There is no team ${JSON.stringify(team)}`,
    remedy: `sonde team ls lists those there are, and sonde team add ${teamName.test(team) ? team : 'NAME'} makes one.`,
  });
