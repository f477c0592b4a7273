/**
 * Decides which role applies to a piece of work: the call's before the thread's, the channel's, the workspace's and
 * the account's. It is resolved once, before the dispatch, to one text for the entry node, and is stored in no
 * message and no checkpoint.
 */
import { type Role, type RoleLevel, type Roles, roleLevels } from '../store/index.ts';

/**
 * How several roles combine. blocks: only the first one found applies. stacks: all apply, the most general first, so
 * that the most specific has the last word.
 */
export type RoleMode = 'blocks' | 'stacks';

export interface RoleQuestion {
  /** The dispatched work, such as `planner` or `research`. */
  readonly work: string;
  /** Passed with the call. */
  readonly call?: Role | null;
  readonly thread: string;
  readonly channel: string | null;
}

/** Stores of roles: those of the account may be in a separate file. */
export interface RoleSources {
  readonly workspace: Pick<Roles, 'get'>;
  readonly account: Pick<Roles, 'get'>;
}

/** A role that applies, with the level it was set at. */
export interface RoleInUse {
  readonly level: RoleLevel | 'call';
  readonly role: Role;
}

/** The roles that apply, the most specific first; with `blocks` at most one. */
export async function rolesInUse(
  { work, call = null, thread, channel }: RoleQuestion,
  sources: RoleSources,
  mode: RoleMode = 'blocks',
): Promise<readonly RoleInUse[]> {
  const within: Readonly<Record<RoleLevel, string | null>> = { thread, channel, workspace: '', account: '' };
  const asked = roleLevels.map(async (level) => {
    const place = within[level];
    const source = level === 'account' ? sources.account : sources.workspace;
    return { level, role: place === null ? undefined : await source.get({ level, within: place }) };
  });
  const all = [{ level: 'call' as const, role: call ?? undefined }, ...(await Promise.all(asked))];
  const found = all.filter((one): one is RoleInUse => one.role !== undefined && applies(one.role, work));
  return mode === 'blocks' ? found.slice(0, 1) : found;
}

/** Null: none applies. */
export async function resolveRole(
  question: RoleQuestion,
  sources: RoleSources,
  mode?: RoleMode,
): Promise<string | null> {
  const found = await rolesInUse(question, sources, mode);
  if (found.length === 0) return null;
  return found
    .toReversed()
    .map(({ role }) => role.content)
    .join('\n\n');
}

function applies({ appliesTo }: Role, work: string): boolean {
  return appliesTo === null || appliesTo.includes(work);
}
