/** Reads the judged parts of a run from its JSON, which may be of another revision. */
import type { FileSpan } from '../../core/index.ts';
import type { ObservedResult } from './score.ts';

export interface PrintedResult {
  /** As `--json` gives it. */
  readonly result: unknown;
  /** As `show RUN --evidence` and `--trace` give it. */
  readonly evidence: unknown;
  readonly trace: unknown;
  readonly ms: number;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

export function readObserved({ result: printed, evidence, trace, ms }: PrintedResult): ObservedResult {
  const result = fieldsOf(printed);
  const fields = fieldsOf(result['spent']);
  const blamed = fieldsOf(result['blamed']);
  return {
    run: textOf(result['run_id']),
    // In investigations of older versions `status` was the kind of end, and `verification` the status of the answer.
    status: textOf(result['verification']) ?? textOf(result['status']) ?? textOf(result['verdict']),
    stop_reason: textOf(result['stop_reason']),
    answer: result['answer'] ?? result['root_cause'] ?? null,
    cited: listOf(result['citations']).filter(isConfirmed).flatMap(spanOf),
    evidence: listOf(evidence).flatMap(spanOf),
    verdicts: [result['verdict'], result['root_cause_category'], blamed['id']].flatMap(
      (value) => textOf(value) ?? [],
    ),
    claims: claimsIn(result),
    steps: numberOf(fields['steps']),
    tokens: numberOf(fields['tokens']),
    cached_tokens: countCached(trace),
    usd: numberOf(fields['usd']),
    ms,
  };
}

const isConfirmed = ({ status }: Fields): boolean => status === undefined || status === 'valid';

function spanOf(item: Fields): readonly FileSpan[] {
  const path = textOf(item['path']) ?? textOf(item['file_path']);
  const start = numberOf(item['start_line'] ?? item['start']);
  const end = numberOf(item['end_line'] ?? item['end']);
  return path === null || start < 1 || end < start ? [] : [{ path, start, end }];
}

/** The number of claims by verdict: from `claim_counts`, or counted if all claims are in the result. */
function claimsIn(result: Fields): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verdict } of listOf(result['claims']))
    if (typeof verdict === 'string') counts[verdict] = (counts[verdict] ?? 0) + 1;
  const given = Object.entries(fieldsOf(result['claim_counts'])).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return given.length > 0 ? Object.fromEntries(given) : counts;
}

function countCached(trace: unknown): number {
  let tokens = 0;
  for (const { calls } of listOf(fieldsOf(trace)['steps']))
    for (const { cached } of listOf(calls)) tokens += numberOf(cached);
  return tokens;
}
