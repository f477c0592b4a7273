/**
 * Finds a value that failing messages share and successful messages of the same service do not: one supplier, one
 * client, one file.
 */
import type { Facts } from './facts.ts';
import { type Outside, quoteText } from './outside-cause.ts';
import { isAmong } from './subject.ts';
import { isBad, isWorse } from './symptoms.ts';

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

interface RepeatedText {
  readonly text: string;
  readonly times: number;
  readonly evidence: string;
}

export function commonFields({ lines, patterns }: Facts, names: ReadonlySet<string>): readonly Outside[] {
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
