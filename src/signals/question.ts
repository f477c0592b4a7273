/**
 * What all questions of all systems have in common: arguments are checked, the deadline holds, whatever is
 * thrown becomes a value, rows outside the window are dropped, caps are kept and reported, secrets are
 * masked. A system itself only says how to read.
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

/** What a question gets besides its arguments. */
export interface QuestionContext {
  readonly window: IncidentWindow;
  readonly limits: SignalLimits;
  /** Ends at the deadline, and when the caller gives up. */
  readonly signal: AbortSignal;
}

/** What a system read. The frame clips, caps, masks and renders it. */
export interface Reading {
  readonly kind: 'reading';
  /** As the system was asked, with the times in it. */
  readonly query: string;
  readonly rows: SignalRows;
  /** The full number, where the system held some back; null if it does not say. */
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
   * `baseline`: the time before the window is shown too. `past`: everything before the window's end. `now`: a state
   * without times.
   */
  readonly reach: 'window' | 'baseline' | 'past' | 'now';
  read(args: Arguments, asking: QuestionContext): Promise<Reading | SignalFailure>;
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
          shortLine((request.mask ?? plainMask).system(reading.message), maxMessage),
        );
      return observe(place, fields.reach, reading, request, at);
    },
  });
}

/** Characters of an error: as it is read, so that no secret in it is cut in two, and as it is shown. */
const maxSaid = 4_000;
const maxMessage = 400;

/** The message is masked by whoever asked: a question, or the health check. */
export function failure(reason: SignalFailure['reason'], message: string): SignalFailure {
  return Object.freeze({ kind: 'failure', reason, message: shortLine(message, maxSaid) });
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
  const inside: SignalRows =
    clipped.kind === 'series' ? { kind: 'series', series: orderSeries(clipped.series) } : clipped;
  const capped = capRows(inside, limits.rows);
  const rows = mask.systemValue(withWholeSecrets(capped.rows, mask));
  const { text, shown } = rowsText(rows, limits.bytes);
  const held = countRows(inside);
  const total =
    reading.total === undefined ? held : reading.total === null ? null : Math.max(held, reading.total);
  const cut = capped.cut || shown < countRows(rows) || total === null || total > held;
  return Object.freeze({
    kind: 'observation',
    query: mask.system(reading.query),
    source: place.source,
    window,
    at,
    text,
    rows,
    truncated: cut ? Object.freeze({ shown, total }) : null,
    completeness: cut ? 'partial' : (reading.completeness ?? 'complete'),
    notes: Object.freeze([...(reading.notes ?? []), ...capped.notes].map((note) => mask.system(note))),
  });
}

/**
 * A gap in a pattern can lie within a secret, whose rest is then not recognised. What stands in all lines of a
 * pattern stands in its example, too: where text beside a gap belongs to something that is masked in the example, the
 * masked example is shown in place of the pattern.
 */
function withWholeSecrets(rows: SignalRows, mask: SystemMask): SignalRows {
  if (rows.kind !== 'patterns') return rows;
  const patterns = rows.patterns.map((logPattern) => {
    const example = mask.system(logPattern.example);
    if (example === logPattern.example) return logPattern;
    const left = logPattern.template
      .split(/\s+/)
      .filter((word) => gap.test(word))
      .flatMap((word) => word.split(gap))
      .filter((piece) => piece.length >= minPiece);
    return left.some((piece) => logPattern.example.includes(piece) && !example.includes(piece))
      ? { ...logPattern, template: example.split('\n', 1)[0]! }
      : logPattern;
  });
  return { ...rows, patterns };
}

const gap = /<[\w*]{1,12}>/;
/** A shorter text proves nothing. Characters. */
const minPiece = 4;

/** Runs what may hang, throw or ignore its signal; always ends in time with a value. */
async function withDeadline<Value>(
  place: SystemSource,
  name: string,
  request: SignalRequest,
  run: (signal: AbortSignal) => Promise<Value | SignalFailure>,
): Promise<Value | SignalFailure> {
  const { signal: outer, limits } = request;
  const cancelledFailure = (): SignalFailure =>
    failure('cancelled', `${name} at ${place.source} was cancelled.`);
  if (outer?.aborted) return cancelledFailure();
  const inner = new AbortController();
  const ended = Promise.withResolvers<SignalFailure>();
  const stop = (value: SignalFailure) => {
    ended.resolve(value);
    inner.abort();
  };
  const onAbort = () => stop(cancelledFailure());
  const timer = setTimeout(
    () => stop(failure('timeout', `${name} at ${place.source} took longer than ${limits.timeoutMs} ms.`)),
    limits.timeoutMs,
  );
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    const work = run(inner.signal).catch((thrown: unknown) =>
      failure('bad_reply', `${name} at ${place.source}: ${messageOf(thrown)}`),
    );
    return await Promise.race([ended.promise, work]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  }
}
