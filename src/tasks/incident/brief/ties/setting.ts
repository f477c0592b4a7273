/** A setting, a limit or a tolerance that the change alters, and that what was seen names by its value or its name. */
import { type Diff, type EditedValue, withoutTexts } from '../edits/diff.ts';
import { isReworded } from '../edits/line-edits.ts';
import { symptomKinds } from '../mechanisms.ts';
import { isRelief } from '../movement.ts';
import { tellingWords } from '../words.ts';
import { isLoosened, loosened } from './loosened.ts';
import { placeFactor } from './place.ts';
import { isHere, isVariantOf } from './state.ts';
import { nameOf, type Rule, shortly, type Tie, type TieContext, type TiedChange } from './tie.ts';

/** A number alone, with a unit or without. */
const alone = (number: string): RegExp =>
  new RegExp(`(?<![\\w.])${number.replace('.', '\\.')}\\s?(?:ms|s|m|min|h|%|[kmg]i?b|bytes)?(?![\\w.])`, 'i');

export const setting: Rule = (tied, context) => {
  const { change, nature, at } = tied;
  const { symptoms, movements, ordinary } = context;
  const { diff } = nature;
  if (diff === null || nature.kind === 'inert') return [];
  // Versions and log messages are no settings; what they bring along counts.
  const isNoSetting = nature.kind === 'vehicle' || nature.kind === 'told';
  const from = (line: string): string => `${nameOf(change)}: ${shortly(line)}`;
  const values = (isNoSetting ? [] : diff.values).flatMap((value): readonly Tie[] => {
    const { line, isText, wasText } = value;
    const number = /\d+(?:\.\d+)?/.exec(isText)?.[0] ?? '';
    const old = /\d+(?:\.\d+)?/.exec(wasText)?.[0] ?? '';
    if (number.length < 2 || alone(number).test(ordinary)) return [];
    const seen = symptoms.find(
      ({ text, evidence }) =>
        evidence !== '' && alone(number).test(text.replace(/\d{4}-\d\d-\d\dT?[\d:.,]*Z?/g, '')),
    );
    return seen === undefined || number === old
      ? []
      : [
          {
            kind: 'setting',
            from: from(line),
            to: shortly(seen.text),
            evidence: [change.evidence, seen.evidence],
            strength:
              (number.length > 2 || isText !== number ? 0.8 : 0.55) * (isLoosened(value) ? loosened : 1),
          },
        ];
  });
  const named = (isNoSetting ? [] : settingsIn(diff)).flatMap((line) =>
    tieByName(line, tied, context).map((one) => (isSpare(one, diff, context) ? weakened(one) : one)),
  );
  const does = nature.mechanisms.flatMap((mechanism): readonly Tie[] => {
    const moved = movements.filter(
      (one) => mechanism.shows.test(one.metric) && one.onset >= at - 90_000 && !isRelief(one),
    );
    const told = symptoms.filter(
      ({ text, evidence, weight }) => evidence !== '' && weight > 0.5 && mechanism.shows.test(text),
    );
    const kinds = symptomKinds(
      told.map(({ text }) => text),
      mechanism.shows,
    );
    return moved.length === 0 || told.length === 0
      ? []
      : [
          {
            kind: 'setting',
            from: `${nameOf(change)}: ${mechanism.says}`,
            to: shortly(`${moved[0]!.metric} of ${moved[0]!.service ?? 'the system'}`),
            evidence: [change.evidence, moved[0]!.evidence],
            strength:
              mechanism.force *
              (kinds > 1 ? 0.58 : kinds > 0 ? 0.45 : 0.28) *
              (isOfProcess.test(mechanism.name) && moved.every((one) => isOfAnother(one, tied, context))
                ? elsewhere
                : 1),
          },
        ];
  });
  const here = placeFactor(tied, context);
  return [
    ...values.slice(0, 2),
    ...named.toSorted((a, b) => b.strength - a.strength).slice(0, 1),
    ...does.slice(0, 1),
  ].map((one) => ({ ...one, strength: one.strength * here * ownMemory(one, tied, context) }));
};

