/** Collects the states that systems report about themselves, and finds which of them is a cause. */
import type { RootCauseCategory } from '../../../../core/index.ts';
import type { Facts } from '../facts.ts';
import type { Movement } from '../movement.ts';
import { isAmong } from '../subject.ts';
import type { Condition, StateSeen } from './condition.ts';
import { findGaugeStates } from './gauges.ts';
import { placing } from './kubernetes.ts';
import { findLineStates } from './lines.ts';
import { systems } from './messages.ts';
import { findTableStates, listPlacedPods, listTerminating } from './rows.ts';
import type { FindServer } from './servers.ts';

/** All states in the facts. `alert`: the text of the alert, which may say that a resource is at its limit. */
export function findStates(facts: Facts, alert = ''): readonly StateSeen[] {
  const terminating = new Set(facts.tables.flatMap(listTerminating));
  const placedPods = new Set(facts.tables.flatMap(listPlacedPods));
  return [
    ...facts.tables.flatMap(findTableStates),
    ...findLineStates(facts),
    ...findGaugeStates(facts, alert),
  ].filter(({ condition, object }) => {
    const name = object.split('/').at(-1)!;
    return !terminating.has(name) && !(condition.name === placing.name && placedPods.has(name));
  });
}

/** When a state began, compared with the onset. */
export type Age = 'before' | 'after' | 'unknown';

export interface StateCause {
  readonly states: readonly StateSeen[];
  readonly condition: Condition;
  readonly category: RootCauseCategory;
  readonly object: string;
  readonly service: string | null;
  /** 0 to 1. */
  readonly score: number;
  readonly age: Age;
  /** When it began to build up, in milliseconds since the Unix epoch; null if no series shows it. */
  readonly builtUp: number | null;
}

/** Rates a state as a cause, from 0 to 1: by its role, and by how many records report it. */
const rateState = (
  { condition, isCurrent, evidence, quote }: StateSeen,
  all: readonly StateSeen[],
): number => {
  const role = condition.role === 'root' ? 0.6 : 0.3;
  const recordCount = new Set(
    all
      .filter(
        (other) =>
          other.condition.name === condition.name ||
          (other.condition.category === condition.category && condition.category !== 'infrastructure'),
      )
      .map((other) => `${other.evidence}/${other.quote}`),
  ).size;
  return (
    role +
    (isCurrent ? 0.05 : 0) +
    Math.min(0.2, 0.07 * (recordCount - 1)) +
    (evidence === '' || quote === '' ? -0.1 : 0)
  );
};

/** Whether the state is a processor at its limit, which another state may explain. */
const isBusyProcessor = ({ condition }: StateSeen): boolean => condition.resource === 'cpu';

/** The states that may be causes, grouped by condition, the likeliest first. */
export function rankStateCauses(
  all: readonly StateSeen[],
  /** The subject of the alert, and all other named things. */
  {
    subject = new Set(),
    serverOf = () => null,
    ageOf = () => 'unknown',
    builtUpOf = () => null,
  }: {
    readonly subject?: ReadonlySet<string>;
    readonly serverOf?: FindServer;
    readonly ageOf?: (states: readonly StateSeen[]) => Age;
    readonly builtUpOf?: (states: readonly StateSeen[]) => number | null;
  } = {},
): readonly StateCause[] {
  const badStates = all.filter(({ condition }) => condition.role !== 'good');
  const groups = Map.groupBy(badStates, ({ condition }) => condition.name);
  const causes = [...groups.values()].map((states): StateCause => {
    const firstTimes = states.map(({ first }) => first ?? Infinity);
    const earliest = states.toSorted(
      (a, b) => (a.first ?? Infinity) - (b.first ?? Infinity) || Number(b.isCurrent) - Number(a.isCurrent),
    )[0]!;
    const affected = findAffected(states, badStates, subject, serverOf) ?? earliest;
    const firstSeen = Math.min(...firstTimes);
    return {
      states,
      condition: earliest.condition,
      category: earliest.condition.category,
      object: affected.object,
      service: affected.service,
      age: ageOf(states),
      builtUp: builtUpOf(states),
      score:
        Math.max(...states.map((state) => rateState(state, badStates))) -
        (states.every(isBusyProcessor) ? 0.12 : 0) -
        (subject.size > 0 && !states.some((state) => concernsSubject(state, subject)) ? 0.08 : 0) +
        (Number.isFinite(firstSeen) ? 0.01 : 0),
    };
  });
  const sorted = causes.toSorted((a, b) => b.score - a.score || findFirstTime(a) - findFirstTime(b));
  const shortage = findCommonShortage(sorted);
  return shortage === null ? sorted : [shortage, ...sorted];
}

