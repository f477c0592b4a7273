/** Computes the program's own verdict, without a model, with the numbers that it is based on. */
import type { IncidentBlame, IncidentVerdict, RootCauseCategory, Suspect } from '../../../core/index.ts';
import { type CaseFacts, type Cause, type CauseDecision, decideCause, isSettingsChange } from './choose.ts';
import { computeConfidence, type Grounds } from './confidence.ts';
import type { Facts } from './facts.ts';
import { findMovements, isSymptom, type Movement } from './movement.ts';
import { findAlertOnset } from './onset.ts';
import { buildCallGraph, type CallGraph, findCallees } from './outside/call-graph.ts';
import { findOutsideCauses } from './outside/outside.ts';
import type { Outside } from './outside/outside-cause.ts';
import { withoutPlanted } from './planted.ts';
import type { Edge } from './reach/edge.ts';
import { findEdges } from './reach/edges.ts';
import { createMentionFinder } from './reach/mentions.ts';
import { computeReach, filterWithinReach, type Reach } from './reach/reach.ts';
import type { StateSeen } from './state/condition.ts';
import { findFirstMovers, findUnlikeOthers } from './state/first-mover.ts';
import { createServerFinder } from './state/servers.ts';
import {
  type Age,
  findAge,
  findBuildUp,
  findStates,
  rankStateCauses,
  type StateCause,
} from './state/states.ts';
import { findSubject, isTroubled, listEntities, type Subject } from './subject.ts';
import { rankSuspects, type SuspectChange } from './suspects.ts';
import { type AlertText, findSymptoms, isBad, isWorse } from './symptoms.ts';
import type { FarMessage } from './ties/tie.ts';

export interface Judgement {
  readonly verdict: Exclude<IncidentVerdict, 'noise' | 'resolved' | 'duplicate'>;
  /** The cause that the verdict blames; null if inconclusive or unrelated. */
  readonly cause: Cause | null;
  readonly category: RootCauseCategory;
  /** 0 to 1; null if nothing is blamed. */
  readonly confidence: number | null;
  /** The grounds of the confidence. */
  readonly grounds: Grounds | null;
  readonly blamed: readonly SuspectChange[];
  readonly outside: readonly Outside[];
  readonly states: readonly StateSeen[];
  readonly stateCauses: readonly StateCause[];
  readonly subject: Subject;
  readonly reach: Reach;
  readonly movements: readonly Movement[];
  readonly graph: CallGraph;
  /** Milliseconds since the Unix epoch. */
  readonly onset: number;
  readonly onsetFrom: 'series' | 'alert';
  readonly firstFailing: string | null;
}

export interface JudgedAlert extends AlertText {
  /** When it began to fire, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly metric?: string | null;
  /** Values of its labels. */
  readonly labels?: readonly string[];
}

export function judge(recorded: Facts, alert: JudgedAlert): Judgement {
  const allFacts = withoutPlanted(recorded);
  const graph = buildCallGraph(allFacts.spans);
  const allStates = findStates(allFacts, alert.text);
  const metric = alert.metric ?? null;
  const subject = findSubject(
    { service: alert.service, metric, text: alert.text, labels: alert.labels ?? [] },
    allFacts,
    allStates,
    graph,
  );
  const entities = listEntities(allFacts, allStates);
  const edges = findEdges(allFacts, graph, entities, allStates);
  const reach = computeReach(subject.names, [
    ...edges,
    ...findAlertEdges(alert.text, subject.names, entities),
  ]);
  const facts = filterWithinReach(allFacts, reach);
  const states = allStates.filter((state) => isNear(state, reach));
  const allMovements = findMovements(facts.series);
  const movements = allMovements.filter(({ onset }) => onset <= alert.at + 5 * 60_000);
  const onset = findAlertOnset({ at: alert.at, metric }, subject.names, movements, facts);
  const firstFailing = findFirstFailing(movements, graph, alert.service);
  const serverOf = createServerFinder(facts, entities, subject.names);
  const symptoms = findSymptoms(facts, movements, alert, onset.at);
  const blamed = rankSuspects({
    facts,
    movements,
    symptoms,
    graph,
    onset: onset.at,
    names: subject.names,
    states,
    reach,
    serverOf: (state) => serverOf([state])?.object ?? null,
    far: findFarMessages(allFacts, facts),
  });
  const outside = findOutsideCauses(
    facts,
    movements,
    graph,
    alert.service,
    onset.at,
    subject.names,
    reach.names,
  );
  const statesAndOutliers = [...states, ...findUnlikeOthers(facts, onset.at)];
  const toAge = (causeStates: readonly StateSeen[]): Age => findAge(causeStates, allMovements, onset.at);
  const causesOfStates = rankStateCauses(statesAndOutliers, {
    subject: subject.names,
    serverOf,
    ageOf: toAge,
    builtUpOf: (causeStates) => findBuildUp(causeStates, allMovements),
  });
  const causes = [
    ...causesOfStates,
    ...rankStateCauses(findFirstMovers(movements, reach, subject.names, onset.at), { ageOf: toAge }),
  ];
  const caseFacts: CaseFacts = {
    facts,
    subject,
    reach,
    movements,
    states,
    blamed,
    outside,
    causes,
    onset: onset.at,
    alert: { metric, text: alert.text, at: alert.at },
  };
  const { verdict, cause } = decideCause(caseFacts, allFacts);
  const confidence = cause === null || cause.kind === 'healthy' ? null : computeConfidence(cause, caseFacts);
  return {
    verdict,
    cause,
    category: toCategory(cause),
    confidence: confidence?.confidence ?? null,
    grounds: confidence?.grounds ?? null,
    blamed,
    outside,
    states,
    stateCauses: causes,
    subject,
    reach,
    movements,
    graph,
    onset: onset.at,
    onsetFrom: onset.from,
    firstFailing: refineFirstFailing(
      // That something is alerted does not show that it failed.
      firstFailing === alert.service && !isTroubled(subject, facts, movements, states) ? null : firstFailing,
      { verdict, cause },
      subject,
      graph,
    ),
  };
}

