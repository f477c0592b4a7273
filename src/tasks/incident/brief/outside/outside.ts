/** Finds causes other than our own changes: more demand, an outage of another party, a missing part of the system. */
import { formatShortNumber } from '../../../../core/incidents.ts';
import type { Facts } from '../facts.ts';
import { classifyMetric, isRate, type Movement } from '../movement.ts';
import { isBad, isWorse } from '../symptoms.ts';
import { serviceStem } from '../words.ts';
import { type CallGraph, findCallees } from './call-graph.ts';
import { findLoadSender, findSingleClient } from './callers-load.ts';
import { findCommonFields, findDominantClient } from './common-field.ts';
import { findMissingDependencies } from './dependencies.ts';
import { type Outside, quoteText } from './outside-cause.ts';

/** A rise of demand that could do harm, as a factor. */
const minRise = 1.6;
const minute = 60_000;

export function findOutsideCauses(
  facts: Facts,
  movements: readonly Movement[],
  graph: CallGraph,
  alertService: string | null,
  onset: number,
  names: ReadonlySet<string> = new Set(),
  around: ReadonlySet<string> = new Set(),
): readonly Outside[] {
  return [
    ...findExternalLoad(facts, movements, graph, alertService, onset),
    ...findLoadSender(facts.series, names, graph),
    ...findSingleClient(facts, onset),
    ...findFailingUpstreams(facts, movements, graph, alertService),
    ...findMissingDependencies(facts, onset),
    ...findCommonFields(facts, names, around),
    ...findDominantClient(facts, movements, onset),
  ]
    .map((cause) => ({ ...cause, score: Math.round(cause.score * 1_000) / 1_000 }))
    .sort((a, b) => b.score - a.score);
}

/**
 * External load: requests rise at the entry services, at the latest when the problem begins, and by about the same
 * factor in the services below. If only a service in the middle gets more requests, they come from inside.
 */
function findExternalLoad(
  facts: Facts,
  movements: readonly Movement[],
  graph: CallGraph,
  alertService: string | null,
  onset: number,
): readonly Outside[] {
  const entryServices = new Set(
    [...graph.services].filter((service) => (graph.callers.get(service)?.size ?? 0) === 0),
  );
  const earlyRises = movements.filter(
    (movement) =>
      movement.direction === 'up' && movement.factor >= minRise && movement.onset <= onset + 3 * minute,
  );
  const demandRises = earlyRises.filter(({ kind }) => kind === 'demand');
  const risen = demandRises.length > 0 ? demandRises : findSimilarRises(earlyRises, entryServices);
  if (risen.length === 0) return [];
  const isLoadMetric = (name: string): boolean =>
    demandRises.length > 0 ? isDemand(name) : classifyMetric(name) === 'work' && isRate(name);
  const measuredServices = new Set(
    facts.series
      .filter(({ name }) => isLoadMetric(name))
      .map(({ labels }) => labels['service'] ?? labels['job'] ?? ''),
  );
  const balancerSeries = new Set(
    facts.series
      .filter(({ labels }) =>
        Object.keys(labels).some((name) => /load_?balancer|target_?group|ingress/i.test(name)),
      )
      .map(({ evidence, name }) => `${evidence}/${name}`),
  );
  const entryRises = risen.filter(
    ({ service, evidence, metric }) =>
      (service !== null && entryServices.has(service)) || balancerSeries.has(`${evidence}/${metric}`),
  );
  const share = risen.length / Math.max(1, measuredServices.size);
  const factors = risen.map(({ factor }) => factor);
  const isEven = Math.max(...factors) / Math.min(...factors) < 2;
  // Without spans the entry services are unknown: then the requests of all measured services must have risen.
  const isPlaced =
    balancerSeries.size > 0 ||
    (entryServices.size > 0 && [...entryServices].some((service) => measuredServices.has(service)));
  const comesFromOutside = isPlaced
    ? entryRises.length > 0
    : share > 0.7 &&
      (risen.length > 1 ||
        risen[0]!.service === alertService ||
        isIncoming(risen[0]!.metric) ||
        isPassedOnByCallers(risen[0]!, facts, graph));
  if (!comesFromOutside) return [];
  const rise =
    risen.find(({ service }) => service !== null && service === alertService) ??
    (entryRises.length > 0 ? entryRises : risen)[0];
  return [
    {
      kind: 'traffic',
      id: rise!.service ?? 'the system',
      since: rise!.onset,
      service: rise!.service,
      isPeople:
        rise!.factor >= maxOwnRise &&
        (isIncoming(rise!.metric) || movements.some((other) => countsPeople(other, rise!.onset))),
      score: Math.min(
        0.95,
        0.45 + 0.3 * share + (isEven && risen.length > 1 ? 0.15 : 0) + Math.min(0.1, rise!.factor / 60),
      ),
      evidence: [...new Set(risen.slice(0, 3).map(({ evidence }) => evidence))],
      why: `${rise!.metric} of ${rise!.service ?? 'the system'} rose from ${formatShortNumber(rise!.before)} to ${formatShortNumber(rise!.after)}, and ${share > 0.99 ? 'all' : 'most'} of the services that are measured were asked more`,
    },
  ];
}

