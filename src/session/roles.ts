/**
 * Decides which role applies to a piece of work: that of the call, the thread, the channel, the workspace or the
 * account, in this order. It is resolved to one text before the work starts, and is stored in no message and no
 * checkpoint.
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
export interface AppliedRole {
  readonly level: RoleLevel | 'call';
  readonly role: Role;
}

/** The roles that apply, the most specific first; with `blocks` at most one. */
export async function findRoles(
  { work, call = null, thread, channel }: RoleQuestion,
  sources: RoleSources,
  mode: RoleMode = 'blocks',
): Promise<readonly AppliedRole[]> {
  const places: Readonly<Record<RoleLevel, string | null>> = { thread, channel, workspace: '', account: '' };
  const lookups = roleLevels.map(async (level) => {
    const placeId = places[level];
    const source = level === 'account' ? sources.account : sources.workspace;
    return { level, role: placeId === null ? undefined : await source.get({ level, within: placeId }) };
  });
  const candidates = [{ level: 'call' as const, role: call ?? undefined }, ...(await Promise.all(lookups))];
  const applyingRoles = candidates.filter(
    (applied): applied is AppliedRole => applied.role !== undefined && isRoleFor(applied.role, work),
  );
  return mode === 'blocks' ? applyingRoles.slice(0, 1) : applyingRoles;
}

/** The text of the roles that apply; null if none does. */
export async function resolveRole(
  question: RoleQuestion,
  sources: RoleSources,
  mode?: RoleMode,
): Promise<string | null> {
  const applyingRoles = await findRoles(question, sources, mode);
  if (applyingRoles.length === 0) return null;
  return applyingRoles
    .toReversed()
    .map(({ role }) => role.content)
    .join('\n\n');
}

function isRoleFor({ appliesTo }: Role, work: string): boolean {
  return appliesTo === null || appliesTo.includes(work);
}
