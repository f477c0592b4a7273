/** Checks the tokens of one HTTP server's clients. If no token fits the server yet, it makes one. */
import type { CapabilitySetName } from '../../tools/index.ts';
import { type Directories, thisUser } from '../config/index.ts';
import { openTokens } from './open-tokens.ts';
import { readSavedToken, saveToken } from './saved-token.ts';
import { canTalk, type Entry, isSamePlace, type Token, type TokenPlace } from './tokens.ts';

export interface TokenCheckOptions {
  readonly directories: Pick<Directories, 'data'>;
  readonly place: TokenPlace;
  /** The set of capabilities that the server was started with; null: none. */
  readonly serverSet: CapabilitySetName | null;
  /** For servers with conversations: a token that is made here has the rights of the author. */
  readonly author?: boolean;
  /** False: no token is made here. */
  readonly createsToken?: boolean;
}

export interface TokenCheck {
  /** Checks the bearer token of a request; null: it has none. Called for each request. */
  check(bearerToken: string | null): Entry;
  /** A line that says where to get a token for this server. It never contains a token. */
  readonly hint: string;
  close(): void;
}

/** Throws `bad_config` if others can read the file with the token that the server keeps for its user. */
export function openTokenCheck({
  directories,
  place,
  serverSet,
  author = false,
  createsToken = true,
}: TokenCheckOptions): TokenCheck {
  const tokens = openTokens(directories);
  try {
    const hint = createsToken ? tokens.atomic(() => createHint()) : '';
    return { check: (bearerToken) => tokens.check(bearerToken, place), hint, close: () => tokens.close() };
  } catch (error) {
    tokens.close();
    throw error;
  }

  function createHint(): string {
    // A token for a single sender of alerts gives access to nothing else, so it is no token for this server.
    const placeTokens = tokens
      .list()
      .filter((token) => isSamePlace(token.place, place) && token.sender === null);
    const fittingTokens = placeTokens.filter(
      (token) => isSuitable(token) && (serverSet === null || token.allow === serverSet),
    );
    const savedTokens = fittingTokens.filter(({ kept }) => kept);
    for (const { name } of savedTokens) {
      const savedToken = readSavedToken(directories, place, name);
      if (savedToken !== null && isValid(savedToken.token, name))
        return `The token is in ${savedToken.path}.`;
      // A token whose file cannot be read is replaced.
      tokens.remove(place, name, thisUser());
    }
    const usableTokens = fittingTokens.filter(({ kept }) => !kept);
    if (usableTokens.length > 0) {
      const lesserTokens = placeTokens.filter((token) => !usableTokens.includes(token) && !token.kept);
      const lesserText =
        lesserTokens.length === 0
          ? ''
          : `, and for less by ${formatNames(lesserTokens)} (sonde token ls says what for)`;
      return `It is opened by the tokens ${formatNames(usableTokens)}${lesserText}.`;
    }
    const allow = place.kind === 'alerts' ? null : (serverSet ?? 'external');
    const placeAndAlertTokens = tokens.list().filter((token) => isSamePlace(token.place, place));
    const otherTokens = placeAndAlertTokens
      .filter((token) => !savedTokens.some(({ name }) => name === token.name))
      .map(({ name }) => name);
    const name = findFreeName(new Set(otherTokens), author ? 'author' : (allow ?? 'alerts'));
    const token = tokens.add({ name, place, allow, author, kept: true }, thisUser());
    return `The token is in ${saveToken(directories, place, name, token)}.`;
  }

  /** A token that one server made for the author is not offered to programs by another server. */
  function isSuitable(token: Token): boolean {
    return author ? canTalk(token) : !(token.kept && token.author);
  }

  function isValid(bearerToken: string, name: string): boolean {
    const entry = tokens.check(bearerToken, place);
    return entry.kind === 'holder' && entry.token.name === name;
  }
}

const formatNames = (tokens: readonly Token[]): string => tokens.map(({ name }) => name).join(', ');

/** A workspace may be served with one set and later with another: the token of the first must not get more rights. */
function findFreeName(takenNames: ReadonlySet<string>, kind: string): string {
  if (!takenNames.has('default')) return 'default';
  for (let suffix = 1; ; suffix += 1) {
    const name = suffix === 1 ? `default-${kind}` : `default-${kind}-${suffix}`;
    if (!takenNames.has(name)) return name;
  }
}
