/** The verdict of the code alone, with the numbers it came from. */
import type { IncidentBlame, IncidentVerdict, RootCauseCategory, Suspect } from '../../../core/index.ts';
import { below, type CallGraph, callGraphOf } from './call-graph.ts';
import { confidenceOf } from './confidence.ts';
import type { Facts } from './facts.ts';
import { firstFailingOf } from './first-failing.ts';
import {
  findFlapping,
  findReturned,
  type Healthy,
  healthyOf,
  isOver,
  type Measured,
  wasFelt,
} from './healthy.ts';
import { type Movement, movementsOf } from './movement.ts';
import { outsideCauses } from './outside.ts';
import type { Outside } from './outside-cause.ts';
import type { StateSeen } from './state/condition.ts';
import { serversIn } from './state/servers.ts';
import { type StateCause, stateCauses, statesIn } from './state/states.ts';
import { entitiesIn, isTroubled, type Subject, subjectOf } from './subject.ts';
import { type Blamed, suspectsOf, type Weights } from './suspects.ts';
import { type AlertWords, symptomsOf } from './symptoms.ts';

export type Cause =
  | { readonly kind: 'change'; readonly of: Blamed }
  | { readonly kind: 'outside'; readonly of: Outside }
  | { readonly kind: 'state'; readonly of: StateCause }
  | { readonly kind: 'healthy'; readonly of: Healthy };

export interface Judgement {
  readonly verdict: Exclude<IncidentVerdict, 'noise' | 'resolved' | 'duplicate'>;
  /** What it blames; null where inconclusive or unrelated. */
  readonly cause: Cause | null;
  readonly category: RootCauseCategory;
  /** 0 to 1; null where nothing is blamed. */
  readonly confidence: number | null;
  readonly blamed: readonly Blamed[];
  readonly outside: readonly Outside[];
  readonly states: readonly StateSeen[];
  readonly stateCauses: readonly StateCause[];
  readonly subject: Subject;
  readonly movements: readonly Movement[];
  readonly graph: CallGraph;
  /** Milliseconds since the Unix epoch. */
  readonly onset: number;
  readonly onsetFrom: 'series' | 'alert';
  readonly firstFailing: string | null;
}

export interface JudgedAlert extends AlertWords {
  /** When it began to fire, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly metric?: string | null;
  /** Values of its labels. */
  readonly labels?: readonly string[];
}

/** Ties that come to less do not blame. */
const enoughTied = 0.38;
/** And what can hardly break anything, or came long before, is not blamed for a name that it shares. */
const enoughScored = 0.06;
/** A change that is not clearly above the next is a guess. */
const clearly = 1.15;
const far = 2;
/** Something outside that is less certain than this is not named as the cause. */
const certain = 0.6;
const plainly = 0.45;
/** A state that is told twice or of itself. */
const stated = 0.58;

/** `weights` for measuring how much hangs on them. */
export function judge(facts: Facts, alert: JudgedAlert, weights?: Weights): Judgement {
  const movements = movementsOf(facts.series).filter(({ onset }) => onset <= alert.at + 5 * 60_000);
  const graph = callGraphOf(facts.spans);
  const states = statesIn(facts, alert.text);
  const subject = subjectOf(
    { service: alert.service, metric: alert.metric ?? null, text: alert.text, labels: alert.labels ?? [] },
    facts,
    states,
    graph,
  );
  const onset = Math.min(movements[0]?.onset ?? Infinity, alert.at);
  const firstFailing = firstFailingOf(movements, graph, alert.service);
  const symptoms = symptomsOf(facts, movements, alert, onset);
  const blamed = suspectsOf(
    {
      facts,
      movements,
      symptoms,
      graph,
      onset,
      alertService: alert.service,
      firstFailing,
      names: subject.names,
      states,
    },
    weights,
  ).toSorted((a, b) => weightOf(b) - weightOf(a));
  const outside = outsideCauses(facts, movements, graph, alert.service, onset, subject.names);
  const causes = stateCauses(states, {
    subject: subject.names,
    serverOf: serversIn(facts, entitiesIn(facts, states), subject.names),
  });
  const known: Known = {
    facts,
    subject,
    movements,
    states,
    blamed,
    outside,
    causes,
    alert: { metric: alert.metric ?? null, text: alert.text, at: alert.at },
  };
  const { verdict, cause } = decide(known);
  return {
    verdict,
    cause,
    category: categoryOf(cause),
    confidence: cause === null ? null : confidenceOf(cause, known),
    blamed,
    outside,
    states,
    stateCauses: causes,
    subject,
    movements,
    graph,
    onset,
    onsetFrom: movements[0] === undefined || movements[0].onset > alert.at ? 'alert' : 'series',
    firstFailing: failingFirst(firstFailing, { verdict, cause }, subject, graph),
  };
}

