/**
 * Turns recorded observations into documents of numbered lines (`signals/QUESTION/N`), so that they can be cited,
 * re-read and checked like files. Each change is one piece of evidence; any other observation is one as a whole.
 */
import { formatShortNumber, listRows } from '../../../core/incidents.ts';
import {
  type Change,
  type Completeness,
  createEvidence,
  type Evidence,
  type FileText,
  type IncidentWindow,
  maskDeep,
  maskSecrets,
  type Observation,
  plainLine,
  sha256,
  type TextReader,
  type Unreadable,
} from '../../../core/index.ts';
import type { ObservedRows } from '../brief/facts.ts';
import { findMovement } from '../brief/movement.ts';
import { maskNumbers } from '../brief/symptoms.ts';

export interface RecordedDocument {
  readonly path: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly query: string;
  readonly source: string;
  readonly window: IncidentWindow;
  readonly at: number;
  readonly truncated: Observation['truncated'];
  readonly completeness: Completeness;
  readonly rows: Observation['rows'];
  readonly lines: readonly string[];
  /** The hash of the text, to recognise repetitions. */
  readonly hash: string;
  /** Ids, in the order of the document. */
  readonly evidence: readonly string[];
  /** For changes, the evidence id of each row; otherwise empty. */
  readonly rowEvidence: readonly string[];
  readonly empty: boolean;
}

export interface Document {
  readonly recorded: RecordedDocument;
  readonly evidence: readonly Evidence[];
}

/** Maximum lines and characters of one piece of evidence. */
const maxLines = 220;
const maxLineLength = 700;
const maxDiffLength = 160;

/** Computes lines from all rows of an answer, whose text may show only some. */
export type Compute = (rows: Observation['rows'], window: IncidentWindow) => readonly string[];

const formatTime = (at: number): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

export function createDocument(
  path: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  observed: Observation,
  compute?: Compute,
): Document {
  // Signals mask what they read; rows of other origin are masked here, before they are recorded.
  const rows = maskDeep(observed.rows);
  const { window, truncated } = observed;
  const head = [
    `query: ${toLine(observed.query)}`,
    `source: ${toLine(observed.source)}`,
    `window: ${formatTime(window.from)} to ${formatTime(window.to)}, compared with ${formatTime(window.baseline_from)} on`,
    `asked: ${formatTime(observed.at)}; ${truncated === null ? 'all is shown' : `shown are ${truncated.shown} of ${truncated.total ?? 'an unknown number'}`}; ${observed.completeness}`,
    ...observed.notes.map((note) => `note: ${toLine(note)}`),
  ];
  const reason = toLine(`${tool} asked ${observed.query} of ${observed.source}`).slice(0, 300);
  const documentText =
    rows.kind === 'changes'
      ? createChangesDocument(path, head, rows.changes, reason)
      : createTextDocument(path, head, observed, rows, reason, compute);
  return {
    evidence: documentText.evidence,
    recorded: {
      path,
      tool,
      arguments: args,
      query: maskSecrets(observed.query),
      source: observed.source,
      window,
      at: observed.at,
      truncated,
      completeness: observed.completeness,
      rows,
      lines: documentText.lines,
      hash: sha256(documentText.lines.slice(head.length).join('\n')),
      evidence: documentText.evidence.map(({ id }) => id),
      rowEvidence: documentText.rowEvidence,
      empty: listRows(rows).length === 0,
    },
  };
}

interface DocumentText {
  readonly lines: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly rowEvidence: readonly string[];
}

function createTextDocument(
  path: string,
  head: readonly string[],
  observed: Observation,
  rows: RecordedDocument['rows'],
  reason: string,
  compute?: Compute,
): DocumentText {
  const text = maskSecrets(observed.text).split('\n').map(toLine);
  const body = rows.kind === 'lines' ? limitRepeats(text) : text;
  // Computed lines come first, since the end of a long answer is cut off.
  const lines = (
    compute === undefined
      ? [...head, ...body, ...listComputed(rows)]
      : [...head, ...compute(rows, observed.window).map(toLine), ...body]
  ).slice(0, maxLines);
  const whole = createEvidence({
    file_path: path,
    start_line: 1,
    end_line: lines.length,
    content: lines.join('\n'),
    reason,
    provenance: 'manual',
  });
  return { lines, evidence: [whole], rowEvidence: [] };
}

/** How many lines of the same pattern are shown; the others are counted at the last shown one. */
const maxRepeats = 4;

