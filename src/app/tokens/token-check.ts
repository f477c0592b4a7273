/** Who may use one HTTP server with which token. If there is no token yet, one is made. */
import type { CapabilitySetName } from '../../tools/index.ts';
import { type Directories, thisUser } from '../config/index.ts';
import { keepToken, readKeptToken } from './kept-token.ts';
import { openTokens } from './open-tokens.ts';
import { type Entry, mayTalk, samePlace, type Token, type TokenPlace } from './tokens.ts';

export interface TokenCheckOptions {
  readonly directories: Pick<Directories, 'data'>;
  readonly place: TokenPlace;
  /** The set of capabilities that the server was started with; null: none. */
  readonly asked: CapabilitySetName | null;
  /** For servers with conversations: a token that is made here has the rights of the author. */
  readonly author?: boolean;
  /** False: no token is made here. */
  readonly make?: boolean;
}

export interface TokenCheck {
  /** Called for each request. `shown`: its bearer token; null: none. */
  check(shown: string | null): Entry;
  /** For people: where to get a token for this server. It never holds the token itself. */
  readonly hint: string;
  close(): void;
}

/** Throws `bad_config` if others can read the file with the token that the server keeps for its user. */
export function openTokenCheck({
  directories,
  place,
  asked,
  author = false,
  make = true,
}: TokenCheckOptions): TokenCheck {
  const tokens = openTokens(directories);
  try {
    const hint = make ? tokens.atomic(() => hintFor()) : '';
    return { check: (shown) => tokens.enter(shown, place), hint, close: () => tokens.close() };
  } catch (error) {
    tokens.close();
    throw error;
  }

  function hintFor(): string {
    // A token for a single sender of alerts gives access to nothing else, so it is no token for this server.
    const here = tokens.list().filter((token) => samePlace(token.place, place) && token.sender === null);
    const fitting = here.filter((token) => fits(token) && (asked === null || token.allow === asked));
    const own = fitting.filter(({ kept }) => kept);
    for (const { name } of own) {
      const keptToken = readKeptToken(directories, place, name);
      if (keptToken !== null && opens(keptToken.token, name)) return `The token is in ${keptToken.path}.`;
      // A token whose file cannot be read is replaced.
      tokens.remove(place, name, thisUser());
    }
    const given = fitting.filter(({ kept }) => !kept);
    if (given.length > 0) {
      const rest = here.filter((token) => !given.includes(token) && !token.kept);
      const less =
        rest.length === 0 ? '' : `, and for less by ${namesOf(rest)} (sonde token ls says what for)`;
      return `It is opened by the tokens ${namesOf(given)}${less}.`;
    }
    const allow = place.kind === 'alerts' ? null : (asked ?? 'external');
    const all = tokens.list().filter((token) => samePlace(token.place, place));
    const others = all
      .filter((token) => !own.some(({ name }) => name === token.name))
      .map(({ name }) => name);
    const name = freeName(new Set(others), author ? 'author' : (allow ?? 'alerts'));
    const token = tokens.add({ name, place, allow, author, kept: true }, thisUser());
    return `The token is in ${keepToken(directories, place, name, token)}.`;
  }

  /** A token that one server made for the author is not offered to programs by another server. */
  function fits(token: Token): boolean {
    return author ? mayTalk(token) : !(token.kept && token.author);
  }

  function opens(shown: string, name: string): boolean {
    const entry = tokens.enter(shown, place);
    return entry.kind === 'holder' && entry.token.name === name;
  }
}

const namesOf = (tokens: readonly Token[]): string => tokens.map(({ name }) => name).join(', ');

/** A workspace may be served with one set and later with another: the token of the first must not get more rights. */
function freeName(taken: ReadonlySet<string>, kind: string): string {
  if (!taken.has('default')) return 'default';
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `default-${kind}` : `default-${kind}-${n}`;
    if (!taken.has(name)) return name;
  }
}