export interface Known {
  readonly facts: Facts;
  readonly subject: Subject;
  readonly movements: readonly Movement[];
  readonly states: readonly StateSeen[];
  readonly blamed: readonly Blamed[];
  readonly outside: readonly Outside[];
  readonly causes: readonly StateCause[];
  readonly alert: Measured & { readonly at: number };
}

type Decided = Pick<Judgement, 'verdict' | 'cause'>;
const none = (verdict: 'unrelated' | 'inconclusive'): Decided => ({ verdict, cause: null });

/** Where the cause is failed before those that wait for it; an unknown place never failed. */
function failingFirst(
  seen: string | null,
  { verdict, cause }: Decided,
  { names }: Subject,
  graph: CallGraph,
): string | null {
  if (verdict === 'unrelated') return null;
  if (cause?.kind === 'state') return cause.of.service ?? seen;
  if (cause?.kind !== 'change' || cause.of.service === null) return seen;
  const { service } = cause.of;
  return [...names].some((name) => name !== service && below(graph, name).has(service)) ? service : seen;
}

/** How likely a change is to blame, compared with the others: what it explains, and what ties it. */
export const weightOf = ({ score, tied }: Pick<Blamed, 'score' | 'tied'>): number =>
  score * (0.25 + 0.75 * tied);

function decide(known: Known): Decided {
  const { facts, subject, movements, states, alert } = known;
  const isEmpty =
    facts.series.length +
      facts.lines.length +
      facts.patterns.length +
      facts.spans.length +
      facts.tables.length ===
    0;
  if (subject.names.size === 0)
    return none(isEmpty && facts.changes.length === 0 ? 'inconclusive' : 'unrelated');
  const healthy = (of: Healthy | null): Decided | null =>
    of === null ? null : { verdict: 'healthy', cause: { kind: 'healthy', of } };
  const settled = healthyOf(facts, movements, states);
  const cause = isTroubled(subject, facts, movements, states) ? causeOf(known) : null;
  if (cause !== null && !isHarmless(cause, known, settled)) return { verdict: verdictOf(cause), cause };
  const { names } = subject;
  return (
    healthy(settled) ??
    (cause?.kind === 'state' ? healthy(pastOf(cause.of)) : null) ??
    healthy(findReturned(facts, movements, states, names, alert)) ??
    healthy(findFlapping(facts, movements, names, alert, alert.at)) ??
    none('inconclusive')
  );
}

/** Over, and nobody had anything of it; a change that hardly anything ties to it did not even cause that. */
function isHarmless(cause: Cause, { facts, movements, subject }: Known, settled: Healthy | null): boolean {
  if (cause.kind === 'change') return settled !== null && cause.of.tied < 0.7;
  if (cause.kind === 'outside') return settled !== null;
  if (cause.kind === 'healthy') return true;
  const isPast = settled !== null || isOver(cause.of.states, facts, movements);
  return isPast && !wasFelt(facts, subject.around);
}

const pastOf = ({ object, condition, states }: StateCause): Healthy => ({
  why: `${condition.name} of ${object} is over and did no harm (${states[0]!.said})`,
  object,
  evidence: [...new Set(states.map(({ evidence }) => evidence))].slice(0, 3),
});

function verdictOf({ kind, of }: Cause): Judgement['verdict'] {
  switch (kind) {
    case 'change':
      return of.kind === 'commit' ? 'code_change' : 'config_change';
    case 'outside':
      return 'no_code_change';
    case 'state':
      return 'state';
    case 'healthy':
      return 'healthy';
  }
}

