/** Secrets in columns: a CSV file, a Markdown table, the output of a database. The column header names them. */
import { isNameOrPlaceholder, isPlaceholder, looksRandom } from './randomness.ts';
import type { SecretRule, SecretSpan } from './rule.ts';

const maxLine = 4_000;
const maxRows = 100_000;

/** A header cell: a few words, no code. */
const headerCell = /^["']?[\p{L}_][\p{L}\d_ .-]{0,38}["']?$/u;
const passwordHeader =
  /^(?:[\p{L}_]+[ .-])*(?:[\p{L}_]+_)?(?:user|login|db|app|wifi|root|admin)?(?:passw(?:or[dt]|d)|passphrase|passcode|pwd|kennwort)$/iu;
const tokenHeader =
  /^(?:[\p{L}_]+[ .-])*(?:[\p{L}_]+_)?(?:client|access|api|auth|bearer|refresh|shared|webhook|signing)?(?:secret|token|api[ _-]?key|(?:secret|access|private|signing|auth)[ _-]?key)(?:[ _-]?value)?$/iu;

type SecretKind = 'password' | 'token';

interface Table {
  readonly separator: string;
  readonly column: number;
  readonly columns: number;
  readonly kind: SecretKind;
  /** Offset of the first row. */
  readonly rows: number;
}

const keywords = [
  'passw',
  'passphrase',
  'passcode',
  'pwd',
  'kennwort',
  'secret',
  'token',
  'apikey',
  'api_key',
  'api key',
  'api-key',
  'access_key',
  'access key',
  'private_key',
  'signing_key',
  'auth_key',
];

export const tableRules: readonly SecretRule[] = keywords.map((keyword) => ({
  kind: 'token',
  keywords: [keyword],
  find: (text, at) => findColumn(text, at, keyword.length),
}));

function findColumn(text: string, at: number, length: number): readonly SecretSpan[] | null {
  const table = findTable(text, at, length);
  if (table === null) return null;
  const found: SecretSpan[] = [];
  let from = table.rows;
  for (let row = 0; row < maxRows && from < text.length; row++) {
    const end = lineEnd(text, from);
    const line = text.slice(from, Math.min(end, from + maxLine)).replace(/\r$/, '');
    if (isSeparatorLine(line)) {
      from = end + 1;
      continue;
    }
    const cells = splitCells(line, table.separator);
    if (cells.length !== table.columns) break;
    const { start, text: value } = cells[table.column]!;
    if (isSecretCell(value, table))
      found.push({ start: from + start, end: from + start + value.length, kind: table.kind });
    from = end + 1;
  }
  return found.length === 0 ? null : found;
}

/** The table whose column header holds the word at `at`. */
function findTable(text: string, at: number, length: number): Table | null {
  // Decides most words quickly: a column header is followed by the end of its cell.
  const after = /^[\p{L}\d_ -]{0,12}["']?[ \t]{0,40}(?:[,;|\t]|\r?\n)/u.exec(
    text.slice(at + length, at + length + 60),
  );
  if (after === null) return null;
  const begin = lineBegin(text, at);
  const end = text.slice(at, at + maxLine).indexOf('\n') + at;
  if (begin === null || end < at) return null;
  const line = text.slice(begin, end).replace(/\r$/, '');
  for (const separator of ['|', '\t', ';', ',']) {
    if (!line.includes(separator)) continue;
    const cells = splitCells(line, separator);
    if (cells.length < 2 || !cells.every(({ text: cell }) => headerCell.test(cell) || cell === ''))
      return null;
    const column = cells.findIndex(
      ({ start, text: cell }) => begin + start <= at && at < begin + start + cell.length,
    );
    if (column < 0) return null;
    const name = cells[column]!.text.replace(/["']/g, '');
    const kind = passwordHeader.test(name) ? 'password' : tokenHeader.test(name) ? 'token' : null;
    if (kind === null || !beginsTable(text, begin, end, separator)) return null;
    return { separator, column, columns: cells.length, kind, rows: end + 1 };
  }
  return null;
}

/**
 * Whether a line is the header of a table. In a file of values it is the first line; within a text, a separator line
 * must follow.
 */
function beginsTable(text: string, begin: number, end: number, separator: string): boolean {
  if (separator === '|')
    return isSeparatorLine(text.slice(end + 1, Math.min(lineEnd(text, end + 1), end + maxLine)));
  const before = text.slice(Math.max(0, begin - 200), begin);
  return (
    before === '' || /(?:^|\n)[ \t]*(?:#[^\n]*|```[\w-]*)?\r?\n$/.test(before) || /^#[^\n]*\n$/.test(before)
  );
}

const isSeparatorLine = (line: string): boolean =>
  line.length >= 3 && /^[ \t]*[|+:-][|+: \t-]*$/.test(line) && line.includes('--');

/** The offset at which the line of a place begins; null if the line is too long for a table. */
function lineBegin(text: string, at: number): number | null {
  const near = Math.max(0, at - maxLine);
  const last = text.slice(near, at).lastIndexOf('\n');
  return last < 0 && near > 0 ? null : near + last + 1;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

interface Cell {
  readonly start: number;
  readonly text: string;
}

/** The cells of a line, each without its blanks and quotes. */
function splitCells(line: string, separator: string): readonly Cell[] {
  const cells: Cell[] = [];
  let from = 0;
  let open = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"' && separator !== '|') open = !open;
    if (at < line.length && (open || line[at] !== separator)) continue;
    const whole = line.slice(from, at);
    // A cell may hold characters that end a line elsewhere: a lone carriage return, or a Unicode separator.
    const bare = /^[ \t]*"?`?(.*?)`?"?[ \t]*$/s.exec(whole)![1]!;
    cells.push({ start: from + whole.indexOf(bare), text: bare });
    from = at + 1;
  }
  // Lines of tables that are drawn begin and end with a separator.
  return separator === '|' && line.trimStart().startsWith('|') ? cells.slice(1, -1) : cells;
}

/**
 * Whether the value of a cell is a secret. In a file of values every value counts; a table within a text may be
 * documentation about secrets.
 */
function isSecretCell(value: string, { kind, separator }: Table): boolean {
  if (value.length < 6 || value.length > 4_096 || value.startsWith('[secret') || isPlaceholder(value))
    return false;
  if (/\s/.test(value) || isNameOrPlaceholder(value) || /^[<$({[]|^\d+$|^\w+\(/.test(value)) return false;
  if (separator === '|' || kind === 'token')
    return looksRandom(value, kind === 'password', true) || isMixed(value);
  return /[^A-Za-z]/.test(value) || isMixed(value) || /^[a-z]{8,}$/.test(value);
}

/** Whether upper and lower case are mixed as in no word. */
const isMixed = (value: string): boolean =>
  /^[A-Za-z0-9]{8,}$/.test(value) && /[a-z][A-Z]/.test(value) && /[A-Z]{2}|[A-Z][a-z][A-Z]/.test(value);
