/** Finds missing parts of the system, by the messages of services that wait for them. */
import type { Facts } from '../facts.ts';
import { isBad, isWorse } from '../symptoms.ts';
import { serviceStem } from '../words.ts';
import { type Outside, quoteText } from './outside-cause.ts';

const minute = 60_000;

const missingMessage =
  /connection refused|econnrefused|no route to host|host (is )?unreachable|clusterdown|no (leader|primary|master)|lost quorum|connection reset by peer|failover in progress/i;
const targetName =
  /\b([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*):(?:\d{2,5}\b|<[^>]{1,12}>)|(?<![\w-])(redis|kafka|rabbitmq|etcd|consul|zookeeper|memcached|elasticsearch|cassandra|mongo\w*|postgres\w*|mysql|vault|nats)(?![\w-])/i;

/** Finds internal services that others wait for and that are missing, although nothing was deployed to them. */
export function findMissingDependencies(facts: Facts, onset: number): readonly Outside[] {
  const missingMessages = [
    ...facts.patterns
      .filter((logPattern) => isWorse(logPattern) && isBad(logPattern.level))
      .map((logPattern) => ({
        text: `${logPattern.template} ${logPattern.example}`,
        quote: logPattern.template,
        evidence: logPattern.evidence,
      })),
    ...facts.lines
      .filter(({ level }) => isBad(level))
      .map((logLine) => ({ ...logLine, quote: logLine.text })),
  ].filter(({ text }) => missingMessage.test(text));
  const changedServices = new Set(
    facts.changes
      .filter(({ kind, at }) => kind !== 'commit' && at <= onset + 2 * minute)
      .flatMap(({ service }) => (service === null ? [] : [serviceStem(service)])),
  );
  const found = new Map<string, { readonly quote: string; readonly evidence: Set<string> }>();
  for (const { text, quote, evidence } of missingMessages) {
    const match = targetName.exec(text);
    const name = (match?.[1] ?? match?.[2])?.toLowerCase();
    if (name === undefined || changedServices.has(serviceStem(name))) continue;
    const previous = found.get(name) ?? { quote, evidence: new Set<string>() };
    previous.evidence.add(evidence);
    found.set(name, previous);
  }
  return [...found].map(([name, { quote, evidence }]) => ({
    kind: 'capacity' as const,
    id: name,
    score: 0.45,
    evidence: [...evidence].slice(0, 3),
    why: `messages tell that ${name} is not there: ${quoteText(quote)}`,
  }));
}