function causeOf({ blamed, outside, causes }: Known): Cause | null {
  const able = blamed.filter(({ before }) => before);
  const [first, second] = able.filter(
    ({ diffRead, how, tied, score }) =>
      diffRead && how !== 'undelivered' && tied >= enoughTied && score >= enoughScored,
  );
  const [other] = outside;
  const [state] = causes.filter(({ condition }) => condition.role === 'root');
  const change: Cause | null =
    first !== undefined && weightOf(first) >= clearly * (second === undefined ? 0 : weightOf(second))
      ? { kind: 'change', of: first }
      : null;
  const strong =
    first !== undefined && (first.tied >= 0.7 || first.ties.some(({ kind }) => kind === 'state'));
  if (change !== null && (strong || first!.score >= 0.2)) {
    const rival = Math.max(other?.score ?? 0, strong ? 0 : (state?.score ?? 0));
    if (strong ? rival < certain || first!.score >= 0.3 : first!.score >= rival) return change;
  }
  if (other !== undefined && other.score >= certain && (state === undefined || state.score <= other.score))
    return { kind: 'outside', of: other };
  if (state !== undefined && state.score >= stated) return { kind: 'state', of: state };
  if (other !== undefined && other.score >= plainly) return { kind: 'outside', of: other };
  return change !== null && first!.tied >= 0.55 ? change : lastResort(able);
}

/** What stands far above all others and has any tie is named, with little confidence. */
function lastResort(able: readonly Blamed[]): Cause | null {
  const [first, second] = able.filter(({ diffRead, how }) => diffRead && how !== 'undelivered');
  const isFar = first !== undefined && weightOf(first) >= far * (second === undefined ? 0 : weightOf(second));
  const isTied =
    first !== undefined &&
    ((first.tied >= 0.2 && first.score >= 0.2) || (first.tied >= enoughTied && first.score >= 0.1));
  return isFar && isTied ? { kind: 'change', of: first } : null;
}

function categoryOf(cause: Cause | null): RootCauseCategory {
  switch (cause?.kind) {
    case undefined:
      return 'unknown';
    case 'healthy':
      return 'healthy';
    case 'state':
      return cause.of.category;
    case 'outside':
      return cause.of.kind === 'traffic' ? 'application_tier_load_spike' : 'dependency_failure';
    case 'change':
      return cause.of.kind === 'commit' && !isSetting(cause.of) ? 'code_defect' : 'configuration_error';
  }
}

/** Only settings files were changed. */
const isSetting = ({ paths }: Blamed): boolean =>
  paths.length > 0 &&
  paths.every((path) =>
    /\.(ya?ml|json|toml|ini|conf|cfg|properties|env|tf|tfvars|hcl)$|(^|\/)(config|deploy|charts|helm|k8s|manifests|infra)\//i.test(
      path,
    ),
  );

/** The same as programs read it. */
export function blameOf(cause: Cause | null): IncidentBlame | null {
  switch (cause?.kind) {
    case 'change':
    case 'outside':
      return {
        kind: cause.of.kind,
        id: cause.of.id,
        service: 'service' in cause.of ? (cause.of.service ?? null) : null,
      };
    case 'state':
      return { kind: 'object', id: cause.of.object, service: cause.of.service };
    default:
      return null;
  }
}

/** What scores less is listed only where there is little else. */
const notable = 0.03;

/** Everything that may be to blame, the likeliest first: what the verdict blames stands first. */
export function allSuspects({ blamed, outside, stateCauses, cause }: Judgement, max = 8): readonly Suspect[] {
  const all: readonly Suspect[] = [
    ...blamed.map((one) => ({ ...one, score: Math.round(weightOf(one) * 1_000) / 1_000 })),
    ...outside,
    ...stateCauses.map(suspectOf),
  ];
  const id = blameOf(cause)?.id;
  return all
    .toSorted((a, b) => Number(b.id === id) - Number(a.id === id) || b.score - a.score)
    .filter(({ score }, rank) => rank < 3 || score >= notable)
    .slice(0, max)
    .map(({ kind, id, score, evidence, why }) => ({ kind, id, score, evidence, why }));
}

const suspectOf = ({ object, score, states, condition }: StateCause): Suspect => ({
  kind: 'object',
  id: object,
  score: Math.round(score * 1_000) / 1_000,
  evidence: [...new Set(states.map(({ evidence }) => evidence))].slice(0, 3),
  why: `${condition.name}: ${states[0]!.said}`,
});
