/**
 * Random worlds: nothing is blamed without a link whose evidence is there, and a change that shares nothing with what
 * was seen is never blamed, whenever it came. `WORLDS` sets how many.
 */
import { expect, it } from 'vitest';
import type { Change, LogPattern, Series } from '../../../../core/index.ts';
import type { Facts, WithEvidence } from '../facts.ts';
import { type JudgedAlert, type Judgement, judge, toBlame } from '../judge.ts';
import { listLinksOfCause } from '../links-of-cause.ts';

const worlds = Number(process.env['WORLDS'] ?? 100);
const start = Date.parse('2026-05-04T06:00:00Z');
const minute = 60_000;

/** The same numbers for the same seed. */
function dice(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const syllables = 'ba ce di fo gu ha ki lo mu ne pa ri so tu va wi xo ye zu'.split(' ');
const seenWords = 'retry pool timeout cache orders stock user_id limit queue send'.split(' ');

function world(seed: number, isApart: boolean): Facts & { readonly service: string } {
  const roll = dice(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(roll() * items.length)]!;
  const word = (tail: string): string => `${pick(syllables)}${pick(syllables)}${pick(syllables)}${tail}`;
  const service = word('x');
  const quote = (): string => (isApart || roll() < 0.5 ? word('q') : pick(seenWords));
  const changed = (): string => (isApart || roll() < 0.5 ? word('k') : pick(seenWords));
  const number = (): number => 2 + Math.floor(roll() * 900);
  const lines: readonly (() => string)[] = [
    () => `-  ${changed()} = ${changed()}(1)\n+  ${changed()} = ${changed()}(1)`,
    () => `-  ${changed()}: ${number()}\n+  ${changed()}: ${number()}`,
    () => `-  ${changed()}("${changed()}")\n+  ${changed()}("${changed()}")`,
    () => `+  for one in ${changed()}:\n+    ${changed()}(one)`,
    () => `-  if ${changed()} is None: return`,
  ];
  const series = Array.from({ length: 3 }, (_, n): WithEvidence<Series> => {
    const [before, after, from] = [1 + roll() * 5, 20 + roll() * 90, 45 + Math.floor(roll() * 20)];
    return {
      name: `${quote()}_${quote()}`,
      labels: { service: n === 0 ? service : word('x') },
      points: Array.from({ length: 90 }, (__, k) => [
        start + k * minute,
        (k < from ? before : after) * (1 + 0.03 * Math.sin(k * (n + 3))),
      ]),
      evidence: `ev-series-${n}`,
    };
  });
  const patterns = Array.from({ length: 2 }, (_, n): WithEvidence<LogPattern> => {
    const template = `${quote()} ${quote()} ${quote()} ${quote()}`;
    return {
      template,
      service,
      level: 'ERROR',
      count: 40,
      baseline: 0,
      first: start + 60 * minute,
      last: start + 89 * minute,
      example: template,
      evidence: `ev-log-${n}`,
    };
  });
  const changes = Array.from({ length: 4 }, (_, n): WithEvidence<Change>[] => {
    const id = Array.from({ length: 40 }, () => Math.floor(roll() * 16).toString(16)).join('');
    const at = start + Math.floor(roll() * 80) * minute;
    const to = roll() < 0.6 ? service : word('x');
    const base = { author: null, commits: [id], paths: [], diff: null };
    return [
      {
        ...base,
        kind: 'commit',
        id,
        at,
        service: null,
        title: changed(),
        paths: [`${to}/${changed()}.py`],
        diff: `@@\n${pick(lines)()}`,
        evidence: `ev-commit-${n}`,
      },
      {
        ...base,
        kind: 'deploy',
        id: `r${n}`,
        at: at + minute,
        service: to,
        title: '',
        evidence: `ev-deploy-${n}`,
      },
    ];
  }).flat();
  const flags: WithEvidence<Change>[] =
    roll() < 0.5
      ? []
      : [
          {
            kind: 'flag',
            id: `${changed()}_${changed()}`,
            at: start + 58 * minute,
            service,
            author: null,
            title: 'off->on',
            commits: [],
            paths: [],
            diff: 'off->on',
            evidence: 'ev-flag',
          },
        ];
  return {
    service,
    series,
    patterns,
    changes: [...changes, ...flags],
    lines: [],
    spans: [],
    alerts: [],
    texts: [],
    tables: [],
  };
}

const judged = (seed: number, isApart: boolean, by: Judge = judge) => {
  const facts = world(seed, isApart);
  return {
    facts,
    judgement: by(facts, { text: 'it is out of order', service: facts.service, at: start + 65 * minute }),
  };
};

type Judge = (facts: Facts, alert: JudgedAlert) => Judgement;

/** Worlds in which something is blamed without a link, or by evidence that is not there. */
function unlinked(by: Judge): { readonly blamed: number; readonly wrong: readonly number[] } {
  let blamed = 0;
  const wrong: number[] = [];
  for (let seed = 1; seed <= worlds; seed += 1) {
    const { facts, judgement } = judged(seed, false, by);
    const blame = toBlame(judgement.cause);
    if (blame === null) continue;
    blamed += 1;
    const links = listLinksOfCause(judgement, blame.id);
    const known = new Set(
      [...facts.series, ...facts.patterns, ...facts.changes].map(({ evidence }) => evidence),
    );
    const isLinked =
      links.length > 0 &&
      links.every(({ evidence }) => evidence.length > 0 && evidence.every((id) => known.has(id)));
    const isLate = judgement.cause?.kind === 'change' && !judgement.cause.of.before;
    if (!isLinked || isLate) wrong.push(seed);
  }
  return { blamed, wrong };
}

/** Worlds in which a change that shares nothing with what was seen is blamed. */
const strangers = (by: Judge): readonly number[] =>
  Array.from({ length: worlds }, (_, seed) => seed + 1).filter(
    (seed) => judged(seed, true, by).judgement.cause?.kind === 'change',
  );

it('no blame without a link, and no link without evidence', () => {
  const { blamed, wrong } = unlinked(judge);
  expect(wrong).toEqual([]);
  expect(blamed).toBeGreaterThan(worlds / 50);
});

it('a change that shares nothing with what was seen is not blamed, whenever it came', () => {
  expect(strangers(judge)).toEqual([]);
});

/** What these two must notice: judges that do not ask for a link. */
const lastBefore: Judge = (facts, alert) => {
  const one = judge(facts, alert);
  const last = one.blamed.filter(({ before }) => before).toSorted((a, b) => b.at - a.at)[0];
  return last === undefined ? one : { ...one, cause: { kind: 'change', of: last } };
};
const withoutEvidence: Judge = (facts, alert) => {
  const one = judge(facts, alert);
  const blamed = one.blamed.map((of) => ({ ...of, ties: of.ties.map((tie) => ({ ...tie, evidence: [] })) }));
  const cause =
    one.cause?.kind === 'change'
      ? { kind: 'change' as const, of: blamed.find(({ id }) => id === toBlame(one.cause)!.id)! }
      : one.cause;
  return { ...one, blamed, cause };
};
it('and both are seen to fail where that is not asked for', () => {
  expect(unlinked(lastBefore).wrong.length).toBeGreaterThan(0);
  expect(unlinked(withoutEvidence).wrong.length).toBeGreaterThan(0);
  expect(strangers(lastBefore).length).toBeGreaterThan(0);
});
