/**
 * Converts errors of the server and of connections into those of the store. No message contains the address or the user
 * of the store, since members of teams and programs also read them.
 */
import { messageOf, SondeError } from '../../core/index.ts';

/** Error codes that functions of the schema raise. */
export const raisedCodes = {
  leaseLost: 'SD001',
  keptBefore: 'SD002',
  tooOld: 'SD003',
  decidedMeanwhile: 'SD004',
  notOver: 'SD005',
} as const;

export const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | null)?.code ?? '');

/**
 * SQLSTATE codes of errors that a retry may avoid: of connections, shutdowns, locks, limits, and rollbacks by the
 * server.
 */
const passingCodes = /^(08|40|57P|55P03|25P0[23]|53300|57014)/;
const passingWords =
  /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|timeout|terminated|Connection|not queryable/i;

/** Whether the same statement may succeed if it is sent again. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return passingCodes.test(code);
  return passingWords.test(`${code} ${messageOf(thrown)}`);
}

const serverAwayError = (url: string, cause: unknown): SondeError =>
  new SondeError('store_away', {
    message: `The store does not answer: ${removeAddress(url, firstLine(cause))}`,
    remedy: 'See that the server runs and can be reached from here (SONDE_STORE_URL), and try again.',
    cause,
  });

export const storeTooNewError = (): SondeError =>
  new SondeError('store_version', {
    message: 'The store was upgraded by a newer Sonde',
    remedy: 'Use that version, or a newer one.',
  });

export const storeTooOldError = (version: number, needed: number): SondeError =>
  new SondeError('store_version', {
    message: `The store is at version ${version}, and this Sonde needs ${needed}`,
    remedy: 'Bring it up to date: sonde store upgrade.',
  });

/** The error for callers; errors of Sonde are not changed. */
export function toStoreError(url: string, thrown: unknown): unknown {
  if (thrown instanceof SondeError) return thrown;
  const code = codeOf(thrown);
  if (isPassing(thrown)) return serverAwayError(url, thrown);
  if (code === raisedCodes.tooOld) return storeTooNewError();
  if (Object.values<string>(raisedCodes).includes(code)) return thrown;
  return new SondeError('store_unusable', {
    message: `The store refused: ${removeAddress(url, firstLine(thrown))}`,
    remedy: /^(28|3D|42501)/.test(code)
      ? 'See that SONDE_STORE_URL names a database and a user that may use it.'
      : 'See what the server says, and try again.',
    cause: thrown,
  });
}

function firstLine(thrown: unknown): string {
  const text = messageOf(thrown) || codeOf(thrown);
  return text.split('\n')[0]!;
}

const ipv4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g;
/** Needs `::` or at least five parts, since a time of day has three. */
const ipv6 = /\[?(?:[\da-f:]*::[\da-f:.]*|(?:[\da-f]+:){4,}[\da-f.]+)\]?(?::\d+)?/gi;
/** Names in quotes after these words, as servers write them. */
const quotedNames = /\b(user|role|database|host|address)( name)? "[^"]*"/g;

function removeAddress(url: string, text: string): string {
  const { hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  let masked = text.replace(quotedNames, '$1').replace(ipv4, 'its address').replace(ipv6, 'its address');
  for (const secret of [`${host}:${port}`, host, ...[username, password].map(decodeURIComponent)]) {
    const escaped = RegExp.escape(secret);
    if (secret !== '') masked = masked.replaceAll(new RegExp(`(?<![\\w.-])${escaped}(?![\\w.-])`, 'g'), '…');
  }
  return masked;
}