/** A process uses up its own memory: what was delivered to another does not. */
const elsewhere = 0.4;
/** Ways in which a change fills the process in which it runs, and nothing else. */
const isOfProcess = /^(?:grows|the memory or the buffer)$/;
/** Whether it is the memory of what is alerted, while the change went to a variant of it alone. */
const isOfAnother = (
  { metric, service }: TieContext['movements'][number],
  tied: TiedChange,
  { names }: TieContext,
): boolean =>
  service !== tied.service && /mem|heap|rss|oom|restart/i.test(metric) && isVariantOf(names, tied);

function ownMemory({ to, evidence }: Tie, tied: TiedChange, context: TieContext): number {
  const measured = context.movements.find(
    ({ metric, service }) => to === shortly(`${service ?? ''} ${metric}`),
  );
  if (measured !== undefined && isOfAnother(measured, tied, context)) return elsewhere;
  const met = context.states.filter(
    ({ condition, said, evidence: id }) =>
      condition.resource === 'memory' &&
      condition.role === 'root' &&
      evidence.includes(id) &&
      to.includes(said.slice(0, 30)),
  );
  return met.length === 0 || met.some((one) => isHere(tied, one, context)) ? 1 : elsewhere;
}

/** Room for more of something: connections, workers, entries. */
const isRoom = ({ line, near }: EditedValue): boolean =>
  /pool|max|limit|size|capacity|workers?|threads?|concurren|slots?|buffer|quota|replicas/i.test(
    `${line} ${near}`,
  );

/** More room where the old was not used up: nothing had waited for it. */
function isSpare({ to }: Tie, diff: Diff, { movements }: TieContext): boolean {
  const used = movements.find(({ metric, service }) => to === shortly(`${service ?? ''} ${metric}`));
  return (
    used !== undefined &&
    diff.values.some((value) => isRoom(value) && value.is > value.was && used.before < 0.7 * value.was)
  );
}

const weakened = (one: Tie): Tie => ({ ...one, strength: one.strength * loosened });

/** Arguments of errors are no settings. */
const answering = /\b(?:raise|throw|panic!?|abort|reject)\b|(?:Error|Exception)\(/;

const settingsIn = ({ values, texts, switches }: Diff): readonly string[] => [
  ...values
    .filter((value) => !isLoosened(value))
    .map(({ line, near }) => `${withoutTexts(line)} ${/^[\w.-]+:?$/.test(near) ? near : ''}`),
  ...texts
    .filter(({ line, was, is }) => !isReworded(was, is) && !answering.test(line))
    .map(({ line }) => line),
  ...switches,
];

/** Among few changes no word is rare: a changed setting counts at least this much. */
const minRare = 0.5;
/** The surroundings of a setting identify it less than its name: `max` of a pool. */
const within = 0.7;

/** Connects by the name of the setting, or by its surroundings: the name of its file and the lines around it. */
function tieByName(line: string, { change, nature }: TiedChange, context: TieContext): readonly Tie[] {
  const { symptoms, ordinary, rarity, names } = context;
  const own = new Set([...names].flatMap(tellingWords));
  const called = new Set(tellingWords(line));
  const files = change.paths.flatMap((path) =>
    tellingWords((path.split('/').at(-1) ?? '').replace(/\.\w+$/, '')),
  );
  const around = new Set([...files, ...(nature.diff?.around ?? []).slice(0, 8).flatMap(tellingWords)]);
  const worth = (word: string): number =>
    Math.max(rarity(word), minRare) *
    (called.has(word) ? 1 : within) *
    (ordinary.toLowerCase().includes(word) ? 0.8 : 1);
  const [best] = symptoms
    .filter(({ evidence }) => evidence !== '')
    .map((symptom) => {
      const shared = [...new Set([...called, ...around])].filter(
        (word) => !own.has(word) && symptom.words.has(word),
      );
      // The surrounding section counts only if the setting's own name says nothing.
      const isCalled = shared.some((word) => called.has(word)) || (called.size === 0 && shared.length >= 1);
      return {
        symptom,
        sum: isCalled ? shared.reduce((total, word) => total + worth(word), 0) * symptom.weight : 0,
      };
    })
    .toSorted((a, b) => b.sum - a.sum);
  if (best === undefined || best.sum < 0.5) return [];
  return [
    {
      kind: 'setting',
      from: `${nameOf(change)}: ${shortly(line)}`,
      to: shortly(best.symptom.text),
      evidence: [change.evidence, best.symptom.evidence],
      strength: Math.min(0.8, 0.3 + 0.25 * best.sum),
    },
  ];
}
