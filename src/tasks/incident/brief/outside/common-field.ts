/**
 * Finds a value that failing messages share and successful messages of the same service do not: one supplier, one
 * client, one file.
 */
import type { Facts } from '../facts.ts';
import { isRate, type Movement } from '../movement.ts';
import { isAmong } from '../subject.ts';
import { isBad, isWorse } from '../symptoms.ts';
import { type Outside, quoteText } from './outside-cause.ts';

const fieldPattern = /(?<![\w.])([A-Za-z][\w.-]{1,30})=(?:"([^"]{2,60})"|([\w.@/:-]{2,60}))/g;

/** Whether a field identifies the message or describes its outcome, rather than its subject. */
const describesMessage = (name: string): boolean =>
  /^(id|.*_id|trace|span|ts|time|at|level|status|code|err(or)?|msg|message|duration.*|took|ms|line|row|rows|count|n|size|bytes|qty|total|attempt|retry|version|method|path|url|uri|peer|host|port|pid|worker|thread|client_ip|ip|file|batch|step|rejected|ua)$/i.test(
    name,
  );
const isUpstreamField = (name: string): boolean =>
  /supplier|provider|partner|vendor|source|feed|upstream|gateway|carrier|bank|issuer|exchange|origin/i.test(
    name,
  );
const isClientField = (name: string): boolean =>
  /client|customer|tenant|account|user|org|consumer|caller|key|app|api_?key|agent/i.test(name);

/**
 * Thresholds: the minimum numbers of failing and of successful messages; the minimum share of failing messages with the
 * value; the maximum share of successful messages with it.
 */
const minFailing = 20;
const minSuccessful = 10;
const minFailingShare = 0.8;
const maxSuccessfulShare = 0.6;

/** A rise of demand that could do harm, as a factor. */
const minRise = 1.6;
/**
 * The minimum numbers of requests before and since; the minimum share of one client since, and its maximum share
 * before.
 */
const minBefore = 12;
const minSince = 20;
const minShareSince = 0.5;
const maxShareBefore = 0.3;

/**
 * Finds one client that sends most requests of a service since its load rose, and did not before: the additional
 * requests are its.
 */
export function findDominantClient(
  { lines }: Facts,
  movements: readonly Movement[],
  onset: number,
): readonly Outside[] {
  const risen = movements.filter(
    (movement) =>
      movement.service !== null &&
      movement.direction === 'up' &&
      movement.factor >= minRise &&
      (movement.kind === 'demand' || (movement.kind === 'work' && isRate(movement.metric))) &&
      movement.onset <= onset + 3 * 60_000,
  );
  return [...new Set(risen.map(({ service }) => service))].flatMap((service): readonly Outside[] => {
    const rise = risen.find((each) => each.service === service)!;
    const ownLines = lines.filter(
      (line) => line.service === service && line.at !== null && !isBad(line.level),
    );
    const toRepeatedText = ({ text, evidence }: (typeof ownLines)[number]): RepeatedText => ({
      text,
      times: 1,
      evidence,
    });
    const sharesBefore = countFieldValues(
      ownLines.filter(({ at }) => at! < rise.onset - 5 * 60_000).map(toRepeatedText),
    );
    const sharesSince = countFieldValues(ownLines.filter(({ at }) => at! >= rise.onset).map(toRepeatedText));
    return [...sharesSince.values()].flatMap((fieldShare): readonly Outside[] => {
      const { name, value, times, total, example } = fieldShare;
      const totalBefore = [...sharesBefore.values()].find((other) => other.name === name)?.total ?? 0;
      const shareBefore = (sharesBefore.get(`${name}=${value}`)?.times ?? 0) / Math.max(1, totalBefore);
      if (
        !isClientField(name) ||
        total < minSince ||
        totalBefore < minBefore ||
        times < minShareSince * total ||
        shareBefore > maxShareBefore
      )
        return [];
      return [
        {
          kind: 'traffic',
          id: value,
          service,
          since: rise.onset,
          score: 0.8,
          evidence: [example.evidence, rise.evidence],
          why: `${times} of ${total} requests to ${service} are of ${name} ${value} since ${rise.metric} rose, and ${Math.round(100 * shareBefore)} % were before`,
        },
      ];
    });
  });
}

