/** Reads the judged parts of a run from its JSON, which may be of another revision. */
import type { FileSpan } from '../../core/index.ts';
import type { ObservedResult } from './score.ts';

export interface PrintedResult {
  /** The output of the command with `--json`. */
  readonly result: unknown;
  /** The outputs of `sonde show RUN --evidence` and `--trace`. */
  readonly evidence: unknown;
  readonly trace: unknown;
  readonly ms: number;
}

type Fields = Readonly<Record<string, unknown>>;

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const toFieldsList = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(toFields) : []);
const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

export function readObserved({ result: printed, evidence, trace, ms }: PrintedResult): ObservedResult {
  const result = toFields(printed);
  const spent = toFields(result['spent']);
  const blamed = toFields(result['blamed']);
  return {
    run: toText(result['run_id']),
    // In investigations of older versions `status` was the kind of end, and `verification` the status of the answer.
    status: toText(result['verification']) ?? toText(result['status']) ?? toText(result['verdict']),
    stop_reason: toText(result['stop_reason']),
    answer: result['answer'] ?? result['root_cause'] ?? null,
    cited: toFieldsList(result['citations']).filter(isConfirmed).flatMap(readSpan),
    evidence: toFieldsList(evidence).flatMap(readSpan),
    verdicts: [result['verdict'], result['root_cause_category'], blamed['id']].flatMap(
      (value) => toText(value) ?? [],
    ),
    claims: countClaims(result),
    steps: toNumber(spent['steps']),
    tokens: toNumber(spent['tokens']),
    cached_tokens: countCached(trace),
    usd: toNumber(spent['usd']),
    ms,
  };
}

const isConfirmed = ({ status }: Fields): boolean => status === undefined || status === 'valid';

function readSpan(item: Fields): readonly FileSpan[] {
  const path = toText(item['path']) ?? toText(item['file_path']);
  const start = toNumber(item['start_line'] ?? item['start']);
  const end = toNumber(item['end_line'] ?? item['end']);
  return path === null || start < 1 || end < start ? [] : [{ path, start, end }];
}

/** Returns the number of claims by verdict: from `claim_counts`, or counted from `claims` if that field is missing. */
function countClaims(result: Fields): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict } of toFieldsList(result['claims']))
    if (typeof verdict === 'string') counts[verdict] = (counts[verdict] ?? 0) + 1;
  const givenCounts = Object.entries(toFields(result['claim_counts'])).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return givenCounts.length > 0 ? Object.fromEntries(givenCounts) : counts;
}

function countCached(trace: unknown): number {
  let tokens = 0;
  for (const { calls } of toFieldsList(toFields(trace)['steps']))
    for (const { cached } of toFieldsList(calls)) tokens += toNumber(cached);
  return tokens;
}
