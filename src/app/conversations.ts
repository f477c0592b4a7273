/** Channels, roles and schedules, which a person keeps beside conversations. Opens one workspace for one command. */
import { SondeError } from '../core/index.ts';
import type { RoleLevel, RolePlace, Sessions } from '../store/index.ts';
import { openAccount } from './agent/compose-agent.ts';
import { loadConfiguration, processEnvironment } from './config/index.ts';
import { type OpenWorkspace, withWorkspace } from './workspace/workspace.ts';

/**
 * Opens the named workspace, or the configured one. With a shared store its conversations are there, and its pages may be
 * on another machine: `world` then throws. Throws `not_found` if there is none.
 */
export async function withSessions<Value>(
  workspace: string | undefined,
  work: (sessions: Sessions, world: () => OpenWorkspace['world']) => Promise<Value>,
): Promise<Value> {
  const { openSessionsIn } = await import('../store/index.ts');
  const { values } = loadConfiguration({
    environment: processEnvironment(),
    flags: workspace === undefined ? {} : { workspace },
  });
  if (values.store === 'postgres') {
    const { openWorkspaceSessions } = await import('./team/shared-sessions.ts');
    const { sessions, store } = await openWorkspaceSessions(values);
    try {
      return await work(sessions, () => {
        throw pagesElsewhere(values.workspace);
      });
    } finally {
      await sessions.close();
      await store.close();
    }
  }
  return withWorkspace(workspace, async ({ database, world }) => {
    const sessions = openSessionsIn(database);
    try {
      return await work(sessions, () => world);
    } finally {
      await sessions.close();
    }
  });
}

const pagesElsewhere = (workspace: string): SondeError =>
  new SondeError('bad_argument', {
    message: `The pages of ${workspace} are with the worker that is its host`,
    remedy: 'Do it on its page: sonde ui; or over HTTP.',
  });

/** Opens the account, whose memory all workspaces of this user share. */
async function withAccount<Value>(work: (sessions: Sessions) => Promise<Value>): Promise<Value> {
  const { openSessionsIn } = await import('../store/index.ts');
  const account = openAccount(loadConfiguration({ environment: processEnvironment() }), false);
  try {
    const sessions = openSessionsIn(account);
    try {
      return await work(sessions);
    } finally {
      await sessions.close();
    }
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

/** A level by its name, with its thread or channel. Throws `bad_argument`. */
export async function roleTarget(
  at: string,
  { thread, channel, workspace }: { readonly [Flag in 'thread' | 'channel' | 'workspace']?: string },
): Promise<RoleTarget> {
  const { roleLevels } = await import('../store/index.ts');
  const level = roleLevels.find((each) => each === at);
  if (level === undefined)
    throw new SondeError('bad_argument', {
      message: `There is no level ${JSON.stringify(at)}`,
      remedy: `Allowed for --at: ${roleLevels.join(', ')}.`,
    });
  const named = { thread, channel, workspace: undefined, account: undefined }[level];
  const needs = level === 'thread' || level === 'channel';
  if (needs && named === undefined)
    throw new SondeError('bad_argument', {
      message: `Which ${level} the role is for was not said`,
      remedy: `Name it with --${level}.`,
    });
  return {
    level,
    ...(named !== undefined && { within: named }),
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

/** All roles, from the narrowest level to the widest. */
export async function allRoles(workspace: string | undefined) {
  const here = await withSessions(workspace, ({ roles }) => roles.list());
  const account = await withAccount(({ roles }) => roles.list());
  return [...here, ...account];
}