interface RepeatedText {
  readonly text: string;
  readonly times: number;
  readonly evidence: string;
}

/** `around`: the services that the alert depends on, used if the alerted service itself has no such field. */
export function findCommonFields(
  facts: Facts,
  names: ReadonlySet<string>,
  around: ReadonlySet<string> = new Set(),
): readonly Outside[] {
  const ownFields = findFieldsOfFailures(facts, names);
  const others = [...around].filter((name) => !isAmong(names, name));
  return ownFields.length > 0
    ? ownFields
    : others.flatMap((name) => findFieldsOfFailures(facts, new Set([name])));
}

function findFieldsOfFailures({ lines, patterns }: Facts, names: ReadonlySet<string>): readonly Outside[] {
  const ownLines = lines.filter(({ service }) => isAmong(names, service));
  const errorLines = ownLines.filter(({ level }) => /err|crit|fatal|alert|emerg/i.test(level ?? ''));
  const since = Math.min(...errorLines.map(({ at }) => at ?? Infinity));
  const worsePatterns = patterns.filter(
    (pattern) => isWorse(pattern) && isBad(pattern.level) && isAmong(names, pattern.service),
  );
  if (worsePatterns.length === 0) return [];
  const failingTexts = errorLines.map(({ text, evidence }): RepeatedText => ({ text, times: 1, evidence }));
  const calmTexts = ownLines
    .filter(({ level }) => !isBad(level))
    .map(({ text, evidence }): RepeatedText => ({ text, times: 1, evidence }));
  const [failingShares, calmShares] = [countFieldValues(failingTexts), countFieldValues(calmTexts)];
  return [...failingShares.values()].flatMap(({ name, value, times, total, example }): readonly Outside[] => {
    const sameField = [...calmShares.values()].filter((other) => other.name === name);
    const calmTotal = sameField[0]?.total ?? 0;
    const calmShare = (calmShares.get(`${name}=${value}`)?.times ?? 0) / Math.max(1, calmTotal);
    if (
      times < minFailing ||
      times < minFailingShare * total ||
      times < minFailingShare * failingTexts.length ||
      calmTotal < minSuccessful ||
      calmShare > maxSuccessfulShare
    )
      return [];
    const kind = isUpstreamField(name) ? 'upstream' : isClientField(name) ? 'traffic' : null;
    return kind === null
      ? []
      : [
          {
            kind,
            id: value,
            service: example.evidence === '' ? null : ([...names][0] ?? null),
            since,
            score: 0.6,
            evidence: [example.evidence, ...worsePatterns.slice(0, 1).map(({ evidence }) => evidence)],
            why: `${times} of ${failingTexts.length} failing messages are of ${name} ${value}, and ${Math.round(100 * calmShare)} % of the others: ${quoteText(example.text)}`,
          },
        ];
  });
}

interface FieldShare {
  readonly name: string;
  readonly value: string;
  readonly times: number;
  /** Number of messages with the field. */
  readonly total: number;
  readonly example: RepeatedText;
}

function countFieldValues(all: readonly RepeatedText[]): ReadonlyMap<string, FieldShare> {
  const found = new Map<string, FieldShare>();
  const totals = new Map<string, number>();
  for (const message of all)
    for (const [, name = '', quoted, bare] of message.text.matchAll(fieldPattern)) {
      const value = quoted ?? bare ?? '';
      if (describesMessage(name) || /^[\d.]+$/.test(value)) continue;
      totals.set(name, (totals.get(name) ?? 0) + message.times);
      const key = `${name}=${value}`;
      const previous = found.get(key);
      found.set(key, {
        name,
        value,
        times: (previous?.times ?? 0) + message.times,
        total: 0,
        example: previous?.example ?? message,
      });
    }
  return new Map([...found].map(([key, share]) => [key, { ...share, total: totals.get(share.name)! }]));
}
