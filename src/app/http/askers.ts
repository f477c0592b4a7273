/** Callers over HTTP and what they may do: roles, derived from the capability sets of tokens. */
import type { Actor } from '../../store/index.ts';
import type { Token } from '../tokens/tokens.ts';
import type { ApiRecords } from './records.ts';

/**
 * reader: reads. operator: also manages incidents, schedules, tokens and pruning, and decides on no page. author: the
 * person who owns the workspace.
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
  /** Empty: none. */
  readonly team: string;
  /** Whether a provider signed the caller in, for whom no token is kept here. */
  readonly isSignedIn: boolean;
  /** When it expires; null: not until it is revoked. Milliseconds since the Unix epoch. */
  readonly expires: number | null;
  /** Asked again while a stream is open: false once the token or session was revoked. */
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

/** What the token of a role may do. */
export const tokenRights = {
  reader: { allow: 'read-only', author: false },
  operator: { allow: 'operator', author: false },
  author: { allow: 'owner', author: true },
} as const satisfies Readonly<Record<Role, Pick<Token, 'allow' | 'author'>>>;

/** Null for tokens of programs: they may use tools, and this interface must not let them do more. */
export function roleOf({ allow, author }: Pick<Token, 'allow' | 'author'>): Role | null {
  if (author) return 'author';
  if (allow === 'operator') return 'operator';
  return allow === 'read-only' ? 'reader' : null;
}
