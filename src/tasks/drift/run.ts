/**
 * The kind of run that finds changes over time: it asks each system about the time since a moment and about the same
 * hours before, and the program reports what changed. It calls no model.
 */

import { fitResult } from '../../core/answers.ts';
import {
  type Limits as Ceilings,
  type Evidence,
  type IncidentWindow,
  type RunResult,
  type Signal,
  SondeError,
  type StopReason,
  type SystemMask,
  systemClock,
} from '../../core/index.ts';
import { createCheckedAnswer, weighAnswer } from '../../gate/index.ts';
import { defineRun, type RunParams, type RunRequest } from '../define-run.ts';
import { askQuestion } from '../incident/gather/ask-question.ts';
import { listLeftOutSystems } from '../incident/gather/breaker.ts';
import { type RecordedDocument, readRecorded } from '../incident/gather/documents.ts';
import { listUsableSignals, resolveIntegrations } from '../incident/resolve-integrations.ts';
import type { CallMade, SystemState } from '../incident/state.ts';
import type { LiveRun } from '../run-life.ts';
import type { RunEnd } from '../run-row.ts';
import { baselineShift, formatTime } from './course.ts';
import { computeDrift, type Finding, findingsIn } from './findings.ts';
import { type DriftLimits, driftLimits, maxQueries } from './limits.ts';
import { planQuestions } from './questions.ts';

export interface DriftRequest extends RunRequest {
  /** The start of the period, in milliseconds since the Unix epoch; absent: 24 hours before `now`. */
  readonly since?: number;
  /** The present time; absent: that of the clock. */
  readonly now?: number;
  /** Queries in the language of the metrics system. Without any, each system's overview is used. */
  readonly queries?: readonly string[];
  readonly limits?: Partial<DriftLimits>;
}

export interface DriftPorts {
  readonly models: { readonly planner: { readonly name: string } };
  readonly signals: readonly Signal[];
  /** Masks secrets in answers of systems, each by a mark of its own. */
  readonly mask?: SystemMask;
}

export interface DriftParams extends RunParams {
  readonly since: number;
  readonly now: number;
  readonly queries: readonly string[];
  readonly limits: DriftLimits;
}

export interface DriftTypes {
  readonly request: DriftRequest;
  readonly params: DriftParams;
  readonly ports: DriftPorts;
  readonly end: RunEnd;
  /** In a replay the signals only provide the names of the questions; none of them is queried. */
  readonly given: readonly Signal[];
  readonly replayed: RunEnd;
  readonly offer: Omit<DriftPorts, 'models'> & { readonly root: string };
}

const hour = 3_600_000;
const defaultPeriod = 24 * hour;
const maxPeriod = 31 * 24 * hour;
const minPeriod = hour / 4;

export const driftRun = defineRun<DriftTypes>({
  shape: 'drift',
  params({ now: given, since: from, queries = [], limits }, { clock = systemClock }) {
    const now = given ?? clock.now();
    const since = from ?? now - defaultPeriod;
    if (!(now - since >= minPeriod && now - since <= maxPeriod))
      throw new SondeError('bad_argument', {
        message: `Drift since ${new Date(since).toISOString()} can't be reported`,
        remedy: 'Give a time that is between 15 minutes and 31 days ago, such as --since 24h.',
      });
    if (queries.length > maxQueries || queries.some((query) => query.trim() === ''))
      throw new SondeError('bad_argument', {
        message: queries.length > maxQueries ? `${queries.length} queries are too many` : 'A query is empty',
        remedy: `Give 1 to ${maxQueries} queries, or none to look at everything.`,
      });
    return {
      question: `What drifted since ${formatTime(since)}?`,
      params: { since, now, queries, limits: { ...driftLimits, ...limits } },
    };
  },
  limits: ({ limits: { wall_ms } }) => ({ limits: { wall_ms } satisfies Ceilings, reserve: {} }),
  work: ({ row, params }, ports, life) => reportDrift(row.id, params, ports, life),
  result: ({ result }) => ({ result }),
  requiredKey: 'resolve/systems',
  replay: ({ given, params }, work) => work({ models: { planner: { name: params.model } }, signals: given }),
  task: async () => (await import('./shape.ts')).driftTask,
});

async function reportDrift(
  run: string,
  { since, now, queries, limits, model }: DriftParams,
  { signals, mask }: DriftPorts,
  life: LiveRun,
): Promise<RunEnd> {
  const asking = { ...life, signals, limits, ...(mask && { mask }) };
  const resolved = await resolveIntegrations(null, asking);
  const systems = resolved.systems ?? [];
  const window: IncidentWindow = {
    from: since,
    to: now,
    baseline_from: since - baselineShift({ from: since, to: now }),
    derivation: 'the time since then, next to the same hours before',
  };
  const calls: CallMade[] = [];
  const recorded: RecordedDocument[] = [];
  const evidence: Evidence[] = [];
  const notes = [...(resolved.notes ?? [])];
  let stop: StopReason = resolved.stop ?? 'finalized';
  if (stop === 'finalized') {
    const { questions, leftOut } = planQuestions(listUsableSignals({ systems }, signals), queries);
    notes.push(...leftOut);
    const numbers = new Map<string, number>();
    for (const { tool, arguments: args } of questions) {
      const nth = (numbers.get(tool.name) ?? 0) + 1;
      numbers.set(tool.name, nth);
      if (life.pool.timeLeft() <= 0 && !life.replayed) {
        stop = 'budget';
        notes.push(`No time was left for ${tool.name} and what follows it.`);
        break;
      }
      const putResult = await askQuestion({ window, calls, evidence }, asking, tool, args, {
        ...{ iteration: 1, nth, key: `question-${calls.length + 1}`, compute: computeDrift },
        reasoning: 'the time since then next to the same hours before',
      });
      if (putResult === null) {
        stop = 'cancelled';
        break;
      }
      calls.push(putResult.call);
      if (putResult.call.outcome === 'failed') notes.push(`${tool.name}: ${putResult.call.summary}`);
      if (putResult.document === null) continue;
      recorded.push(putResult.document.recorded);
      const knownIds = new Set(evidence.map(({ id }) => id));
      evidence.push(...putResult.document.evidence.filter(({ id }) => !knownIds.has(id)));
    }
    for (const system of listLeftOutSystems(calls)) notes.push(`${system} was too slow and is left out.`);
  }
  return {
    result: await createResult({ run, model, window, systems, calls, recorded, evidence, notes, stop }, life),
  };
}

