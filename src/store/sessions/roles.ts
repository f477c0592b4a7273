/**
 * Roles: instructions to the agent on its behaviour, for a thread, a channel, the workspace or the account. This
 * contract only stores them; other code decides which one applies.
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
  /** The id of the thread or channel; empty for the workspace and the account. */
  readonly within: string;
}

export interface Roles {
  get(place: RolePlace): Promise<Role | undefined>;
  /** Sets a role; null removes it. Throws `bad_argument` if it is empty or longer than 8,000 characters. */
  set(place: RolePlace, role: Role | null, by?: Actor): Promise<void>;
  /** From the narrowest level to the widest. */
  list(): Promise<readonly (RolePlace & { readonly role: Role })[]>;
}
