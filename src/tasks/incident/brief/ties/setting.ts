/** Ties by a setting, a limit or a tolerance that the change alters, if an observation contains its name or value. */
import { type Diff, type EditedValue, withoutTexts } from '../edits/diff.ts';
import { isReworded } from '../edits/line-edits.ts';
import { countSymptomKinds } from '../mechanisms.ts';
import { isRelief } from '../movement.ts';
import { distinctiveWords } from '../words.ts';
import { hasMovedSince } from './has-moved-since.ts';
import { placeFactor } from './place.ts';
import { isRaisedLimit, raisedLimitFactor } from './raised-limit.ts';
import { hasReachedObject, isOnlyForVariant } from './state.ts';
import {
  formatChangeName,
  type Rule,
  shortenText,
  type Tie,
  type TieContext,
  type TiedChange,
} from './tie.ts';

/** A number alone, with a unit or without. */
const createNumberPattern = (number: string): RegExp =>
  new RegExp(`(?<![\\w.])${number.replace('.', '\\.')}\\s?(?:ms|s|m|min|h|%|[kmg]i?b|bytes)?(?![\\w.])`, 'i');

export const setting: Rule = (tied, context) => {
  const { change, nature } = tied;
  const { symptoms, movements, ordinary } = context;
  const { diff } = nature;
  if (diff === null || nature.kind === 'inert') return [];
  // Versions and log messages are not settings.
  const hasNoSettings = nature.kind === 'update' || nature.kind === 'logging';
  const formatOrigin = (line: string): string => `${formatChangeName(change)}: ${shortenText(line)}`;
  const valueTies = (hasNoSettings ? [] : diff.values).flatMap((value): readonly Tie[] => {
    const { line, isText, wasText } = value;
    const newNumber = /\d+(?:\.\d+)?/.exec(isText)?.[0] ?? '';
    const oldNumber = /\d+(?:\.\d+)?/.exec(wasText)?.[0] ?? '';
    if (newNumber.length < 2 || createNumberPattern(newNumber).test(ordinary)) return [];
    const seen = symptoms.find(
      ({ text, evidence }) =>
        evidence !== '' &&
        createNumberPattern(newNumber).test(text.replace(/\d{4}-\d\d-\d\dT?[\d:.,]*Z?/g, '')),
    );
    return seen === undefined || newNumber === oldNumber
      ? []
      : [
          {
            kind: 'setting',
            from: formatOrigin(line),
            to: shortenText(seen.text),
            evidence: [change.evidence, seen.evidence],
            strength:
              (newNumber.length > 2 || isText !== newNumber ? 0.8 : 0.55) *
              (isRaisedLimit(value) ? raisedLimitFactor : 1),
          },
        ];
  });
  const nameTies = (hasNoSettings ? [] : listSettings(diff)).flatMap((line) =>
    findTieByName(line, tied, context).map((tie) =>
      hasRaisedUnusedCapacity(tie, diff, context) ? withRaisedLimitFactor(tie) : tie,
    ),
  );
  const mechanismTies = nature.mechanisms.flatMap((mechanism): readonly Tie[] => {
    const movedSeries = movements.filter(
      (movement) =>
        mechanism.symptoms.test(movement.metric) && hasMovedSince(movement, tied) && !isRelief(movement),
    );
    const matchingSymptoms = symptoms.filter(
      ({ text, evidence, weight }) => evidence !== '' && weight > 0.5 && mechanism.symptoms.test(text),
    );
    const symptomKinds = countSymptomKinds(
      matchingSymptoms.map(({ text }) => text),
      mechanism.symptoms,
    );
    return movedSeries.length === 0 || matchingSymptoms.length === 0
      ? []
      : [
          {
            kind: 'setting',
            from: `${formatChangeName(change)}: ${mechanism.description}`,
            to: shortenText(`${movedSeries[0]!.metric} of ${movedSeries[0]!.service ?? 'the system'}`),
            evidence: [change.evidence, movedSeries[0]!.evidence],
            strength:
              mechanism.severity *
              (symptomKinds > 1 ? 0.58 : symptomKinds > 0 ? 0.45 : 0.28) *
              (affectsOwnProcess.test(mechanism.name) &&
              movedSeries.every((movement) => isOfVariantOnly(movement, tied, context))
                ? otherProcessFactor
                : 1),
          },
        ];
  });
  const factor = placeFactor(tied, context);
  return [
    ...valueTies.slice(0, 2),
    ...nameTies.toSorted((a, b) => b.strength - a.strength).slice(0, 1),
    ...mechanismTies.slice(0, 1),
  ].map((tie) => ({ ...tie, strength: tie.strength * factor * memoryFactor(tie, tied, context) }));
};

