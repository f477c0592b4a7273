/**
 * The file of an evaluation (JSON lines): a header that says what is measured, then a line for each question. When an
 * evaluation is resumed, questions that have a line are skipped.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { SondeError } from '../../core/index.ts';
import type { ObservedResult, Score } from './score.ts';

export interface Header {
  readonly kind: 'evaluation';
  readonly version: 1;
  /**
   * The Sonde that was asked. `program`: the SHA-256 of its files, since the working tree may differ from the commit.
   */
  readonly sonde: {
    readonly version: string;
    readonly commit: string | null;
    readonly program: string;
    /** How it was asked: in this process, or by a command for each question. Times then include its start. */
    readonly asked: 'here' | 'by_command';
  };
  readonly set: { readonly name: string; readonly hash: string; readonly rows: number };
  /** The models that were measured. */
  readonly models: readonly string[];
  /** Whether the models had only grep and file reading, instead of all of Sonde. */
  readonly baseline: boolean;
  /** Settings by their names in docs/configuration.md, without secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly started: string;
}

export interface RowRecord extends Omit<ObservedResult, 'answer' | 'cited' | 'evidence'>, Score {
  readonly kind: 'row';
  readonly id: string;
  readonly model: string;
  readonly shape: string;
  readonly cited: readonly string[];
}

export interface QuestionStarted {
  readonly kind: 'begun';
  readonly id: string;
  readonly model: string;
  readonly run: string;
}

/**
 * A question that the budget of the whole evaluation ended early. It is not judged; with a larger budget it is asked
 * again.
 */
export interface CutShort {
  readonly kind: 'cut_short';
  readonly id: string;
  readonly model: string;
  readonly run: string | null;
  readonly usd: number;
  readonly tokens: number;
}

export interface EvalRecord {
  readonly header: Header;
  readonly rows: readonly RowRecord[];
  /** Questions that were started and have no result, since the process was killed. */
  readonly begun: readonly QuestionStarted[];
  readonly cutShort: readonly CutShort[];
}

export interface RecordFile {
  readonly recorded: EvalRecord;
  append(line: RowRecord | QuestionStarted | CutShort | { readonly kind: 'summary' }): void;
  close(): void;
}

export const rowKey = ({ id, model }: { readonly id: string; readonly model: string }): string =>
  JSON.stringify([model, id]);

/** Throws `not_found` for a missing file, and `bad_argument` if it is not the file of an evaluation. */
export function readRecord(path: string): EvalRecord {
  if (!existsSync(path))
    throw new SondeError('not_found', {
      message: `${path}: there is no such file`,
      remedy: 'Name a file that sonde eval run has written.',
    });
  return parseRecord(readFileSync(path), path).recorded;
}

/** Creates a file, or continues one with `resume`. Throws `bad_argument` for an existing file, or another evaluation's. */
export function openRecordFile(path: string, header: Header, resume: boolean): RecordFile {
  const exists = existsSync(path);
  if (exists && !resume)
    throw new SondeError('bad_argument', {
      message: `${path} exists already`,
      remedy: 'Name another file with --out, or continue this one with --resume.',
    });
  const headerLine = `${JSON.stringify(header)}\n`;
  const existing = exists ? readFileSync(path) : Buffer.alloc(0);
  const isNew = !existing.includes(0x0a);
  const { recorded, completeBytes } = isNew
    ? { recorded: { header, rows: [], begun: [], cutShort: [] }, completeBytes: 0 }
    : parseRecord(existing, path);
  const difference = findDifference(recorded.header, header);
  if (difference !== null)
    throw new SondeError('bad_argument', {
      message: `${path} is of another evaluation: ${difference}`,
      remedy: 'Resume it with the same set, models and settings, or choose another file for --out.',
    });
  const file = openSync(path, 'a', 0o600);
  // Drops a last line that was only partly written.
  ftruncateSync(file, completeBytes);
  const appendSynced = (text: string): void => {
    appendFileSync(file, text);
    fsyncSync(file);
  };
  if (isNew) appendSynced(headerLine);
  return {
    recorded,
    append: (line) => appendSynced(`${JSON.stringify(line)}\n`),
    close: () => closeSync(file),
  };
}

function findDifference(stored: Header, current: Header): string | null {
  const differences: Readonly<Record<string, readonly [unknown, unknown]>> = {
    'another set': [stored.set.hash, current.set.hash],
    'another Sonde': [stored.sonde.program, current.sonde.program],
    'other models': [stored.models, current.models],
    '--baseline differs': [stored.baseline, current.baseline],
    'other settings': [stored.settings, current.settings],
  };
  const difference = Object.entries(differences).find(
    ([, [a, b]]) => !isDeepStrictEqual(a, JSON.parse(JSON.stringify(b))),
  );
  return difference?.[0] ?? null;
}

/** `completeBytes`: the number of bytes up to the end of the last complete line. */
function parseRecord(
  bytes: Buffer,
  path: string,
): { readonly recorded: EvalRecord; readonly completeBytes: number } {
  const completeBytes = bytes.lastIndexOf(0x0a) + 1;
  const rows = new Map<string, RowRecord>();
  const begun = new Map<string, QuestionStarted>();
  const cutShort: CutShort[] = [];
  let header: Header | null = null;
  for (const [index, text] of bytes.toString('utf8', 0, completeBytes).split('\n').entries()) {
    if (text === '') continue;
    const line = parseLine(text);
    if (line?.kind === 'evaluation' && line.version === 1 && index === 0) header = line;
    else if (line?.kind === 'row') rows.set(rowKey(line), line);
    else if (line?.kind === 'begun') begun.set(rowKey(line), line);
    else if (line?.kind === 'cut_short') {
      cutShort.push(line);
      begun.delete(rowKey(line));
    } else if (line?.kind !== 'summary')
      throw new SondeError('bad_argument', {
        message: `${path}: line ${index + 1} is not a record of an evaluation`,
        remedy: 'Name a file that sonde eval run has written.',
      });
  }
  if (header === null)
    throw new SondeError('bad_argument', {
      message: `${path} is not the file of an evaluation: it has no header`,
      remedy: 'Name a file that sonde eval run has written.',
    });
  return {
    recorded: {
      header,
      rows: [...rows.values()],
      begun: [...begun.values()].filter((begun) => !rows.has(rowKey(begun))),
      cutShort,
    },
    completeBytes,
  };
}

function parseLine(
  text: string,
): Header | RowRecord | QuestionStarted | CutShort | { readonly kind: 'summary' } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