const isNamed = ({ object }: StateSeen): boolean =>
  object !== 'a server' && object !== 'the system' && !object.includes('<');

/**
 * Finds the service that is in this state: the one that the message names; for a metric, the measured one, since the
 * reporter is only affected; the only server of that kind; otherwise the reporter. If several fit equally, the alerted
 * one.
 */
function findAffected(
  states: readonly StateSeen[],
  bad: readonly StateSeen[],
  subject: ReadonlySet<string>,
  serverOf: FindServer,
): Pick<StateSeen, 'object' | 'service'> | undefined {
  const [first] = states;
  const preferSubject = (all: readonly StateSeen[]): StateSeen | undefined =>
    all.find((state) => concernsSubject(state, subject)) ?? all[0];
  const mostSpecific = states.find(
    (state) =>
      isNamed(state) && state.service !== null && state.object !== state.service && namesObject(state),
  );
  const measured = bad.filter(
    (state) =>
      state.isCurrent &&
      isNamed(state) &&
      (state.condition.name === first!.condition.name ||
        (state.condition.resource !== undefined && state.condition.resource === first!.condition.resource)),
  );
  return (
    mostSpecific ??
    findOwnReport(states) ??
    preferSubject(measured) ??
    serverOf(states) ??
    preferSubject(states.filter(isAboutPeer)) ??
    preferSubject(states.filter(isNamed))
  );
}

/** If clients name only a product: the state that a server of this product reports about itself. */
function findOwnReport(states: readonly StateSeen[]): StateSeen | undefined {
  const products = states.flatMap(({ object }) =>
    systems.has(object) ? [object.slice(0, 5).toLowerCase()] : [],
  );
  const ownReports = states.filter(
    ({ object, service }) =>
      object === service && products.some((product) => object.toLowerCase().includes(product)),
  );
  return new Set(ownReports.map(({ object }) => object)).size === 1 ? ownReports[0] : undefined;
}

/** Whether a client reports this about another host, rather than about itself. */
const isAboutPeer = (state: StateSeen): boolean =>
  isNamed(state) &&
  !systems.has(state.object) &&
  !state.object.includes('/') &&
  state.service !== null &&
  state.object !== state.service;

/** Whether the message names the object in that state, such as a table or the node of a disk. */
const namesObject = ({ object, quote }: StateSeen): boolean =>
  !systems.has(object) && !object.includes('/') && quote.includes(object) && !/[.:]/.test(object);

/** Whether the state is about the alert's subject, or about an object that a whole cluster depends on. */
const concernsSubject = ({ object, service }: StateSeen, subject: ReadonlySet<string>): boolean =>
  /^node\//i.test(object) || isAmong(subject, service) || isAmong(subject, object.split('/').at(-1) ?? null);

const findFirstTime = ({ states }: StateCause): number =>
  Math.min(...states.map(({ first }) => first ?? Infinity));

