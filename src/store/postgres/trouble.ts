/** Translates errors of the server or the connection. */
import { messageOf, SondeError } from '../../core/index.ts';

/** Raised by functions of the schema. */
export const raised = {
  leaseLost: 'SD001',
  keptBefore: 'SD002',
  tooOld: 'SD003',
  decidedMeanwhile: 'SD004',
  notOver: 'SD005',
} as const;

export const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | null)?.code ?? '');

/** Errors that may not come again: of connections, shutdowns, locks, limits, and rollbacks by the server. */
const passingCodes = /^(08|40|57P|55P03|25P0[23]|53300|57014)/;
const passingWords =
  /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|timeout|terminated|Connection|not queryable/i;

/** Whether the same statement may succeed if it is sent again. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) return passingCodes.test(code);
  return passingWords.test(`${code} ${messageOf(thrown)}`);
}

const serverAway = (path: string, cause: unknown): SondeError =>
  new SondeError('store_away', {
    message: `The store at ${path} does not answer: ${firstLine(cause)}`,
    remedy: 'See that the server runs and can be reached from here (SONDE_STORE_URL), and try again.',
    cause,
  });

export const storeTooNew = (path: string): SondeError =>
  new SondeError('store_version', {
    message: `The store at ${path} was upgraded by a newer Sonde`,
    remedy: 'Use that version, or a newer one.',
  });

/** The error for callers; errors of Sonde are not changed. */
export function toStoreError(path: string, thrown: unknown): unknown {
  if (thrown instanceof SondeError) return thrown;
  const code = codeOf(thrown);
  if (isPassing(thrown)) return serverAway(path, thrown);
  if (code === raised.tooOld) return storeTooNew(path);
  if (Object.values<string>(raised).includes(code)) return thrown;
  return new SondeError('store_unusable', {
    message: `The store at ${path} refused: ${firstLine(thrown)}`,
    remedy: /^(28|3D|42501)/.test(code)
      ? 'See that SONDE_STORE_URL names a database and a user that may use it.'
      : 'See what the server says, and try again.',
    cause: thrown,
  });
}

function firstLine(thrown: unknown): string {
  const told = messageOf(thrown) || codeOf(thrown);
  return told.split('\n')[0]!;
}
