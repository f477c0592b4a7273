/**
 * The file of an evaluation: the first line says what is measured, then there is a line for each question. Where an
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
    /** How: in this process, or by a command for each question, whose start-up is part of the time. */
    readonly asked: 'here' | 'by_command';
  };
  readonly set: { readonly name: string; readonly hash: string; readonly rows: number };
  /** The models that were measured. */
  readonly models: readonly string[];
  /** Whether they had only grep and reading, instead of all of Sonde. */
  readonly baseline: boolean;
  /** Under the keys of docs/configuration.md, without secrets. */
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

export const keyOf = ({ id, model }: { readonly id: string; readonly model: string }): string =>
  JSON.stringify([model, id]);

/** Throws `not_found` and `bad_argument`. */
export function readRecord(path: string): EvalRecord {
  if (!existsSync(path))
    throw new SondeError('not_found', {
      message: `${path}: there is no such file`,
      remedy: 'Name a file that sonde eval run has written.',
    });
  return parseRecord(readFileSync(path), path).recorded;
}

/** Begins a file, or continues one. Throws `bad_argument` if it exists already, or belongs to another evaluation. */
export function openRecord(path: string, header: Header, resume: boolean): RecordFile {
  const isThere = existsSync(path);
  if (isThere && !resume)
    throw new SondeError('bad_argument', {
      message: `${path} exists already`,
      remedy: 'Name another file with --out, or continue this one with --resume.',
    });
  const begin = `${JSON.stringify(header)}\n`;
  const before = isThere ? readFileSync(path) : Buffer.alloc(0);
  const isNew = !before.includes(0x0a);
  const { recorded, completeBytes } = isNew
    ? { recorded: { header, rows: [], begun: [], cutShort: [] }, completeBytes: 0 }
    : parseRecord(before, path);
  const other = differenceOf(recorded.header, header);
  if (other !== null)
    throw new SondeError('bad_argument', {
      message: `${path} is of another evaluation: ${other}`,
      remedy: 'Resume it with the same set, models and settings, or choose another file for --out.',
    });
  const file = openSync(path, 'a', 0o600);
  // Drops a last line that was only partly written.
  ftruncateSync(file, completeBytes);
  const write = (text: string): void => {
    appendFileSync(file, text);
    fsyncSync(file);
  };
  if (isNew) write(begin);
  return {
    recorded,
    append: (line) => write(`${JSON.stringify(line)}\n`),
    close: () => closeSync(file),
  };
}

function differenceOf(was: Header, is: Header): string | null {
  const differences: Readonly<Record<string, readonly [unknown, unknown]>> = {
    'another set': [was.set.hash, is.set.hash],
    'another Sonde': [was.sonde.program, is.sonde.program],
    'other models': [was.models, is.models],
    '--baseline differs': [was.baseline, is.baseline],
    'other settings': [was.settings, is.settings],
  };
  const found = Object.entries(differences).find(
    ([, [a, b]]) => !isDeepStrictEqual(a, JSON.parse(JSON.stringify(b))),
  );
  return found?.[0] ?? null;
}

/** `completeBytes`: the bytes up to the end of the last complete line. */
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
    const line = lineOf(text);
    if (line?.kind === 'evaluation' && line.version === 1 && index === 0) header = line;
    else if (line?.kind === 'row') rows.set(keyOf(line), line);
    else if (line?.kind === 'begun') begun.set(keyOf(line), line);
    else if (line?.kind === 'cut_short') {
      cutShort.push(line);
      begun.delete(keyOf(line));
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
      begun: [...begun.values()].filter((begun) => !rows.has(keyOf(begun))),
      cutShort,
    },
    completeBytes: completeBytes,
  };
}

function lineOf(
  text: string,
): Header | RowRecord | QuestionStarted | CutShort | { readonly kind: 'summary' } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
