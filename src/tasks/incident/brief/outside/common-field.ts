/**
 * Finds a value that failing messages share and successful messages of the same service do not: one supplier, one
 * client, one file.
 */
import type { Facts } from '../facts.ts';
import { isRate, type Movement } from '../movement.ts';
import { isAmong } from '../subject.ts';
import { isBad, isWorse } from '../symptoms.ts';
import { type Outside, quoteText } from './outside-cause.ts';

const field = /(?<![\w.])([A-Za-z][\w.-]{1,30})=(?:"([^"]{2,60})"|([\w.@/:-]{2,60}))/g;

/** Fields that identify a message or describe how it ended, rather than whom it is about. */
const isOfMessage = (name: string): boolean =>
  /^(id|.*_id|trace|span|ts|time|at|level|status|code|err(or)?|msg|message|duration.*|took|ms|line|row|rows|count|n|size|bytes|qty|total|attempt|retry|version|method|path|url|uri|peer|host|port|pid|worker|thread|client_ip|ip|file|batch|step|rejected|ua)$/i.test(
    name,
  );
const isSource = (name: string): boolean =>
  /supplier|provider|partner|vendor|source|feed|upstream|gateway|carrier|bank|issuer|exchange|origin/i.test(
    name,
  );
const isAsker = (name: string): boolean =>
  /client|customer|tenant|account|user|org|consumer|caller|key|app|api_?key|agent/i.test(name);

/**
 * Minimum number of failing messages; the share of them that must have the value; the largest share of successful ones
 * that may.
 */
const minBad = 20;
const minCalm = 10;
const agree = 0.8;
const usual = 0.6;

/** A rise of demand that could do harm, as a factor. */
const surge = 1.6;
/** How many requests before and since; the share of one that is a flood, and that it had before at most. */
const minBefore = 12;
const minSince = 20;
const flood = 0.5;
const ordinary = 0.3;

/**
 * One of several who ask is most of what a service was asked since, and was not before, while the service was asked far more
 * than it was: its requests are what came on top.
 */
export function oneOfMany(
  { lines }: Facts,
  movements: readonly Movement[],
  onset: number,
): readonly Outside[] {
  const risen = movements.filter(
    (one) =>
      one.service !== null &&
      one.direction === 'up' &&
      one.factor >= surge &&
      (one.kind === 'demand' || (one.kind === 'work' && isRate(one.metric))) &&
      one.onset <= onset + 3 * 60_000,
  );
  return [...new Set(risen.map(({ service }) => service))].flatMap((service): readonly Outside[] => {
    const one = risen.find((each) => each.service === service)!;
    const own = lines.filter((line) => line.service === service && line.at !== null && !isBad(line.level));
    const toTold = ({ text, evidence }: (typeof own)[number]): RepeatedText => ({ text, times: 1, evidence });
    const before = sharesIn(own.filter(({ at }) => at! < one.onset - 5 * 60_000).map(toTold));
    const since = sharesIn(own.filter(({ at }) => at! >= one.onset).map(toTold));
    return [...since.values()].flatMap((most): readonly Outside[] => {
      const { name, value, times, of, one: said } = most;
      const calm = [...before.values()].find((other) => other.name === name)?.of ?? 0;
      const was = (before.get(`${name}=${value}`)?.times ?? 0) / Math.max(1, calm);
      if (!isAsker(name) || of < minSince || calm < minBefore || times < flood * of || was > ordinary)
        return [];
      return [
        {
          kind: 'traffic',
          id: value,
          service,
          since: one.onset,
          score: 0.8,
          evidence: [said.evidence, one.evidence],
          why: `${times} of ${of} requests to ${service} are of ${name} ${value} since ${one.metric} rose, and ${Math.round(100 * was)} % were before`,
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

/** `around`: what the alert depends on; it is looked at where the alerted service itself tells nothing of the kind. */
export function commonFields(
  facts: Facts,
  names: ReadonlySet<string>,
  around: ReadonlySet<string> = new Set(),
): readonly Outside[] {
  const own = fieldsOf(facts, names);
  const others = [...around].filter((name) => !isAmong(names, name));
  return own.length > 0 ? own : others.flatMap((name) => fieldsOf(facts, new Set([name])));
}

function fieldsOf({ lines, patterns }: Facts, names: ReadonlySet<string>): readonly Outside[] {
  const own = lines.filter(({ service }) => isAmong(names, service));
  const bad = own.filter(({ level }) => /err|crit|fatal|alert|emerg/i.test(level ?? ''));
  const since = Math.min(...bad.map(({ at }) => at ?? Infinity));
  const worse = patterns.filter((one) => isWorse(one) && isBad(one.level) && isAmong(names, one.service));
  if (worse.length === 0) return [];
  const told = bad.map(({ text, evidence }): RepeatedText => ({ text, times: 1, evidence }));
  const calm = own
    .filter(({ level }) => !isBad(level))
    .map(({ text, evidence }): RepeatedText => ({ text, times: 1, evidence }));
  const [among, before] = [sharesIn(told), sharesIn(calm)];
  return [...among.values()].flatMap(({ name, value, times, of, one }): readonly Outside[] => {
    const ordinary = [...before.values()].filter((other) => other.name === name);
    const all = ordinary[0]?.of ?? 0;
    const share = (before.get(`${name}=${value}`)?.times ?? 0) / Math.max(1, all);
    if (times < minBad || times < agree * of || times < agree * told.length || all < minCalm || share > usual)
      return [];
    const kind = isSource(name) ? 'upstream' : isAsker(name) ? 'traffic' : null;
    return kind === null
      ? []
      : [
          {
            kind,
            id: value,
            service: one.evidence === '' ? null : ([...names][0] ?? null),
            since,
            score: 0.6,
            evidence: [one.evidence, ...worse.slice(0, 1).map(({ evidence }) => evidence)],
            why: `${times} of ${told.length} failing messages are of ${name} ${value}, and ${Math.round(100 * share)} % of the others: ${quoteText(one.text)}`,
          },
        ];
  });
}

interface Share {
  readonly name: string;
  readonly value: string;
  readonly times: number;
  /** Number of messages with the field. */
  readonly of: number;
  readonly one: RepeatedText;
}

function sharesIn(all: readonly RepeatedText[]): ReadonlyMap<string, Share> {
  const found = new Map<string, Share>();
  const of = new Map<string, number>();
  for (const one of all)
    for (const [, name = '', quoted, bare] of one.text.matchAll(field)) {
      const value = quoted ?? bare ?? '';
      if (isOfMessage(name) || /^[\d.]+$/.test(value)) continue;
      of.set(name, (of.get(name) ?? 0) + one.times);
      const key = `${name}=${value}`;
      const before = found.get(key);
      found.set(key, {
        name,
        value,
        times: (before?.times ?? 0) + one.times,
        of: 0,
        one: before?.one ?? one,
      });
    }
  return new Map([...found].map(([key, one]) => [key, { ...one, of: of.get(one.name)! }]));
}
