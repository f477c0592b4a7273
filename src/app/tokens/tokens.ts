/**
 * Tokens of HTTP clients: one for each client, each for one workspace or for alerts, with one set of capabilities.
 *
 * An implementer must not: keep a token in a form from which it can be read, let a token in anywhere but where it was
 * made for, or give one a larger set than it was made with.
 */
import type { Actor } from '../../store/index.ts';
import type { CapabilitySetName } from '../../tools/index.ts';

/** What a token gives access to. */
export type TokenPlace =
  | {
      readonly kind: 'workspace';
      /** The name of a workspace, or the path of a file elsewhere. */
      readonly workspace: string;
      /** The id of the workspace, so that the token is not valid for another one of the same name. */
      readonly id: string;
    }
  | { readonly kind: 'alerts' };

export interface Token {
  /** The client, as history and idempotency keys name it. Unique in its place. */
  readonly name: string;
  readonly place: TokenPlace;
  /** Null for alerts, which have no tools. */
  readonly allow: CapabilitySetName | null;
  /** Whether it belongs to the owner of the workspace. */
  readonly author: boolean;
  /** Whether a server made it for its user, who finds it in a file (`saved-token.ts`). */
  readonly kept: boolean;
  /** For alerts: the only sender that it accepts; null: any sender, and its holder may list the groups. */
  readonly sender: string | null;
  /** The path of a file with the secret that this sender signs with; null: the token itself is shown. */
  readonly secretFile: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
  /** The team of its holder, for access tokens of a provider. */
  readonly team?: string;
}

export type NewToken = Omit<Token, 'created' | 'sender' | 'secretFile'> &
  Partial<Pick<Token, 'sender' | 'secretFile'>>;

/** The result of showing a token. Over HTTP a holder continues, `unknown` is 401 and `wrong_place` 403. */
export type Entry =
  | { readonly kind: 'holder'; readonly token: Token }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong_place' };

export interface Tokens {
  /** Gives the token itself, once. Throws `bad_argument` if the name is taken there. */
  add(token: NewToken, by?: Actor): string;
  /** By place, then by name. */
  list(): readonly Token[];
  /** Revokes the token, also for running servers. False if there was none. */
  remove(place: TokenPlace, name: string, by?: Actor): boolean;
  /** Called for each request, so that a revoked token is refused at once. */
  check(shown: string | null, place: TokenPlace): Entry;
  /** Does all of the work or nothing, while nobody else writes. */
  atomic<Value>(work: () => Value): Value;
  close(): void;
}

/** A word that needs no quoting in a command, a log or an idempotency key. */
export const tokenName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Whether its holder may talk with the agent, which can do as much as the set `agent` allows: the author, and programs
 * with at least these rights.
 */
export const canTalk = ({ allow, author }: Pick<Token, 'allow' | 'author'>): boolean =>
  author || allow === 'agent' || allow === 'owner';

/** Whether a holder may do what it could before: a stream that was begun with other rights must end. */
export const hasSameRights = (
  earlier: Pick<Token, 'allow' | 'author' | 'team'>,
  current: Token | 'wrong_place' | null,
): boolean =>
  current !== null &&
  current !== 'wrong_place' &&
  current.allow === earlier.allow &&
  current.author === earlier.author &&
  current.team === earlier.team;

export const isSamePlace = (tokenPlace: TokenPlace, other: TokenPlace): boolean =>
  tokenPlace.kind === 'workspace'
    ? other.kind === 'workspace' && tokenPlace.workspace === other.workspace && tokenPlace.id === other.id
    : other.kind === 'alerts';
