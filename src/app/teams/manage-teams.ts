/** Teams, as people manage them. */
import { SondeError } from '../../core/index.ts';
import { readBalance, type TeamPlace, type TeamRole, type TeamRow } from '../../store/index.ts';
import { openPostgresTeams, requireWholeView, teamAccount, teamRoles } from '../../store/postgres/index.ts';
import { openRuns } from '../compose.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  storeAddress,
  thisUser,
} from '../config/index.ts';

export interface ListedTeam extends Omit<TeamRow, 'created'> {
  /** ISO 8601, UTC. */
  readonly created: string;
  /** US dollars; a limit of null is none. `held`: drawn by runs that have not ended. */
  readonly usd: { readonly limit: number | null; readonly spent: number; readonly held: number };
}

async function openTeams() {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  requireSharedStore(configuration);
  await requireWholeView({ url: storeAddress(configuration.values) });
  const teams = openPostgresTeams({ url: storeAddress(configuration.values) });
  const store = await openRuns(configuration);
  return {
    teams,
    store,
    close: async () => {
      await teams.close();
      await store.close();
    },
  };
}

function requireSharedStore({ values }: Configuration): void {
  if (values.store === 'postgres') return;
  throw new SondeError('bad_config', {
    message: 'Runs are kept in a file of this user, which no team shares',
    remedy: 'Set SONDE_STORE=postgres and SONDE_STORE_URL: teams are for a store that is shared.',
  });
}

async function withTeams<Value>(
  work: (open: Awaited<ReturnType<typeof openTeams>>) => Promise<Value>,
): Promise<Value> {
  const open = await openTeams();
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

export const listTeams = (): Promise<readonly ListedTeam[]> =>
  withTeams(async ({ teams, store }) => {
    const rows = await teams.list();
    return Promise.all(rows.map((row) => toListedTeam(row, store)));
  });

async function toListedTeam(
  { created, ...row }: TeamRow,
  store: Parameters<typeof readBalance>[0],
): Promise<ListedTeam> {
  const balance = await readBalance(store, teamAccount(row.name));
  return {
    ...row,
    created: new Date(created).toISOString(),
    usd: {
      limit: balance?.limits.usd ?? null,
      spent: balance?.spent.usd ?? 0,
      held: balance?.reserved.usd ?? 0,
    },
  };
}

export interface TeamChange {
  readonly workspace?: string;
  readonly repository?: string;
  readonly role?: string;
  /** Takes the places away instead. */
  readonly remove?: true;
}

/** Makes the team where there is none, and gives it places. Throws `bad_argument`. */
export async function addTeam(
  name: string,
  { workspace, repository, role, remove }: TeamChange,
): Promise<ListedTeam> {
  const places: readonly TeamPlace[] = [
    ...(workspace === undefined ? [] : [{ kind: 'workspace', name: workspace } as const]),
    ...(repository === undefined ? [] : [{ kind: 'repository', name: repository } as const]),
  ];
  const newRole = readRole(role, places);
  return withTeams(async ({ teams, store }) => {
    const actor = thisUser();
    await teams.add(name, actor);
    // An account without a limit, which a budget may get later.
    await store.accounts.open({ id: teamAccount(name), parent: null, limits: {}, reserve: {} });
    for (const place of places)
      if (remove) await teams.take(name, place, actor);
      else await teams.give(name, { ...place, role: newRole }, actor);
    return toListedTeam((await teams.list()).find((team) => team.name === name)!, store);
  });
}

function readRole(value: string | undefined, places: readonly TeamPlace[]): TeamRole {
  if (value !== undefined && places.length === 0)
    throw new SondeError('bad_argument', {
      message: '--role was given without a place',
      remedy: 'Name one with --workspace or --repository.',
    });
  const role = teamRoles.find((each) => each === (value ?? 'reader'));
  if (role !== undefined) return role;
  throw new SondeError('bad_argument', {
    message: `--role is ${JSON.stringify(value)}`,
    remedy: `Allowed: ${teamRoles.join(', ')}.`,
  });
}

/** `usd`: US dollars over all runs of the team from its beginning on; null: no limit; absent: as it is. */
export function setBudget(name: string, usd: number | null | undefined): Promise<ListedTeam> {
  return withTeams(async ({ teams, store }) => {
    const row = (await teams.list()).find((team) => team.name === name);
    if (row === undefined)
      throw new SondeError('not_found', {
        message: `There is no team ${JSON.stringify(name)}`,
        remedy: 'sonde team ls lists those there are; sonde team add NAME makes one.',
      });
    if (usd !== undefined)
      await store.accounts.relimit(
        teamAccount(name),
        { usd: usd ?? Number.POSITIVE_INFINITY },
        {
          by: thisUser(),
          act: { act: 'team_budget', on: name, result: usd === null ? 'no limit' : `$${usd}` },
        },
      );
    return toListedTeam(row, store);
  });
}
