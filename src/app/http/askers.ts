/** Callers over HTTP, and their roles, which derive from the capability sets of their tokens. */
import type { Actor } from '../../store/index.ts';
import type { Token } from '../tokens/tokens.ts';
import type { ApiRecords } from './records.ts';

/**
 * A reader may only read. An operator may also manage incidents, schedules, tokens and pruning, but not decide on
 * pages. The author is the person who owns the workspace, and may do everything.
 */
export const roles = ['reader', 'operator', 'author'] as const;
export type Role = (typeof roles)[number];

export const authorOnly: readonly Role[] = ['author'];
/** Roles that may manage the server. */
export const managerRoles: readonly Role[] = ['operator', 'author'];

export interface Asker {
  readonly role: Role;
  /** The name of the token or session, used in idempotency keys and in what is shown. */
  readonly name: string;
  /** The team of the caller; empty: none. */
  readonly team: string;
  /** True: a provider signed the caller in, so this server stores no token of theirs. */
  readonly isSignedIn: boolean;
  /** When it expires; null: not until it is revoked. Milliseconds since the Unix epoch. */
  readonly expires: number | null;
  /** Whether the token or session is still valid. Called repeatedly while a stream is open. */
  mayListen(): boolean;
  /** Ends the session of a browser. Absent for tokens, which `sonde token rm` revokes. */
  end?(records: Pick<ApiRecords, 'endSession'>): void;
}

/**
 * The role by which a caller sees runs. A shared store holds the runs of all its teams, so the member of a team sees
 * only those of the workspace's conversations, like a reader.
 */
export const roleForRuns = ({ role, team }: Pick<Asker, 'role' | 'team'>): Role =>
  team === '' ? role : 'reader';

/** The caller as the audit names it. */
export const actorOf = ({ name, team }: Pick<Asker, 'name' | 'team'>): Actor => ({
  name: `token:${name}`,
  team,
});

/** The capability set of each role's tokens, and whether they are the author's. */
export const tokenRights = {
  reader: { allow: 'read-only', author: false },
  operator: { allow: 'operator', author: false },
  author: { allow: 'owner', author: true },
} as const satisfies Readonly<Record<Role, Pick<Token, 'allow' | 'author'>>>;

/** The role of a token; null for tokens of programs, which may use tools but not this interface. */
export function roleOf({ allow, author }: Pick<Token, 'allow' | 'author'>): Role | null {
  if (author) return 'author';
  if (allow === 'operator') return 'operator';
  return allow === 'read-only' ? 'reader' : null;
}