/** A change to a caller counts if it was made at most this long before the rise of requests. Milliseconds. */
const recentMs = 60 * minute;

/** Whether the callers of a service only pass requests on: they are not measured, and none of them was changed. */
function isPassedOnByCallers({ service, onset }: Movement, { changes }: Facts, graph: CallGraph): boolean {
  if (service === null) return false;
  const above = [...graph.services].filter((caller) => findCallees(graph, caller).has(service));
  return (
    above.length > 0 &&
    !changes.some(
      (change) =>
        change.kind !== 'commit' &&
        change.at >= onset - recentMs &&
        change.at <= onset + 2 * minute &&
        above.some((name) => change.service !== null && serviceStem(change.service) === serviceStem(name)),
    )
  );
}

/**
 * Finds rates of work that rose at an entry service and by about the same factor in its callees: a sign of more
 * requests. A rise only further down is caused by a change inside.
 */
function findSimilarRises(early: readonly Movement[], entries: ReadonlySet<string>): readonly Movement[] {
  const rates = early.filter(({ kind, metric }) => kind === 'work' && isRate(metric));
  const [first] = rates.filter(({ service }) => service !== null && entries.has(service));
  if (first === undefined) return [];
  const similarRates = rates.filter(
    ({ factor, onset }) =>
      Math.max(factor, first.factor) / Math.min(factor, first.factor) < 2 &&
      Math.abs(onset - first.onset) <= 3 * minute,
  );
  return new Set(similarRates.map(({ service }) => service)).size > 1 &&
    similarRates.length * 2 > rates.length
    ? similarRates
    : [];
}

/** A rise by this factor is never caused by a change of our own. */
const maxOwnRise = 5;
const countsPeople = ({ metric, direction, factor, onset }: Movement, since: number): boolean =>
  /distinct|unique|visitors?|page_?views|client_ips|active_?users/i.test(metric) &&
  direction === 'up' &&
  factor >= minRise &&
  Math.abs(onset - since) <= 10 * minute;

/** Metrics of input from outside, by a queue or a feed. */
const isIncoming = (metric: string): boolean =>
  /(?:messages|events|records|orders|batches)_in(?:_|$)|incoming|received_per|ingested_per|published_per/i.test(
    metric,
  );

const isDemand = (metric: string): boolean =>
  /requests?_per|rps|qps|request_rate|request_?count|throughput|traffic|(?:attempts?|log_?ins?|sign_?(?:ins?|ups?)|hits|visits)_per_/i.test(
    metric,
  );

/**
 * A host name: recognized by its scheme, a known top-level domain, or the words around it. Dots alone may also be a
 * file or a member access.
 */
const hostPattern =
  /\bhttps?:\/\/([a-z0-9.-]+\.[a-z]{2,})|(?<![\w.@/-])((?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|cloud|co|ai|app|eu|de|uk|us|info|biz|example|invalid|test))(?![\w-])|(?<![\w.@/-])((?:[a-z0-9-]+\.){2,}[a-z]{2,3})(?=:\d|\/|,|\s+(?:responded|returned|answered|replied|timed|is|did|failed|closed|refused|reset|said|gave)\b)|\b(?:to|from|at|by|host|upstream|calling|call|lookup|provider|endpoint|peer|reach|contact)[:= ]+((?:[a-z0-9-]+\.){1,}[a-z]{2,})(?![\w-])/g;
