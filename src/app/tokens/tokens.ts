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
  /** Lists all tokens, ordered by place and name. */
  list(): readonly Token[];
  /** Revokes the token, also for running servers. False if there was none. */
  remove(place: TokenPlace, name: string, by?: Actor): boolean;
  /** Called for each request, so that a revoked token is refused at once. */
  check(bearerToken: string | null, place: TokenPlace): Entry;
  /** Runs the work in one transaction, during which nobody else writes. */
  atomic<Value>(work: () => Value): Value;
  close(): void;
}

/** Names of tokens: words that need no quotes in a command, a log or an idempotency key. */
export const tokenName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Whether its holder may talk with the agent, which can do as much as the set `agent` allows: the author, and programs
 * with at least these rights.
 */
export const canTalk = ({ allow, author }: Pick<Token, 'allow' | 'author'>): boolean =>
  author || allow === 'agent' || allow === 'owner';

/** Whether a holder still has the rights it had before; otherwise its open streams must end. */
export const hasSameRights = (
  earlierToken: Pick<Token, 'allow' | 'author' | 'team'>,
  currentToken: Token | 'wrong_place' | null,
): boolean =>
  currentToken !== null &&
  currentToken !== 'wrong_place' &&
  currentToken.allow === earlierToken.allow &&
  currentToken.author === earlierToken.author &&
  currentToken.team === earlierToken.team;

export const isSamePlace = (tokenPlace: TokenPlace, otherPlace: TokenPlace): boolean =>
  tokenPlace.kind === 'workspace'
    ? otherPlace.kind === 'workspace' &&
      tokenPlace.workspace === otherPlace.workspace &&
      tokenPlace.id === otherPlace.id
    : otherPlace.kind === 'alerts';
