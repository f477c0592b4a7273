/** A setting, a limit or a tolerance that the change alters, and that what was seen names by its value or its name. */
import { symptomKinds } from '../mechanisms.ts';
import { tellingWords } from '../words.ts';
import { nameOf, type Rule, shortly, type Tie } from './tie.ts';

/** A number stands there alone, with a unit or without. */
const alone = (number: string): RegExp =>
  new RegExp(`(?<![\\w.])${number.replace('.', '\\.')}\\s?(?:ms|s|m|min|h|%|[kmg]i?b|bytes)?(?![\\w.])`, 'i');

export const setting: Rule = ({ change, nature, at }, { symptoms, movements, ordinary, rarity, names }) => {
  const { diff } = nature;
  if (diff === null || nature.kind === 'inert') return [];
  const from = (line: string): string => `${nameOf(change)}: ${shortly(line)}`;
  const values = diff.values.flatMap(({ line, isText, wasText }): readonly Tie[] => {
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
            strength: number.length > 2 || isText !== number ? 0.8 : 0.55,
          },
        ];
  });
  const lines = [
    ...diff.values.map(({ line, near }) => `${line} ${/^[\w.-]+:?$/.test(near) ? near : ''}`),
    ...diff.texts.map(({ line }) => line),
    ...diff.switches,
  ];
  const own = new Set([...names].flatMap(tellingWords));
  const named = lines.flatMap((line): readonly Tie[] => {
    const words = [...new Set(tellingWords(line))].filter((word) => !own.has(word));
    const best = symptoms
      .filter(({ evidence }) => evidence !== '')
      .map((symptom) => ({ symptom, shared: words.filter((word) => symptom.words.has(word)) }))
      .map((one) => ({
        ...one,
        sum:
          one.shared.reduce(
            (total, word) => total + rarity(word) * (ordinary.toLowerCase().includes(word) ? 0.6 : 1),
            0,
          ) * one.symptom.weight,
      }))
      .toSorted((a, b) => b.sum - a.sum)[0];
    return best === undefined || best.sum < 0.6
      ? []
      : [
          {
            kind: 'setting',
            from: from(line),
            to: shortly(best.symptom.text),
            evidence: [change.evidence, best.symptom.evidence],
            strength: Math.min(0.8, 0.3 + 0.25 * best.sum),
          },
        ];
  });
  const does = nature.mechanisms.flatMap((mechanism): readonly Tie[] => {
    const moved = movements.filter(
      ({ metric, onset }) => mechanism.shows.test(metric) && onset >= at - 90_000,
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
            strength: mechanism.force * (kinds > 1 ? 0.58 : kinds > 0 ? 0.45 : 0.28),
          },
        ];
  });
  return [
    ...values.slice(0, 2),
    ...named.toSorted((a, b) => b.strength - a.strength).slice(0, 1),
    ...does.slice(0, 1),
  ];
};