const isFile =
  /\.(py|js|ts|go|java|rb|rs|php|cs|json|ya?ml|toml|ini|conf|cfg|xml|html?|csv|log|txt|md|sql|sh|so|lock|proto|gz|zip|svg|png|jpg|css|pem|crt|key|sock|pid|service|ndjson|parquet|tmp)$/i;
/** A line in a server's own access log: the request line, the referring page and the requested host. */
const ownRequest =
  /\\?"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT) \S+ HTTP\/[\d.]+\\?"(?: \d+ (?:\d+|-) \\?"[^"]*")?|\b(?:host|server)[:=]\s?"?[\w.-]+"?/gi;
/** Java packages: `c.q.pricing`, as its logs shorten them, and `org.spring.orm`, a reversed host name. */
const isLogger = /^(?:(?:[a-z]\.){2,}|(?:org|com|net|io|java|javax|jakarta)\.\w+\.\w+)/;
/** Names of settings: `max.poll.interval.ms`. */
const isSettingName =
  /^(?:max|min|num|log)\.|\.(?:ms|sec|bytes|enabled?|size|timeout|interval|count|level|class|dir|max|min|retries)(?:\.|$)/;
const isHost = (name: string): boolean => /\.[a-z]{2,}$/i.test(name);
const failureWords =
  /\b5\d\d\b|time(d[ -]?)?[ -]?out|deadline|unavailable|refused|reset|unreachable|outage|degraded|exceeded|failed|bad gateway|no such host|rate.?limit/i;
const internalHosts =
  /(^|\.)(internal|local|svc|cluster|corp|lan|intra|intranet|localdomain|consul|example\.\w+)$|localhost|github\.com|golang\.org|golang$/i;
const cloudHosts = /(^|\.)(amazonaws\.com|googleapis\.com|windows\.net|azure\.com)$/i;
/** Messages that only the other side can have written. */
const ownFault =
  /\b50[0234]\b|bad gateway|service unavailable|internal (server )?error|maintenance|overloaded/i;
const unavailableWords = /\b50[0234]\b|unavailable|timed? ?out|unreachable|internal error|connection reset/i;
const quotaWords =
  /throttl|quota|rate|limit|capacity|exceeded|denied|forbidden|credential|not found|no ?such/i;
const outageWords = /outage|degraded|disrupt|incident|(elevated|increased) (error|latenc)/i;

/**
 * Whether a status page is about a host: it contains the host without its top-level domain, or two parts of the name,
 * such as service and region.
 */
function isAboutHost(text: string, name: string): boolean {
  const pageText = ` ${text.toLowerCase().replace(/[^a-z0-9-]+/g, ' ')} `;
  const parts = name
    .split('.')
    .slice(0, -1)
    .filter((part) => !/^(api|www|rest|gateway|v\d)$/.test(part));
  const matching = parts.filter((part) => part.length > 1 && pageText.includes(` ${part} `));
  return matching.length > 1 || (parts.length === 1 && matching.length === 1);
}

/**
 * Finds the failure of an external service: failing messages and calls name a host that is not one of our own.
 */
