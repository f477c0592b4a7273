/**
 * Finds the service or object that an alert is about, in the names that the systems use, and whether anything is
 * abnormal there.
 */

import { type Facts, serviceOf } from './facts.ts';
import { isRelief, type Movement } from './movement.ts';
import { type CallGraph, findCallees } from './outside/call-graph.ts';
import type { StateSeen } from './state/condition.ts';
import { isBad, isWorse } from './symptoms.ts';
import { distinctiveWords, serviceStem } from './words.ts';

export interface AlertAbout {
  readonly service: string | null;
  readonly metric: string | null;
  /** The alert's name and description as one text. */
  readonly text: string;
  /** Values of its labels: names, not sentences. */
  readonly labels: readonly string[];
}

export interface Subject {
  /** The names by which systems know it; empty if none does. */
  readonly names: ReadonlySet<string>;
  /** The subject, the services that it calls, and those that call it. */
  readonly around: ReadonlySet<string>;
  /** Names from the alert that were looked up among the names of all systems. */
  readonly searchedNames: readonly string[];
}

const isSameName = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || (serviceStem(a) !== '' && serviceStem(a) === serviceStem(b));

/** Whether a label's value is a name: not a severity or the sender. */
const isName = (value: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}_.:/-]{2,120}$/u.test(value) &&
  !/^\d+$|^\d{4}-\d\d-\d\dT\d/.test(value) &&
  !/^(?:page|firing|resolved|active|critical|warning|error|info|high|medium|low|none|true|false)$/i.test(
    value,
  );

const isAlertRow = (row: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(row).some((name) => /^(?:labels[._])?(?:alertname|alert)$/i.test(name));

/** Everything that has a name: services, pods, nodes, databases, machines. */
export function listEntities(facts: Facts, states: readonly StateSeen[]): ReadonlySet<string> {
  // Lists of alerts contain the labels of the alert itself, which does not mean that a system knows the subject.
  const measuredSeries = facts.series.filter(
    (item) => !isAlertRow(item.labels) && !/^ALERTS(?:_|$)/.test(item.name),
  );
  const labels = measuredSeries.flatMap((item) => [
    serviceOf(item),
    ...Object.entries(item.labels).flatMap(([name, value]) =>
      /identifier|instance|host|node|pod|container|service|app|job|deployment|database|db|queue|topic|endpoint/i.test(
        name,
      )
        ? [value]
        : [],
    ),
  ]);
  const rows = facts.tables.flatMap(({ rows }) =>
    rows
      .filter((row) => !isAlertRow(row))
      .flatMap((row) =>
        Object.entries(row).flatMap(([name, value]) =>
          typeof value === 'string' &&
          /^(name|service|deployment|app|node|node_name|pod|db_instance_identifier|id|workload|database|queue|host|instance)$/i.test(
            name,
          )
            ? [value]
            : [],
        ),
      ),
  );
  const foundNames = [
    ...labels,
    ...rows,
    ...[...facts.lines, ...facts.patterns, ...facts.spans, ...facts.changes].map(({ service }) => service),
    ...states.flatMap(({ object, service }) => [object.split('/').at(-1)!, service]),
  ];
  return new Set(foundNames.filter((name): name is string => name !== null && name.length > 1));
}

export function findSubject(
  alert: AlertAbout,
  facts: Facts,
  states: readonly StateSeen[],
  graph: CallGraph,
): Subject {
  const entities = [...listEntities(facts, states)];
  const listKnown = (name: string): readonly string[] =>
    entities.filter((entity) => isSameName(entity, name) || isPartOf(entity, name));
  const metrics =
    alert.metric === null ? [] : facts.series.filter(({ name }) => isSameName(name, alert.metric!));
  const labels = alert.labels.filter(isName);
  const soughtNames = [...new Set([alert.service, alert.metric, ...labels].filter((name) => name !== null))];
  const ownNames = alert.service === null ? [] : listKnown(alert.service);
  const names =
    ownNames.length > 0
      ? [...ownNames, ...labels.flatMap(listKnown)]
      : takeFirstNonEmpty(
          () => labels.flatMap(listKnown),
          () => (alert.service === null ? metrics.flatMap((metric) => serviceOf(metric) ?? []) : []),
          () => (alert.service === null ? splitWords(alert.text).flatMap(listKnown) : []),
          () => (alert.service === null ? findMentioningServices(alert.text, facts) : []),
        );
  const nameSet = new Set(names);
  const around = new Set(
    [...nameSet].flatMap((name) => [name, ...findCallees(graph, name), ...(graph.callers.get(name) ?? [])]),
  );
  return { names: nameSet, around, searchedNames: soughtNames };
}

/** Whether a name is a pod of a deployment: `api-7f9dd8b6c4-x7gr9` of `api`. */
const isPartOf = (pod: string, name: string): boolean =>
  pod.toLowerCase().startsWith(`${name.toLowerCase()}-`) && /\d/.test(pod.slice(name.length));

const takeFirstNonEmpty = (...tries: readonly (() => readonly string[])[]): readonly string[] => {
  for (const attempt of tries) {
    const found = attempt();
    if (found.length > 0) return found;
  }
  return [];
};

const splitWords = (text: string): readonly string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,}/gu) ?? [];

/** The services whose logs contain a message with most words of the alert. */
function findMentioningServices(text: string, { patterns, lines }: Facts): readonly string[] {
  const words = new Set(distinctiveWords(text));
  if (words.size < 2) return [];
  const messages = [...patterns.map((pattern) => ({ ...pattern, text: pattern.example })), ...lines].filter(
    ({ level }) => isBad(level),
  );
  return messages.flatMap(({ text: messageText, service }) => {
    const messageWords = new Set(distinctiveWords(messageText));
    const shared = [...words].filter((word) => messageWords.has(word)).length;
    return service !== null && shared >= 3 && shared >= 0.5 * Math.min(words.size, messageWords.size)
      ? [service]
      : [];
  });
}

export const isAmong = (names: ReadonlySet<string>, name: string | null): boolean =>
  name !== null &&
  [...names].some((other) => isSameName(other, name) || isPartOf(name, other) || isPartOf(other, name));

/** Whether anything about the subject is abnormal: a metric, a new error, a failing call, a state. */
export function isTroubled(
  { names }: Subject,
  facts: Facts,
  movements: readonly Movement[],
  states: readonly StateSeen[],
): boolean {
  return (
    movements.some(
      (movement) =>
        isAmong(names, movement.service) &&
        !(movement.kind === 'demand' && movement.direction === 'up') &&
        !isRelief(movement),
    ) ||
    facts.patterns.some(
      (pattern) => isWorse(pattern) && isBad(pattern.level) && isAmong(names, pattern.service),
    ) ||
    facts.lines.some(
      ({ level, service }) => /err|fatal|crit/i.test(level ?? '') && isAmong(names, service),
    ) ||
    facts.spans.some(({ failed, service }) => failed && isAmong(names, service)) ||
    states.some(
      ({ condition, object, service }) =>
        condition.role !== 'good' && (isAmong(names, service) || isAmong(names, object.split('/').at(-1)!)),
    )
  );
}