/** The factor for a change of memory use that was delivered to another process. */
const otherProcessFactor = 0.4;
/** Names of mechanisms that only affect the process in which the code runs. */
const affectsOwnProcess = /^(?:grows|the memory or the buffer)$/;
/** Whether the alerted service is short of memory, but the change was delivered only to a variant of it. */
const isOfVariantOnly = (
  { metric, service }: TieContext['movements'][number],
  tied: TiedChange,
  { names }: TieContext,
): boolean =>
  service !== tied.service && /mem|heap|rss|oom|restart/i.test(metric) && isOnlyForVariant(names, tied);

function memoryFactor({ to, evidence }: Tie, tied: TiedChange, context: TieContext): number {
  const measured = context.movements.find(
    ({ metric, service }) => to === shortenText(`${service ?? ''} ${metric}`),
  );
  if (measured !== undefined && isOfVariantOnly(measured, tied, context)) return otherProcessFactor;
  const matchingStates = context.states.filter(
    ({ condition, quote, evidence: id }) =>
      condition.resource === 'memory' &&
      condition.role === 'root' &&
      evidence.includes(id) &&
      to.includes(quote.slice(0, 30)),
  );
  return matchingStates.length === 0 || matchingStates.some((state) => hasReachedObject(tied, state, context))
    ? 1
    : otherProcessFactor;
}

/** Whether the value is a capacity: connections, workers, entries. */
const isCapacity = ({ line, near }: EditedValue): boolean =>
  /pool|max|limit|size|capacity|workers?|threads?|concurren|slots?|buffer|quota|replicas/i.test(
    `${line} ${near}`,
  );

/** Whether the change raised a capacity that was not used up before. */
function hasRaisedUnusedCapacity({ to }: Tie, diff: Diff, { movements }: TieContext): boolean {
  const capacityMovement = movements.find(
    ({ metric, service }) => to === shortenText(`${service ?? ''} ${metric}`),
  );
  return (
    capacityMovement !== undefined &&
    diff.values.some(
      (value) => isCapacity(value) && value.is > value.was && capacityMovement.before < 0.7 * value.was,
    )
  );
}

const withRaisedLimitFactor = (tie: Tie): Tie => ({ ...tie, strength: tie.strength * raisedLimitFactor });

/** Lines that create an error, whose arguments are not settings. */
const raisesError = /\b(?:raise|throw|panic!?|abort|reject)\b|(?:Error|Exception)\(/;

const listSettings = ({ values, texts, switches }: Diff): readonly string[] => [
  ...values
    .filter((value) => !isRaisedLimit(value))
    .map(({ line, near }) => `${withoutTexts(line)} ${/^[\w.-]+:?$/.test(near) ? near : ''}`),
  ...texts
    .filter(
      ({ line, was, is, isForPeople }) => !isForPeople && !isReworded(was, is) && !raisesError.test(line),
    )
    .map(({ line }) => line),
  ...switches,
];

/** The minimum rarity of a changed setting, since among few changes no word is rare. */
const minRarity = 0.5;
/** The factor for the surroundings of a setting, since they identify it less than its name does. */
const surroundingsFactor = 0.7;

/** Connects by the name of the setting, or by its surroundings: the name of its file and the lines around it. */
function findTieByName(line: string, { change, nature }: TiedChange, context: TieContext): readonly Tie[] {
  const { symptoms, ordinary, rarity, names } = context;
  const ownWords = new Set([...names].flatMap(distinctiveWords));
  const settingWords = new Set(distinctiveWords(line));
  const fileWords = change.paths.flatMap((path) =>
    distinctiveWords((path.split('/').at(-1) ?? '').replace(/\.\w+$/, '')),
  );
  const surroundingWords = new Set([
    ...fileWords,
    ...(nature.diff?.around ?? []).slice(0, 8).flatMap(distinctiveWords),
  ]);
  const rateWord = (word: string): number =>
    Math.max(rarity(word), minRarity) *
    (settingWords.has(word) ? 1 : surroundingsFactor) *
    (ordinary.toLowerCase().includes(word) ? 0.8 : 1);
  const [best] = symptoms
    .filter(({ evidence }) => evidence !== '')
    .map((symptom) => {
      const shared = [...new Set([...settingWords, ...surroundingWords])].filter(
        (word) => !ownWords.has(word) && symptom.words.has(word),
      );
      // The surrounding section counts only if the setting's own name says nothing.
      const isCalled =
        shared.some((word) => settingWords.has(word)) || (settingWords.size === 0 && shared.length >= 1);
      return {
        symptom,
        sum: isCalled ? shared.reduce((total, word) => total + rateWord(word), 0) * symptom.weight : 0,
      };
    })
    .toSorted((a, b) => b.sum - a.sum);
  if (best === undefined || best.sum < 0.5) return [];
  return [
    {
      kind: 'setting',
      from: `${formatChangeName(change)}: ${shortenText(line)}`,
      to: shortenText(best.symptom.text),
      evidence: [change.evidence, best.symptom.evidence],
      strength: Math.min(0.8, 0.3 + 0.25 * best.sum),
    },
  ];
}
