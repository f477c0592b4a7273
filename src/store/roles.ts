/**
 * Roles: how the agent is to speak and what it is to mind, kept for a thread, a channel, a workspace or an
 * account. Which of them counts is decided elsewhere; here they are only kept.
 */
export const roleLevels = ['thread', 'channel', 'workspace', 'account'] as const;
export type RoleLevel = (typeof roleLevels)[number];

export interface Role {
  /** Prose for a model. */
  readonly content: string;
  /** Names of the work it is for; null: all of it. */
  readonly appliesTo: readonly string[] | null;
}

export interface RolePlace {
  readonly level: RoleLevel;
  /** The thread or the channel; empty in the two widest levels. */
  readonly within: string;
}

export interface Roles {
  get(place: RolePlace): Role | undefined;
  /** Null takes it away. Throws `bad_argument` for an empty one, or one of more than 8,000 characters. */
  set(place: RolePlace, role: Role | null): void;
  /** From the narrowest level to the widest. */
  list(): readonly (RolePlace & { readonly role: Role })[];
}
