/**
 * Which role counts for a piece of work: that of the call before the thread's, the channel's, the workspace's and
 * the account's. It is resolved once, before the dispatch, to one text that the entry node is given as an input;
 * it is written into no message and no checkpoint.
 */
import { type Role, type RoleLevel, type Roles, roleLevels } from '../store/index.ts';

/**
 * The one switch over several roles. blocks: the first found is the only one. stacks: all of them, the widest
 * first, so that the narrowest has the last word.
 */
export type RoleMode = 'blocks' | 'stacks';

export interface RoleQuestion {
  /** Of the work that is dispatched, e.g. `planner`, `research`. */
  readonly work: string;
  /** Given with the call. */
  readonly call?: Role | null;
  readonly thread: string;
  readonly channel: string | null;
}

/** Where roles are kept: those of the account may be in a file of their own. */
export interface RoleSources {
  readonly workspace: Pick<Roles, 'get'>;
  readonly account: Pick<Roles, 'get'>;
}

/** Null: none applies. */
export function resolveRole(
  { work, call = null, thread, channel }: RoleQuestion,
  sources: RoleSources,
  mode: RoleMode = 'blocks',
): string | null {
  const within: Readonly<Record<RoleLevel, string | null>> = { thread, channel, workspace: '', account: '' };
  const kept = roleLevels.map((level) => {
    const place = within[level];
    const source = level === 'account' ? sources.account : sources.workspace;
    return place === null ? undefined : source.get({ level, within: place });
  });
  const found = [call, ...kept].filter(
    (role): role is Role => role !== null && role !== undefined && applies(role, work),
  );
  if (found.length === 0) return null;
  if (mode === 'blocks') return found[0]!.content;
  return found
    .toReversed()
    .map(({ content }) => content)
    .join('\n\n');
}

function applies({ appliesTo }: Role, work: string): boolean {
  return appliesTo === null || appliesTo.includes(work);
}