/** The common cause of two resources that run out at once, if neither uses up the other. */
function findCommonShortage(causes: readonly StateCause[]): StateCause | null {
  const shortages = causes.filter(
    ({ condition }) => condition.resource !== undefined && condition.role === 'root',
  );
  const kinds = [...Map.groupBy(shortages, ({ condition }) => condition.resource).values()].map(
    ([first]) => first!,
  );
  const hasCheckpointStorm = causes.some(({ category }) => category === 'checkpoint_io_storm');
  if (kinds.length !== 2 || hasCheckpointStorm) return null;
  // Open connections also keep the processor busy: the two count as one cause.
  if (kinds.every(({ condition }) => /^(cpu|connections)$/.test(condition.resource!))) return null;
  const [firstCause, secondCause] = kinds as [StateCause, StateCause];
  // Both are about the same thing, and each has a gauge or a message of its own.
  if (firstCause.object !== secondCause.object && firstCause.service !== secondCause.service) return null;
  return {
    states: [...firstCause.states, ...secondCause.states],
    condition: {
      ...firstCause.condition,
      name: `${firstCause.condition.name}, and ${secondCause.condition.name}`,
      remedy: `${firstCause.condition.remedy} ${secondCause.condition.remedy}`,
    },
    category: 'dual_resource_exhaustion',
    object: firstCause.object,
    service: firstCause.service,
    age: firstCause.age === 'after' ? secondCause.age : firstCause.age,
    builtUp: firstCause.builtUp,
    score: Math.max(firstCause.score, secondCause.score) + 0.05,
  };
}

/** Tolerance in milliseconds: clocks differ, series are sampled, and a message comes only when the state is noticed. */
const slackMs = 2 * 60_000;

/**
 * States that build up before they are reported, with the series that shows the build-up. All others begin at one
 * moment, such as the expiry of a certificate.
 */
const buildUps: readonly (readonly [of: (state: StateSeen) => boolean, series: RegExp])[] = [
  [({ condition }) => condition.resource === 'memory', /mem|heap|swap|rss/i],
  [({ condition }) => condition.resource === 'storage', /disk|storage|space|volume|filesystem|wal/i],
  [({ condition }) => condition.resource === 'connections', /conn|pool|session|client/i],
  [({ condition }) => condition.resource === 'cpu', /cpu|processor|load/i],
  [({ condition }) => condition.category === 'replication_lag', /lag|delay|behind|wal|slot|write|iops/i],
  [({ condition }) => condition.category === 'checkpoint_io_storm', /checkpoint|write|iops|disk|log|wal/i],
];

/**
 * The first sign of a state, in milliseconds since the Unix epoch: its first message or event, or the onset in a series
 * that shows it. Null if no record has a time.
 */
function findFirstSign(states: readonly StateSeen[], movements: readonly Movement[]): number | null {
  const times = states.flatMap((state) => [
    ...(state.first === null ? [] : [state.first]),
    ...listOnsets(state, movements),
  ]);
  return times.length === 0 ? null : Math.min(...times);
}

function listOnsets(state: StateSeen, movements: readonly Movement[]): readonly number[] {
  const { evidence, service, object, quote } = state;
  const series = buildUps.find(([isOne]) => isOne(state))?.[1];
  return movements
    .filter(
      (movement) =>
        (movement.service === service || movement.service === object) &&
        ((movement.evidence === evidence && quote.startsWith(`${movement.metric} is at `)) ||
          series?.test(movement.metric) === true),
    )
    .map(({ onset }) => onset);
}

/** The onset in the series of memory or disk use; null if there is none. */
export function findBuildUp(states: readonly StateSeen[], movements: readonly Movement[]): number | null {
  const times = states
    .filter(({ condition }) => condition.resource === 'memory' || condition.resource === 'storage')
    .flatMap((state) => listOnsets(state, movements));
  return times.length === 0 ? null : Math.min(...times);
}

/** Whether a state began before the onset. `movements`: all movements, including those after the alert. */
export function findAge(states: readonly StateSeen[], movements: readonly Movement[], onset: number): Age {
  const first = findFirstSign(states, movements);
  return first === null ? 'unknown' : first > onset + slackMs ? 'after' : 'before';
}
