/** All states that systems report of themselves, and which of them is a cause. */
import type { RootCauseCategory } from '../../../../core/index.ts';
import type { Facts } from '../facts.ts';
import { isAmong } from '../subject.ts';
import type { Age } from './age.ts';
import type { Condition, StateSeen } from './condition.ts';
import { statesOfGauges } from './gauges.ts';
import { statesOfLines } from './lines.ts';
import { systems } from './messages.ts';
import { statesOfTable, terminatingIn } from './rows.ts';
import type { NamedServer } from './servers.ts';

/** `alert`: the text of the alert, for limits that no series and no message reports. */
export function statesIn(facts: Facts, alert = ''): readonly StateSeen[] {
  const ending = new Set(facts.tables.flatMap(terminatingIn));
  return [
    ...facts.tables.flatMap(statesOfTable),
    ...statesOfLines(facts),
    ...statesOfGauges(facts, alert),
  ].filter(({ object }) => !ending.has(object.split('/').at(-1)!));
}

export interface StateCause {
  readonly states: readonly StateSeen[];
  readonly condition: Condition;
  readonly category: RootCauseCategory;
  readonly object: string;
  readonly service: string | null;
  /** 0 to 1. */
  readonly score: number;
  /** Whether it began before the trouble or after it. */
  readonly age: Age;
  /** When it began to build up, in milliseconds since the Unix epoch; null if no series shows it. */
  readonly builtUp: number | null;
}

/** Others can also drive a gauge to its limit; a server's own message is nearer to the cause. */
const weight = ({ condition, isNow, evidence, said }: StateSeen, all: readonly StateSeen[]): number => {
  const role = condition.role === 'root' ? 0.6 : 0.3;
  const twice = new Set(
    all
      .filter(
        (one) =>
          one.condition.name === condition.name ||
          (one.condition.category === condition.category && condition.category !== 'infrastructure'),
      )
      .map((one) => `${one.evidence}/${one.said}`),
  ).size;
  return (
    role +
    (isNow ? 0.05 : 0) +
    Math.min(0.2, 0.07 * (twice - 1)) +
    (evidence === '' || said === '' ? -0.1 : 0)
  );
};

/** A processor at its limit explains little where something says why. */
const isPlain = ({ condition }: StateSeen): boolean => condition.resource === 'cpu';

/** The cause among states that are not over, the likeliest first. */
export function stateCauses(
  all: readonly StateSeen[],
  /** The subject of the alert, and all other named things. */
  {
    subject = new Set(),
    serverOf = () => null,
    ageOf = () => 'unknown',
    builtUpOf = () => null,
  }: {
    readonly subject?: ReadonlySet<string>;
    readonly serverOf?: NamedServer;
    readonly ageOf?: (states: readonly StateSeen[]) => Age;
    readonly builtUpOf?: (states: readonly StateSeen[]) => number | null;
  } = {},
): readonly StateCause[] {
  const bad = all.filter(({ condition }) => condition.role !== 'good');
  const groups = Map.groupBy(bad, ({ condition }) => condition.name);
  const causes = [...groups.values()].map((states): StateCause => {
    const firsts = states.map(({ first }) => first ?? Infinity);
    const one = states.toSorted(
      (a, b) => (a.first ?? Infinity) - (b.first ?? Infinity) || Number(b.isNow) - Number(a.isNow),
    )[0]!;
    const named = nameOf(states, bad, subject, serverOf) ?? one;
    const early = Math.min(...firsts);
    return {
      states,
      condition: one.condition,
      category: one.condition.category,
      object: named.object,
      service: named.service,
      age: ageOf(states),
      builtUp: builtUpOf(states),
      score:
        Math.max(...states.map((state) => weight(state, bad))) -
        (states.every(isPlain) ? 0.12 : 0) -
        (subject.size > 0 && !states.some((state) => isOf(state, subject)) ? 0.08 : 0) +
        (Number.isFinite(early) ? 0.01 : 0),
    };
  });
  const sorted = causes.toSorted((a, b) => b.score - a.score || firstOf(a) - firstOf(b));
  const both = bothOf(sorted);
  return both === null ? sorted : [both, ...sorted];
}

const isNamed = ({ object }: StateSeen): boolean =>
  object !== 'a server' && object !== 'the system' && !object.includes('<');

/**
 * Which service is in this state: the one that the message names; for a metric, the measured one, since whoever reports
 * it only suffers; the only server of that kind; otherwise the reporter. If several fit equally, the alerted one.
 */
function nameOf(
  states: readonly StateSeen[],
  bad: readonly StateSeen[],
  subject: ReadonlySet<string>,
  serverOf: NamedServer,
): Pick<StateSeen, 'object' | 'service'> | undefined {
  const [first] = states;
  const own = (all: readonly StateSeen[]): StateSeen | undefined =>
    all.find((one) => isOf(one, subject)) ?? all[0];
  const finer = states.find(
    (one) => isNamed(one) && one.service !== null && one.object !== one.service && isPlace(one),
  );
  const measured = bad.filter(
    (one) =>
      one.isNow &&
      isNamed(one) &&
      (one.condition.name === first!.condition.name ||
        (one.condition.resource !== undefined && one.condition.resource === first!.condition.resource)),
  );
  return (
    finer ?? own(measured) ?? serverOf(states) ?? own(states.filter(isPeer)) ?? own(states.filter(isNamed))
  );
}

/** Whether a client reports this about another host, rather than about itself. */
const isPeer = (one: StateSeen): boolean =>
  isNamed(one) &&
  !systems.has(one.object) &&
  !one.object.includes('/') &&
  one.service !== null &&
  one.object !== one.service;

/** A message can name what is in that state: a disk's node, a table. Kubernetes names its kind before it. */
const isPlace = ({ object, said }: StateSeen): boolean =>
  !systems.has(object) && !object.includes('/') && said.includes(object) && !/[.:]/.test(object);

/** About the alert's subject, or about something that a whole cluster depends on. */
const isOf = ({ object, service }: StateSeen, subject: ReadonlySet<string>): boolean =>
  /^node\//i.test(object) || isAmong(subject, service) || isAmong(subject, object.split('/').at(-1) ?? null);

const firstOf = ({ states }: StateCause): number => Math.min(...states.map(({ first }) => first ?? Infinity));

/** Two resources that run out at once, neither of which takes the other. */
function bothOf(causes: readonly StateCause[]): StateCause | null {
  const short = causes.filter(
    ({ condition }) => condition.resource !== undefined && condition.role === 'root',
  );
  const kinds = [...Map.groupBy(short, ({ condition }) => condition.resource).values()].map(([one]) => one!);
  const other = causes.some(({ category }) => category === 'checkpoint_io_storm');
  if (kinds.length !== 2 || other) return null;
  // Open connections also keep the processor busy: the two count as one cause.
  if (kinds.every(({ condition }) => /^(cpu|connections)$/.test(condition.resource!))) return null;
  const [one, two] = kinds as [StateCause, StateCause];
  // Both are about the same thing, and each has a gauge or a message of its own.
  if (one.object !== two.object && one.service !== two.service) return null;
  return {
    states: [...one.states, ...two.states],
    condition: {
      ...one.condition,
      name: `${one.condition.name}, and ${two.condition.name}`,
      remedy: `${one.condition.remedy} ${two.condition.remedy}`,
    },
    category: 'dual_resource_exhaustion',
    object: one.object,
    service: one.service,
    age: one.age === 'after' ? two.age : one.age,
    builtUp: one.builtUp,
    score: Math.max(one.score, two.score) + 0.05,
  };
}