interface DriftReading {
  readonly run: string;
  readonly model: string;
  readonly window: IncidentWindow;
  readonly systems: readonly SystemState[];
  readonly calls: readonly CallMade[];
  readonly recorded: readonly RecordedDocument[];
  readonly evidence: readonly Evidence[];
  readonly notes: readonly string[];
  readonly stop: StopReason;
}

/** Maximum lines of the answer by kind: with their citations they fit into 4 KB. */
const maxMoved = 20;
const maxRest = 8;
const maxNotes = 6;

async function createResult(driftReading: DriftReading, life: LiveRun): Promise<RunResult> {
  const { run, model, window, systems, calls, recorded, evidence, stop } = driftReading;
  const notes = driftReading.notes.map((note) => (note.length > 300 ? `${note.slice(0, 299)}…` : note));
  const found = recorded.map(findingsIn);
  const moved = found.flatMap((findings) => findings.moved).toSorted((a, b) => b.weight - a.weight);
  const rest = found.flatMap((findings) => findings.rest ?? []);
  const usableSystems = systems.filter((systemState) => systemState.usable);
  const lead = `From ${formatTime(window.from)} to ${formatTime(window.to)}, next to the same hours from ${formatTime(window.baseline_from)} on, in ${usableSystems.map(({ source }) => source).join(', ') || 'no system'}:`;
  const lines = [...moved.slice(0, maxMoved), ...rest.slice(0, maxRest)].map(
    ({ text, evidence: id }) => `- ${text} [${id}]`,
  );
  const answeredCount = calls.filter(({ outcome }) => outcome === 'ok' || outcome === 'empty').length;
  const framing = [
    lead,
    ...(moved.length > maxMoved ? [`${moved.length - maxMoved} more moved, each by less.`] : []),
    ...(answeredCount === 0 ? ['No system answered, so nothing can be said.'] : []),
    ...(answeredCount > 0 && moved.length === 0 ? ['Nothing moved.'] : []),
    ...notes.slice(0, maxNotes).map((note) => `Not looked at: ${note}`),
  ];
  const text = [lead, lines.join('\n'), framing.slice(1).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
  const weighedAnswer = await weighAnswer({
    text,
    // Sentences that the program writes about its own counts are not claims about the systems.
    framing,
    evidence,
    reader: readRecorded(recorded),
    decided: (sentence) => decideByFindings(sentence, [...moved, ...rest], evidence),
  });
  const gated = createCheckedAnswer(weighedAnswer, { confidence: null });
  const again = stop === 'cancelled' ? `/${calls.length}` : '';
  life.tell(`claims${again}`, {
    kind: 'claims_checked',
    claims: weighedAnswer.claims.map(({ claim }) => claim),
  });
  for (const { id, status } of gated.checked)
    life.tell(`citation/${id}${again}`, { kind: 'citation_checked', id, status });
  const isWhole =
    systems.length > 0 &&
    systems.every((systemState) => systemState.usable) &&
    calls.every(({ outcome }) => outcome !== 'failed') &&
    recorded.every(({ completeness }) => completeness === 'complete');
  return fitResult({
    run_id: run,
    status: answeredCount === 0 ? 'not_found' : gated.status,
    // If no system answered, there is nothing to check.
    answer: answeredCount === 0 ? text : gated.answer,
    citations: gated.citations,
    unsupported: gated.unsupported,
    ...(gated.claims && { claims: gated.claims }),
    confidence: null,
    stop_reason: stop,
    model,
    spent: life.spent(),
    coverage: {
      files: recorded.length,
      skipped: systems.length - usableSystems.length,
      searches: calls.length,
      files_read: recorded.length,
      evidence: evidence.length,
      completeness: isWhole ? 'complete' : 'partial',
      notes: notes.slice(0, maxNotes),
    },
  });
}

/** Each finding is a line that the program computed and wrote into the evidence that the finding cites. */
function decideByFindings(
  sentence: string,
  findings: readonly Finding[],
  evidence: readonly Evidence[],
): { readonly verdict: 'computed' } | null {
  const flatten = (text: string): string => text.replace(/\s+/g, ' ').replace(/[.;\s]+$/, '');
  const found = findings.find(({ text }) => flatten(text).includes(flatten(sentence)));
  const cited = evidence.find(({ id }) => id === found?.evidence);
  return found !== undefined && cited !== undefined && flatten(cited.content).includes(flatten(found.text))
    ? { verdict: 'computed' }
    : null;
}
