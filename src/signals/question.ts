/**
 * Does what all questions of all systems have in common: checks arguments, enforces the deadline, turns thrown errors into
 * values, drops rows outside the window, caps rows and reports it, masks secrets. A system only implements `read`.
 */
import type { z } from 'zod';
import {
  type Clock,
  type Completeness,
  type IncidentWindow,
  messageOf,
  type Observation,
  plainMask,
  type SignalFailure,
  type SignalLimits,
  type SignalQuestion,
  type SignalRequest,
  type SignalRows,
  type SignalTopic,
  type SystemMask,
  shortLine,
} from '../core/index.ts';
import { capRows, clipRows, countRows } from './rows.ts';
import { rowsText } from './rows-text.ts';
import { orderSeries } from './series-text.ts';

/** The system that a question belongs to. */
export interface SystemSource {
  readonly system: string;
  /** Without credentials. */
  readonly source: string;
  readonly clock: Clock;
}

/** What `read` gets besides its arguments. */
export interface ReadContext {
  readonly window: IncidentWindow;
  readonly limits: SignalLimits;
  /** Aborts at the deadline, or when the caller cancels. */
  readonly signal: AbortSignal;
}

/** What a system read, before it is clipped, capped, masked and rendered. */
export interface Reading {
  readonly kind: 'reading';
  /** The query as it was sent, including its times. */
  readonly query: string;
  readonly rows: SignalRows;
  /** The number of all rows if the system returned only some; null if it does not say. */
  readonly total?: number | null;
  readonly completeness?: Completeness;
  readonly notes?: readonly string[];
}

export interface QuestionFields<Arguments> {
  readonly name: string;
  readonly topic: SignalTopic;
  readonly description: string;
  readonly parameters: z.ZodType<Arguments>;
  readonly cost: string;
  /**
   * Which rows are shown. `window`: those in the window. `baseline`: also those of the baseline before it. `past`: all before
   * the end of the window. `now`: all; rows of a present state have no times.
   */
  readonly reach: 'window' | 'baseline' | 'past' | 'now';
  read(args: Arguments, context: ReadContext): Promise<Reading | SignalFailure>;
}

export function question<Arguments>(
  place: SystemSource,
  fields: QuestionFields<Arguments>,
): SignalQuestion<Arguments> {
  const { name, topic, description, parameters, cost } = fields;
  return Object.freeze({
    name,
    topic,
    description,
    parameters,
    cost,
    async ask(args: Arguments, request: SignalRequest): Promise<Observation | SignalFailure> {
      const checked = parameters.safeParse(args);
      if (!checked.success) {
        const issue = checked.error.issues[0];
        const where = issue === undefined || issue.path.length === 0 ? '' : ` in ${issue.path.join('.')}`;
        return failure('bad_query', `${name}: ${issue?.message ?? 'the arguments do not fit'}${where}.`);
      }
      const at = place.clock.now();
      const reading = await withDeadline(place, name, request, (signal) =>
        fields.read(checked.data, { window: request.window, limits: request.limits, signal }),
      );
      if (reading.kind === 'failure')
        return failure(
          reading.reason,
          shortLine((request.mask ?? plainMask).system(reading.message), maxShownMessage),
        );
      return observe(place, fields.reach, reading, request, at);
    },
  });
}

/** Characters of an error message: when it is read, long enough that no secret is cut in two, and when it is shown. */
const maxRawMessage = 4_000;
const maxShownMessage = 400;

/** The message is not masked yet: the question or the health check masks it. */
export function failure(reason: SignalFailure['reason'], message: string): SignalFailure {
  return Object.freeze({ kind: 'failure', reason, message: shortLine(message, maxRawMessage) });
}

function observe(
  place: SystemSource,
  reach: QuestionFields<unknown>['reach'],
  reading: Reading,
  { window, limits, mask = plainMask }: SignalRequest,
  at: number,
): Observation {
  const from =
    reach === 'past' ? Number.NEGATIVE_INFINITY : reach === 'window' ? window.from : window.baseline_from;
  const clipped = reach === 'now' ? reading.rows : clipRows(reading.rows, from, window.to);
  const rowsInReach: SignalRows =
    clipped.kind === 'series' ? { kind: 'series', series: orderSeries(clipped.series) } : clipped;
  const capped = capRows(rowsInReach, limits.rows);
  const rows = mask.systemValue(maskPatterns(capped.rows, mask));
  const { text, shown } = rowsText(rows, limits.bytes);
  const rowCount = countRows(rowsInReach);
  const total =
    reading.total === undefined
      ? rowCount
      : reading.total === null
        ? null
        : Math.max(rowCount, reading.total);
  const isCut = capped.isCut || shown < countRows(rows) || total === null || total > rowCount;
  return Object.freeze({
    kind: 'observation',
    query: mask.system(reading.query),
    source: place.source,
    window,
    at,
    text,
    rows,
    truncated: isCut ? Object.freeze({ shown, total }) : null,
    completeness: isCut ? 'partial' : (reading.completeness ?? 'complete'),
    notes: Object.freeze([...(reading.notes ?? []), ...capped.notes].map((note) => mask.system(note))),
  });
}

/**
 * A gap in a pattern can lie within a secret, whose rest is then not recognised. What stands in all lines of a
 * pattern stands in its example, too: where text beside a gap belongs to something that is masked in the example, the
 * masked example is shown in place of the pattern.
 */
function maskPatterns(rows: SignalRows, mask: SystemMask): SignalRows {
  if (rows.kind !== 'patterns') return rows;
  const patterns = rows.patterns.map((logPattern) => {
    const example = mask.system(logPattern.example);
    if (example === logPattern.example) return logPattern;
    const literalPieces = logPattern.template
      .split(/\s+/)
      .filter((word) => gapPattern.test(word))
      .flatMap((word) => word.split(gapPattern))
      .filter((piece) => piece.length >= minPieceLength);
    return literalPieces.some((piece) => logPattern.example.includes(piece) && !example.includes(piece))
      ? { ...logPattern, template: example.split('\n', 1)[0]! }
      : logPattern;
  });
  return { ...rows, patterns };
}

const gapPattern = /<[\w*]{1,12}>/;
/** Shorter pieces can match by chance. Characters. */
const minPieceLength = 4;

/** Always returns a value by the deadline, even if `run` hangs, throws or ignores its signal. */
async function withDeadline<Value>(
  place: SystemSource,
  name: string,
  request: SignalRequest,
  run: (signal: AbortSignal) => Promise<Value | SignalFailure>,
): Promise<Value | SignalFailure> {
  const { signal: outer, limits } = request;
  const toCancelled = (): SignalFailure => failure('cancelled', `${name} at ${place.source} was cancelled.`);
  if (outer?.aborted) return toCancelled();
  const inner = new AbortController();
  const deadlineOrCancel = Promise.withResolvers<SignalFailure>();
  const stop = (value: SignalFailure) => {
    deadlineOrCancel.resolve(value);
    inner.abort();
  };
  const onAbort = () => stop(toCancelled());
  const timer = setTimeout(
    () => stop(failure('timeout', `${name} at ${place.source} took longer than ${limits.timeoutMs} ms.`)),
    limits.timeoutMs,
  );
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    const work = run(inner.signal).catch((thrown: unknown) =>
      failure('bad_reply', `${name} at ${place.source}: ${messageOf(thrown)}`),
    );
    return await Promise.race([deadlineOrCancel.promise, work]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }
}
