/** Ties by a flag, or a setting outside of the code, that an observation names or a changed line reads. */
import type { Change } from '../../../../core/index.ts';
import { distinctiveWords } from '../words.ts';
import { formatChangeName, type Rule, shortenText, type Tie } from './tie.ts';

/** Maximum time between a switch and its first log line. Milliseconds. */
const maxLogDelayMs = 3 * 60_000;

/** Whether no line contained the word before the switch, and one did right after. */
function isNewSince(
  word: string,
  { at }: Pick<Change, 'at'>,
  lines: readonly { readonly at: number | null; readonly text: string }[],
): boolean {
  if (word.length < 5) return false;
  const times = lines.flatMap((line) =>
    line.at !== null && distinctiveWords(line.text).includes(word) ? [line.at] : [],
  );
  const first = Math.min(...times);
  return times.length >= 3 && first >= at - 2_000 && first <= at + maxLogDelayMs;
}

export const flag: Rule = ({ change }, { symptoms, common, ordinary, names, facts }) => {
  if (change.kind !== 'flag' && change.kind !== 'config') return [];
  const ownWords = new Set([...common, ...[...names].flatMap(distinctiveWords)]);
  const words = [
    ...new Set(
      distinctiveWords(
        `${change.id} ${change.kind === 'config' ? `${change.title} ${change.diff ?? ''}` : ''}`,
      ),
    ),
  ].filter((word) => !ownWords.has(word) && !/^v\d+$/.test(word));
  const id = change.id.toLowerCase();
  return symptoms
    .filter(({ evidence }) => evidence !== '')
    .flatMap((symptom): readonly Tie[] => {
      const isNamed = id.length > 3 && /[-_.:]/.test(id) && symptom.text.toLowerCase().includes(id);
      const shared = words.filter((word) => symptom.words.has(word));
      const newWords = shared.filter((word) => !ordinary.toLowerCase().includes(word));
      const strength = isNamed
        ? 0.9
        : shared.length >= 2 && shared.length >= 0.5 * Math.min(words.length, 4)
          ? 0.7
          : words.length === 1 && newWords.length > 0 && symptom.weight >= 0.8
            ? 0.45
            : symptom.weight >= 0.8 && newWords.some((word) => isNewSince(word, change, facts.lines))
              ? 0.55
              : 0;
      return strength === 0
        ? []
        : [
            {
              kind: 'flag',
              from: formatChangeName(change),
              to: shortenText(symptom.text),
              evidence: [change.evidence, symptom.evidence],
              strength,
            },
          ];
    })
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, 2);
};
