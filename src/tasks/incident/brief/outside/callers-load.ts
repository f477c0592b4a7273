/**
 * Finds the sender of extra load: a server gets more requests while the machines of another service do more work, or
 * one of several clients that are counted separately sends more than before.
 */
import { formatShortNumber } from '../../../../core/incidents.ts';
import type { Series } from '../../../../core/index.ts';
import { type Facts, serviceOf, type WithEvidence } from '../facts.ts';
import { classifyMetric, findMovement, type Movement } from '../movement.ts';
import { isAmong } from '../subject.ts';
import { type CallGraph, findCallees } from './call-graph.ts';
import type { Outside } from './outside-cause.ts';

/** The minimum rise, as a factor; the minimum correlation of both series, up to 1; the minimum number of points. */
const minRise = 1.6;
const minCorrelation = 0.9;
const minPoints = 6;

/**
 * Whether a series measures the load of a server: its connections or requests, since a busy processor may have other
 * reasons.
 */
const isServerLoad = (name: string): boolean =>
  /conn|quer|request|iops|session/i.test(name) && !isSymptomSeries(name);
const isBusy = (name: string): boolean => /cpu|request|rps|load/i.test(name) && !isSymptomSeries(name);

/** Whether a series measures a symptom: errors and latency rise on both sides, so they do not show the sender. */
const isSymptomSeries = (name: string): boolean =>
  classifyMetric(name) === 'errors' ||
  classifyMetric(name) === 'latency' ||
  /error|fail|refus|reject|abort|wait/i.test(name);

export function findLoadSender(
  all: readonly WithEvidence<Series>[],
  names: ReadonlySet<string>,
  graph: CallGraph,
): readonly Outside[] {
  const serverSeries = all.find(
    (item) => isAmong(names, serviceOf(item)) && isServerLoad(item.name) && hasRisen(item),
  );
  if (serverSeries === undefined) return [];
  // The server's callees are busy because of it, so they are not senders.
  const callees = new Set([...names].flatMap((name) => [...findCallees(graph, name)]));
  const senderSeries = all.filter((item) => {
    const service = serviceOf(item);
    return (
      service !== null &&
      !isAmong(names, service) &&
      !callees.has(service) &&
      isBusy(item.name) &&
      hasRisen(item) &&
      correlation(serverSeries, item) >= minCorrelation
    );
  });
  const [sender] = senderSeries;
  // If the load of all services rises, none of them can be named as the sender.
  if (sender === undefined || new Set(senderSeries.map(serviceOf)).size !== 1) return [];
  const service = serviceOf(sender)!;
  const formatRange = (series: WithEvidence<Series>): string =>
    `from ${formatShortNumber(series.points[0]![1])} to ${formatShortNumber(maxValue(series))}`;
  return [
    {
      kind: 'traffic',
      id: service,
      service,
      score: 0.55,
      evidence: [sender.evidence, serverSeries.evidence],
      why: `${sender.name} of ${service} rose ${formatRange(sender)} in step with ${serverSeries.name} of ${serviceOf(serverSeries)}, ${formatRange(serverSeries)}`,
    },
  ];
}

const maxValue = ({ points }: Series): number => points.reduce((max, [, value]) => Math.max(max, value), 0);
const hasRisen = (item: Series): boolean =>
  item.points.length >= minPoints && item.points[0]![1] > 0 && maxValue(item) >= minRise * item.points[0]![1];

/** The correlation of two series over the times that both have. */
function correlation(item: Series, other: Series): number {
  const valueAt = new Map(other.points);
  const pairs = item.points.flatMap(([at, value]) => {
    const otherValue = valueAt.get(at);
    return otherValue === undefined ? [] : [[value, otherValue] as const];
  });
  if (pairs.length < minPoints) return 0;
  const mean = (k: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[k], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  const sum = (term: (x: number, y: number) => number): number =>
    pairs.reduce((total, [x, y]) => total + term(x - a, y - b), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y) || 1);
}

/** The name of a series that counts the requests of one of several clients. */
const clientSeriesName =
  /^(?<stem>.+?)[_.](?<what>tenant|customer|client|account|user|org|shop|partner|api_?key|consumer|team)[_.](?<who>[\w-]+)$/i;
const clientLabel =
  /^(tenant|customer|client|account|user|org|shop|partner|api_?key|consumer|team)(_?(id|name))?$/i;
/** The factor by which the requests of one client must rise while those of no other client do. */
const minClientRise = 3;

interface CallerSeries {
  readonly group: string;
  readonly who: string;
  readonly series: WithEvidence<Facts['series'][number]>;
}

/**
 * Finds one tenant, client or key whose requests rise while those of all others stay level. Then the cause has a name,
 * and is not a general growth of demand.
 */
export function findSingleClient({ series }: Facts, onset: number): readonly Outside[] {
  const all = series.flatMap((item): readonly CallerSeries[] => {
    const named = clientSeriesName.exec(item.name)?.groups;
    const [key, value] = Object.entries(item.labels).find(([name]) => clientLabel.test(name)) ?? [];
    const [stem, what, who] = named
      ? [named['stem']!, named['what']!, named['who']!]
      : [item.name, key, value];
    if (what === undefined || who === undefined || classifyMetric(stem) !== 'demand') return [];
    return [{ group: `${serviceOf(item)}/${stem}/${what}`, who: `${what} ${who}`, series: item }];
  });
  return [...Map.groupBy(all, ({ group }) => group).values()].flatMap((members): readonly Outside[] => {
    if (members.length < 2) return [];
    const risen = members.flatMap((member): readonly (CallerSeries & { readonly movement: Movement })[] => {
      const movement = findMovement(member.series);
      return movement !== null && movement.direction === 'up' && movement.factor >= 1.5
        ? [{ ...member, movement }]
        : [];
    });
    const [client] = risen;
    if (
      client === undefined ||
      risen.length > 1 ||
      client.movement.factor < minClientRise ||
      client.movement.onset > onset + 180_000
    )
      return [];
    // Its requests must be a large part of all requests.
    const others = members
      .filter(({ who }) => who !== client.who)
      .map(({ series: { points } }) => computeMean(points));
    if (client.movement.after < 0.3 * others.reduce((sum, value) => sum + value, 0)) return [];
    return [
      {
        kind: 'traffic',
        id: client.who,
        service: serviceOf(client.series),
        since: client.movement.onset,
        score: 0.8,
        evidence: members.slice(0, 3).map(({ series: { evidence } }) => evidence),
        why: `${client.series.name} rose from ${formatShortNumber(client.movement.before)} to ${formatShortNumber(client.movement.after)}, and that of the others kept its course`,
      },
    ];
  });
}

const computeMean = (points: readonly (readonly [number, number])[]): number =>
  points.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, points.length);
