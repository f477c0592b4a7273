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

/** Null: none applies. */
export async function resolveRole(
  { work, call = null, thread, channel }: RoleQuestion,
  sources: RoleSources,
  mode: RoleMode = 'blocks',
): Promise<string | null> {
  const within: Readonly<Record<RoleLevel, string | null>> = { thread, channel, workspace: '', account: '' };
  const asked = roleLevels.map(async (level) => {
    const place = within[level];
    const source = level === 'account' ? sources.account : sources.workspace;
    return place === null ? undefined : source.get({ level, within: place });
  });
  const found = [call, ...(await Promise.all(asked))].filter(
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