/** Messages outside the alert's reach which say that something is missing. */
function findFarMessages(allFacts: Facts, nearFacts: Facts): readonly FarMessage[] {
  const [nearLines, nearPatterns] = [new Set(nearFacts.lines), new Set(nearFacts.patterns)];
  return [
    ...allFacts.patterns
      .filter((pattern) => !nearPatterns.has(pattern) && (isWorse(pattern) || pattern.baseline === 0))
      .filter(({ level, example }) => isBad(level) || missingWords.test(example))
      .map(({ example, first, evidence }) => ({ text: example, first, evidence })),
    ...allFacts.lines
      .filter((line) => !nearLines.has(line) && (isBad(line.level) || missingWords.test(line.text)))
      .map(({ text, at, evidence }) => ({ text, first: at, evidence })),
  ];
}

const missingWords = /\b(?:no|not|none|0|zero|nothing|unknown|missing|without|cannot|can't|fail\w*|lost)\b/i;

/** Edges to names in the alert other than its subject. */
function findAlertEdges(
  text: string,
  names: ReadonlySet<string>,
  entities: ReadonlySet<string>,
): readonly Edge[] {
  const [from] = names;
  return from === undefined
    ? []
    : createMentionFinder(entities)(text, true).map(({ name, strength }) => ({
        kind: 'named' as const,
        from,
        to: name,
        strength,
        evidence: [],
        quote: text.slice(0, 120),
      }));
}

/** Whether the object is within reach of the alert, or is a node, on which any service may run. */
function isNear({ object, service }: StateSeen, reach: Reach): boolean {
  const name = object.split('/').at(-1)!;
  return reach.of(name) > 0 || reach.of(service) > 0 || /^node\//i.test(object);
}

/** The place of the cause if it is known to fail before the services that wait for it; otherwise `observedService`. */
function refineFirstFailing(
  observedService: string | null,
  { verdict, cause }: CauseDecision,
  { names }: Subject,
  graph: CallGraph,
): string | null {
  if (verdict === 'unrelated') return null;
  if (cause?.kind === 'state') return cause.of.service ?? observedService;
  if (cause?.kind !== 'change' || cause.of.service === null) return observedService;
  const { service } = cause.of;
  return [...names].some((name) => name !== service && findCallees(graph, name).has(service))
    ? service
    : observedService;
}

function toCategory(cause: Cause | null): RootCauseCategory {
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
      return cause.of.kind === 'commit' && !isSettingsChange(cause.of)
        ? 'code_defect'
        : 'configuration_error';
  }
}

/** The blame in the form for programs. */
export function toBlame(cause: Cause | null): IncidentBlame | null {
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

/** Suspects with a score below this are listed only if there are few others. */
const minListedScore = 0.03;

/** All possible causes, the most likely first, beginning with the one that the verdict blames. */
export function listSuspects(
  { blamed, outside, stateCauses, cause }: Judgement,
  max = 8,
): readonly Suspect[] {
  const all: readonly Suspect[] = [...blamed, ...outside, ...stateCauses.map(toSuspect)];
  const id = toBlame(cause)?.id;
  return all
    .toSorted((a, b) => Number(b.id === id) - Number(a.id === id) || b.score - a.score)
    .filter(({ score }, rank) => rank < 3 || score >= minListedScore)
    .slice(0, max)
    .map(({ kind, id, score, evidence, why }) => ({ kind, id, score, evidence, why }));
}

const toSuspect = ({ object, score, states, condition }: StateCause): Suspect => ({
  kind: 'object',
  id: object,
  score: Math.round(score * 1_000) / 1_000,
  evidence: [...new Set(states.map(({ evidence }) => evidence))].slice(0, 3),
  why: `${condition.name}: ${states[0]!.quote}`,
});

/**
 * The service that failed first: the alerted one, unless a service that it calls has a symptom clearly earlier; without
 * symptoms, the one whose metrics moved first. A service that only counts requests abandoned by its callers is not
 * failing.
 */
function findFirstFailing(
  movements: readonly Movement[],
  graph: CallGraph,
  alertService: string | null,
): string | null {
  const symptoms = movements.filter(
    (movement) =>
      movement.service !== null &&
      isSymptom(movement) &&
      !/cancel/i.test(movement.metric) &&
      movement.direction === 'up',
  );
  const findFirstOnset = (service: string): number =>
    Math.min(...symptoms.filter((symptom) => symptom.service === service).map(({ onset }) => onset));
  if (alertService !== null) {
    const ownOnset = findFirstOnset(alertService);
    const callees = findCallees(graph, alertService);
    const earliest = [...callees]
      .map((service) => ({ service, onset: findFirstOnset(service) }))
      .filter(({ onset }) => onset < ownOnset - clearLeadMs)
      .sort((a, b) => a.onset - b.onset)[0];
    if (earliest !== undefined) return earliest.service;
    if (Number.isFinite(ownOnset) || symptoms.length === 0) return alertService;
  }
  return symptoms[0]?.service ?? movements.find(({ service }) => service !== null)?.service ?? alertService;
}

/** Longer than the sampling interval of ordinary metrics, in milliseconds. */
const clearLeadMs = 90_000;
