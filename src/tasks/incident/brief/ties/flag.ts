/** A flag or a setting outside of the code that what was seen names, or that a changed line reads. */
import { tellingWords } from '../words.ts';
import { nameOf, type Rule, shortly, type Tie } from './tie.ts';

export const flag: Rule = ({ change }, { symptoms, common, ordinary, names }) => {
  if (change.kind !== 'flag' && change.kind !== 'config') return [];
  const own = new Set([...common, ...[...names].flatMap(tellingWords)]);
  const words = [
    ...new Set(
      tellingWords(`${change.id} ${change.kind === 'config' ? `${change.title} ${change.diff ?? ''}` : ''}`),
    ),
  ].filter((word) => !own.has(word) && !/^v\d+$/.test(word));
  const id = change.id.toLowerCase();
  return symptoms
    .filter(({ evidence }) => evidence !== '')
    .flatMap((symptom): readonly Tie[] => {
      const isNamed = id.length > 3 && /[-_.:]/.test(id) && symptom.text.toLowerCase().includes(id);
      const shared = words.filter((word) => symptom.words.has(word));
      const fresh = shared.filter((word) => !ordinary.toLowerCase().includes(word));
      const strength = isNamed
        ? 0.9
        : shared.length >= 2 && shared.length >= 0.5 * Math.min(words.length, 4)
          ? 0.7
          : words.length === 1 && fresh.length > 0 && symptom.weight >= 0.8
            ? 0.45
            : 0;
      return strength === 0
        ? []
        : [
            {
              kind: 'flag',
              from: nameOf(change),
              to: shortly(symptom.text),
              evidence: [change.evidence, symptom.evidence],
              strength,
            },
          ];
    })
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, 2);
};
