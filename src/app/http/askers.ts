/** Who asks over HTTP, and what he may: roles, over the sets of capabilities that tokens have. */
import type { Token } from '../tokens/tokens.ts';
import type { ApiRecords } from './records.ts';

/**
 * reader: looks. operator: looks, and keeps the house: incidents, schedules, tokens, what is pruned; decides on no page.
 * author: the person whose workspace it is.
 */
export const roles = ['reader', 'operator', 'author'] as const;
export type Role = (typeof roles)[number];

export const authorAlone: readonly Role[] = ['author'];
/** Who keeps the house. */
export const keepers: readonly Role[] = ['operator', 'author'];

export interface Asker {
  readonly role: Role;
  /** Of the token, or of the window: in idempotency keys and in what is shown. */
  readonly name: string;
  /** When this ends by itself; null: when it is taken away. Milliseconds since the Unix epoch. */
  readonly expires: number | null;
  /** Asked anew while a stream is open: false once the token or the session was taken away. */
  stillThere(): boolean;
  /** Of a window: its session is over. Absent for tokens, which are taken away by `sonde token rm`. */
  end?(records: Pick<ApiRecords, 'endSession'>): void;
}

/** Null for programs: their tokens open tools, and this interface is no way around the capabilities of a tool. */
export function roleOf({ allow, author }: Pick<Token, 'allow' | 'author'>): Role | null {
  if (author) return 'author';
  if (allow === 'operator') return 'operator';
  return allow === 'read-only' ? 'reader' : null;
}
