/** Opens the conversations, pages and roles of one workspace for one command. */
import { existsSync } from 'node:fs';
import { SondeError } from '../core/index.ts';
import type { Database, RoleLevel, RolePlace, Sessions } from '../store/index.ts';
import { loadConfiguration, processEnvironment, type Values } from './config/index.ts';
import { type OpenWorkspace, withWorkspace, workspacePath } from './workspace/workspace.ts';

/**
 * Opens the named workspace, or the configured one. Throws `not_found` if there is none. With a shared store, its pages
 * may be on another machine: then `world` throws.
 */
export async function withSessions<Value>(
  workspace: string | undefined,
  work: (sessions: Sessions, world: () => OpenWorkspace['world']) => Promise<Value>,
): Promise<Value> {
  const values = loadValues(workspace);
  if (values.store === 'postgres')
    return withSharedSessions(values, (sessions) =>
      work(sessions, () => {
        throw pagesElsewhereError(values.workspace);
      }),
    );
  return withWorkspace(workspace, ({ database, world }) =>
    withSessionsIn(database, (sessions) => work(sessions, () => world)),
  );
}

/**
 * Opens the pages of the workspace, in a file of this machine, and its conversations, there or in a shared store. `open`
 * is null if the pages are on another machine. Throws `not_found` if there is no workspace.
 */
export async function withPagesAndSessions<Value>(
  workspace: string | undefined,
  work: (sessions: Sessions, open: OpenWorkspace | null) => Promise<Value>,
): Promise<Value> {
  const values = loadValues(workspace);
  if (values.store !== 'postgres')
    return withWorkspace(workspace, (open) =>
      withSessionsIn(open.database, (sessions) => work(sessions, open)),
    );
  if (!existsSync(workspacePath(workspace)))
    return withSharedSessions(values, (sessions) => work(sessions, null));
  return withWorkspace(workspace, (open) => withSharedSessions(values, (sessions) => work(sessions, open)));
}

const loadValues = (workspace: string | undefined): Values =>
  loadConfiguration({
    environment: processEnvironment(),
    flags: workspace === undefined ? {} : { workspace },
  }).values;

async function withSessionsIn<Value>(
  database: Database,
  work: (sessions: Sessions) => Promise<Value>,
): Promise<Value> {
  const { openSessionsIn } = await import('../store/index.ts');
  const sessions = openSessionsIn(database);
  try {
    return await work(sessions);
  } finally {
    await sessions.close();
  }
}

async function withSharedSessions<Value>(
  values: Values,
  work: (sessions: Sessions) => Promise<Value>,
): Promise<Value> {
  const { openWorkspaceSessions } = await import('./team/shared-sessions.ts');
  const { sessions, store } = await openWorkspaceSessions(values);
  try {
    return await work(sessions);
  } finally {
    await sessions.close();
    await store.close();
  }
}

const pagesElsewhereError = (workspace: string): SondeError =>
  new SondeError('bad_argument', {
    message: `The pages of ${workspace} are with the worker that is its host`,
    remedy: 'Do it on its page: sonde ui; or over HTTP.',
  });

/** Opens the account, whose memory all workspaces of this user share. */
async function withAccount<Value>(work: (sessions: Sessions) => Promise<Value>): Promise<Value> {
  const { openAccount } = await import('./agent/compose-agent.ts');
  const account = openAccount(loadConfiguration({ environment: processEnvironment() }), false);
  try {
    return await withSessionsIn(account, work);
  } finally {
    account.close();
  }
}

export interface RoleTarget {
  readonly workspace?: string;
  readonly level: RoleLevel;
  /** The id of the thread or the channel. */
  readonly within?: string;
}

/** Parses the level of a role and its thread or channel. Throws `bad_argument`. */
export async function parseRoleTarget(
  levelName: string,
  { thread, channel, workspace }: { readonly [Flag in 'thread' | 'channel' | 'workspace']?: string },
): Promise<RoleTarget> {
  const { roleLevels } = await import('../store/index.ts');
  const level = roleLevels.find((each) => each === levelName);
  if (level === undefined)
    throw new SondeError('bad_argument', {
      message: `There is no level ${JSON.stringify(levelName)}`,
      remedy: `Allowed for --at: ${roleLevels.join(', ')}.`,
    });
  const placeId = { thread, channel, workspace: undefined, account: undefined }[level];
  const needsPlace = level === 'thread' || level === 'channel';
  if (needsPlace && placeId === undefined)
    throw new SondeError('bad_argument', {
      message: `Which ${level} the role is for was not said`,
      remedy: `Name it with --${level}.`,
    });
  return {
    level,
    ...(placeId !== undefined && { within: placeId }),
    ...(workspace !== undefined && { workspace }),
  };
}

/** Opens the place where roles of a level are stored. Throws `not_found` for a missing channel. */
export function withRoles<Value>(
  { workspace, level, within = '' }: RoleTarget,
  work: (roles: Sessions['roles'], place: RolePlace) => Promise<Value>,
): Promise<Value> {
  const place = { level, within };
  if (level === 'account') return withAccount(({ roles }) => work(roles, place));
  return withSessions(workspace, async ({ roles, channels }) => {
    if (level === 'channel') await channels.get(within);
    return work(roles, place);
  });
}

/** Lists the roles of the workspace, then those of the account. */
export async function listAllRoles(workspace: string | undefined) {
  const workspaceRoles = await withSessions(workspace, ({ roles }) => roles.list());
  const accountRoles = await withAccount(({ roles }) => roles.list());
  return [...workspaceRoles, ...accountRoles];
}