function findFailingUpstreams(
  facts: Facts,
  movements: readonly Movement[],
  graph: CallGraph,
  alertService: string | null,
): readonly Outside[] {
  const found = new Map<
    string,
    { score: number; evidence: Set<string>; quote: string; isOwnFault: boolean }
  >();
  // Spans also name called hosts: a host that sends no spans itself is external.
  const reportingServices = new Set([...facts.lines, ...facts.patterns].map(({ service }) => service));
  const ownNames = new Set(
    [...graph.services, ...facts.series.map(({ labels }) => labels['service'] ?? '')]
      .filter((name) => !isHost(name) || reportingServices.has(name))
      .map(serviceStem),
  );
  const statusPages = facts.texts.filter(({ text }) => outageWords.test(text));
  const addMention = (name: string, weight: number, evidence: string, quote: string, text = ''): void => {
    const key = name.toLowerCase();
    if (internalHosts.test(key) || ownNames.has(serviceStem(key))) return;
    // Errors of cloud APIs are mostly the caller's fault: a limit, a permission, a wrong name.
    if (
      cloudHosts.test(key) &&
      (!unavailableWords.test(text) || quotaWords.test(text)) &&
      !statusPages.some((page) => isAboutHost(page.text, key))
    )
      return;
    const previous = found.get(key) ?? { score: 0, evidence: new Set<string>(), quote, isOwnFault: false };
    previous.score += weight;
    previous.isOwnFault ||= ownFault.test(text);
    if (evidence !== '') previous.evidence.add(evidence);
    found.set(key, previous);
  };
  const findNames = (text: string): readonly string[] =>
    [...text.replace(ownRequest, ' ').matchAll(hostPattern)]
      .map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').toLowerCase())
      .filter(
        (name) => name !== '' && !isFile.test(name) && !isLogger.test(name) && !isSettingName.test(name),
      );
  const worsePatterns = facts.patterns.filter(
    (pattern) => isWorse(pattern) && isBad(pattern.level) && failureWords.test(pattern.template),
  );
  for (const message of worsePatterns)
    for (const name of new Set([...findNames(message.template), ...findNames(message.example)]))
      addMention(name, 0.3, message.evidence, quoteText(message.template), message.template);
  const badLines = facts.lines.filter(({ level, text }) => isBad(level) && failureWords.test(text));
  for (const line of badLines)
    for (const name of findNames(line.text))
      addMention(name, 0.3, line.evidence, quoteText(line.text), line.text);
  for (const span of facts.spans.filter(({ failed }) => failed)) {
    const peer = span.attributes['peer.service'] ?? span.attributes['net.peer.name'] ?? '';
    const names = findNames(`${span.name} ${Object.values(span.attributes).join(' ')}`);
    const isLeaf = !facts.spans.some(({ trace, parent }) => trace === span.trace && parent === span.id);
    if (!isLeaf) continue;
    for (const name of names.length > 0 ? names : peer === '' ? [] : [peer])
      addMention(
        name,
        0.3,
        span.evidence,
        `${quoteText(span.name)} failed`,
        Object.values(span.attributes).join(' '),
      );
  }
  for (const { text, evidence } of statusPages)
    for (const name of found.keys())
      if (findNames(text).includes(name) || isAboutHost(text, name))
        addMention(name, 0.3, evidence, 'its own page says so', 'HTTP 503');
  const upstreamMovements = movements.filter(
    ({ metric, direction }) =>
      direction === 'up' && /upstream|provider|external|third.?party|vendor|partner|egress/i.test(metric),
  );
  // `telmax` and `api.telmax.example` are the same external service.
  for (const [name, { score, evidence, isOwnFault }] of [...found]) {
    const hostOfName = isHost(name)
      ? undefined
      : [...found.keys()].find((other) => other.split('.').includes(name));
    const hostEntry = hostOfName === undefined || hostOfName === name ? undefined : found.get(hostOfName);
    if (hostEntry === undefined) continue;
    hostEntry.score += score;
    hostEntry.isOwnFault ||= isOwnFault;
    for (const id of evidence) hostEntry.evidence.add(id);
    found.delete(name);
  }
  // If several external services fail at once, the cause is something that our calls to them share.
  const atFaultCount = [...found.values()].filter(({ isOwnFault }) => isOwnFault).length;
  if (found.size > 1 && atFaultCount !== 1) return [];
  return [...found]
    .filter(([, { isOwnFault }]) => found.size === 1 || isOwnFault)
    .map(([name, { score, evidence, quote, isOwnFault }]) => ({
      kind: 'upstream' as const,
      id: name,
      isOwnFault,
      score: Math.min(0.95, 0.3 + Math.min(0.45, score) + (upstreamMovements.length > 0 ? 0.2 : 0)),
      evidence: [...evidence, ...upstreamMovements.map((item) => item.evidence)].slice(0, 4),
      why: `calls from ${alertService ?? 'the house'} to ${name} fail: ${quote}`,
    }));
}
