/**
 * Tokens of HTTP clients: one for each client, each for one workspace or for alerts, with one set of capabilities.
 *
 * An implementer must not: keep a token in a form from which it can be read, let a token in anywhere but where it was
 * made for, or give one a larger set than it was made with.
 */
import type { CapabilitySetName } from '../../tools/index.ts';

/** What a token opens. */
export type TokenPlace =
  | {
      readonly kind: 'workspace';
      /** As people name it: a name, or the path of a file that lies elsewhere. */
      readonly workspace: string;
      /** Of the workspace itself, so that another one made later under the same name is not opened. */
      readonly id: string;
    }
  | { readonly kind: 'alerts' };

export interface Token {
  /** The client, in history and in idempotency keys; unique for its place. */
  readonly name: string;
  readonly place: TokenPlace;
  /** Null for alerts, which have no tools. */
  readonly allow: CapabilitySetName | null;
  /** Held by the owner of the workspace. */
  readonly author: boolean;
  /** Made by a server for its user, who finds it in a file (`kept-token.ts`). */
  readonly kept: boolean;
  /** For alerts: the only sender that it lets in; null: any, and whoever looks at the groups. */
  readonly sender: string | null;
  /** Path of a file with the secret that this sender signs each message with; null: the token is shown instead. */
  readonly secretFile: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly created: number;
}

export type NewToken = Omit<Token, 'created' | 'sender' | 'secretFile'> &
  Partial<Pick<Token, 'sender' | 'secretFile'>>;

/** The result of showing a token: over HTTP a holder goes on, `unknown` is 401 and `elsewhere` 403. */
export type Entry =
  | { readonly kind: 'holder'; readonly token: Token }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'elsewhere' };

export interface Tokens {
  /** The token itself, which is shown here and never again. Throws `bad_argument` where the name is taken there. */
  add(token: NewToken): string;
  /** By place, then by name. */
  list(): readonly Token[];
  /** From now on the token opens nothing, in running servers either. False: there was none. */
  remove(place: TokenPlace, name: string): boolean;
  /** Asked anew for each request, so that what was removed is out at once. */
  enter(shown: string | null, place: TokenPlace): Entry;
  /** All of it or nothing; nobody else writes meanwhile. */
  atomic<Value>(work: () => Value): Value;
  close(): void;
}

/** A word that stands as it is in a command, a log and an idempotency key. */
export const tokenName = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Whether its holder may talk with the agent, and so have it do what an agent may: the person, and programs that may do
 * as much themselves.
 */
export const mayTalk = ({ allow, author }: Pick<Token, 'allow' | 'author'>): boolean =>
  author || allow === 'agent' || allow === 'owner';

export const samePlace = (one: TokenPlace, other: TokenPlace): boolean =>
  one.kind === 'workspace'
    ? other.kind === 'workspace' && one.workspace === other.workspace && one.id === other.id
    : other.kind === 'alerts';