function limitRepeats(lines: readonly string[]): readonly string[] {
  // The text without its time, so that equal messages match whenever they were written.
  const shapes = lines.map((line) => maskNumbers(line.replace(/^\S+ /, '')));
  const all = Map.groupBy(shapes, (shape) => shape);
  const seen = new Map<string, number>();
  return lines.flatMap((line, n) => {
    const shape = shapes[n]!;
    const nth = (seen.get(shape) ?? 0) + 1;
    const count = all.get(shape)?.length ?? 0;
    seen.set(shape, nth);
    if (nth <= maxRepeats) return [line];
    return nth === count ? [`[${count - maxRepeats} more of this shape, the last:]`, line] : [];
  });
}

/** Number of heading lines of a document, for people who read it outside of the run. */
const headLines = 4;
/** The program computed all lines below this one. */
export const computedHead = 'computed from all points:';

/** A piece of evidence without the head of its document, which is shown with the question. */
export function dropHead({ content, start_line }: Evidence, { rows }: RecordedDocument): readonly string[] {
  const lines = content.split('\n');
  return rows.kind === 'changes' && start_line > 1 ? lines : lines.slice(headLines);
}

/** Notes of the system on its answer. */
export function listNotes({ lines }: RecordedDocument): readonly string[] {
  const rest = lines.slice(headLines);
  const end = rest.findIndex((line) => !line.startsWith('note: '));
  return rest.slice(0, end < 0 ? rest.length : end);
}

/** The lines that the program computed from all points, since the text shows only some of them. */
function listComputed(rows: RecordedDocument['rows']): readonly string[] {
  if (rows.kind !== 'series') return [];
  const moved = rows.series
    .flatMap((series) => findMovement({ ...series, evidence: '' }) ?? [])
    .sort((a, b) => a.onset - b.onset)
    .slice(0, 40)
    .map(
      ({ service, metric, direction, onset, before, after, shape }) =>
        `${service === null ? '' : `${service} `}${metric}: ${direction} since ${formatTime(onset)} (${shape}), from ${formatShortNumber(before)} to ${formatShortNumber(after)}`,
    );
  return moved.length === 0 ? [] : [computedHead, ...moved];
}

function createChangesDocument(
  path: string,
  head: readonly string[],
  changes: readonly Change[],
  reason: string,
): DocumentText {
  const lines = [...head];
  const pieces: Evidence[] = [];
  const rowEvidence: string[] = [];
  for (const change of changes) {
    const block = formatChange(change);
    const start = lines.length + 1;
    lines.push(...block);
    const piece = createEvidence({
      file_path: path,
      start_line: start,
      end_line: lines.length,
      content: block.join('\n'),
      reason,
      provenance: 'manual',
      symbol_id: change.id,
      symbol_kind: change.kind,
    });
    pieces.push(piece);
    rowEvidence.push(piece.id);
  }
  if (changes.length === 0) {
    lines.push('nothing was changed');
    pieces.push(
      createEvidence({
        file_path: path,
        start_line: 1,
        end_line: lines.length,
        content: lines.join('\n'),
        reason,
        provenance: 'manual',
      }),
    );
  }
  return { lines, evidence: pieces, rowEvidence };
}

function formatChange(change: Change): readonly string[] {
  const { kind, id, at, service, author, title, commits, paths, diff } = change;
  const brought = commits.filter((commit) => commit !== id);
  const changed =
    diff === null ? (kind === 'commit' ? ['diff: it was not given'] : []) : maskSecrets(diff).split('\n');
  return [
    `${kind} ${id} at ${formatTime(at)}${service === null ? '' : ` of ${service}`}${author === null ? '' : ` by ${author}`}: ${title}`,
    ...(brought.length === 0 ? [] : [`commits: ${brought.join(' ')}`]),
    ...(paths.length === 0 ? [] : [`paths: ${paths.join(' ')}`]),
    ...changed.slice(0, maxDiffLength),
    ...(changed.length > maxDiffLength ? [`[${changed.length - maxDiffLength} more lines of the diff]`] : []),
  ].map(toLine);
}

/** Makes one line of limited length. */
function toLine(text: string): string {
  const flat = maskSecrets(text).replace(/[\r\n\u2028\u2029]+/g, ' ');
  return flat.length > maxLineLength ? `${flat.slice(0, maxLineLength)}…` : flat;
}

/** The rows for the rules, each with the id of its evidence. */
export function toObserved({ rows, lines, evidence: ids, rowEvidence }: RecordedDocument): ObservedRows {
  return { rows, text: lines.join('\n'), evidenceOf: (row) => rowEvidence[row] ?? ids[0] ?? '' };
}

/** The documents of a run, read as the gate reads files. */
export function readRecorded(recorded: readonly RecordedDocument[]): TextReader {
  const files = new Map<string, FileText>(recorded.map(({ path, lines }) => [path, { kind: 'text', lines }]));
  return {
    async readText(path): Promise<FileText | Unreadable> {
      return (
        files.get(path) ?? {
          kind: 'unreadable',
          reason: 'missing',
          message: `${plainLine(path)} was not recorded in this run`,
        }
      );
    },
  };
}
