/**
 * Roles: how the agent should speak and what it must observe, per thread, channel, workspace or account. They are
 * only stored here; which one applies is decided elsewhere.
 */
import type { Actor } from '../audit.ts';

export const roleLevels = ['thread', 'channel', 'workspace', 'account'] as const;
export type RoleLevel = (typeof roleLevels)[number];

export interface Role {
  /** Prose for a model. */
  readonly content: string;
  /** Names of the work it applies to; null: all work. */
  readonly appliesTo: readonly string[] | null;
}

export interface RolePlace {
  readonly level: RoleLevel;
  /** The thread or the channel; empty in the two widest levels. */
  readonly within: string;
}

export interface Roles {
  get(place: RolePlace): Promise<Role | undefined>;
  /** Null removes it. Throws `bad_argument` if it is empty or longer than 8,000 characters. */
  set(place: RolePlace, role: Role | null, by?: Actor): Promise<void>;
  /** From the narrowest level to the widest. */
  list(): Promise<readonly (RolePlace & { readonly role: Role })[]>;
}
