/** Compares claims about which function calls which with the lines of code. */
import type { Reading } from '../../claim/reading.ts';
import { getLastPart } from '../../claim/terms.ts';
import type { Source } from '../../lines/source.ts';
import { mayBeMissing } from '../../words/turns.ts';

const deniedVerb =
  /\b(?:(?:does|do|did|is|are|was)(?: not|n't)|never)\s+(?:ever\s+)?(?:calls?|called|calling|uses?|used|using|imports?|imported|raises?|raised|throws?|thrown|contains?|mentions?|mentioned|includes?|included|reads?|writes?|sets?|invokes?|defines?|defined)\s+(?:the\s+|an?\s+)?[`"']*$/i;
const conditionWord =
  /\b(?:if|when|unless|until|before|after|while|once|except|yet|any ?more|directly|itself|twice|again|only|for|in|during|on|because|since|but|where|whether)\b/i;

/** The line that calls `x`, if the claim says `does not call x`. */
export function findDeniedCall(reading: Reading, source: Source): string | null {
  if (conditionWord.test(reading.text.replace(/`[^`]*`/g, ''))) return null;
  for (const term of reading.terms) {
    if (term.kind !== 'name' || !deniedVerb.test(reading.text.slice(0, term.start))) continue;
    const name = getLastPart(term.text);
    const places = source.names.get(name) ?? [];
    const line = places
      .map((at) => source.segments[at]!)
      .find(({ isCode, text }) => isCode && !isDefinition(text, name));
    if (line !== undefined) return `the lines hold ${name}: ${line.text.trim().slice(0, 80)}`;
  }
  return null;
}

const isDefinition = (text: string, name: string): boolean =>
  new RegExp(
    `\\b(?:def|class|func|function|fn|interface|struct|trait|enum|type)\\s+(?:\\([^)]*\\)\\s*)?${RegExp.escape(name)}\\b`,
  ).test(text);

/** The reason why a claim `a calls b` is reversed: the lines are the body of b, and call a. */
export function findReversedCall(reading: Reading, source: Source): string | null {
  const names = reading.terms.filter(({ kind }) => kind === 'name');
  for (let index = 1; index < names.length; index += 1) {
    const [a, b] = [names[index - 1]!, names[index]!];
    const between = reading.text.slice(a.end, b.start);
    const isActive =
      /^\s*(?:then |directly |also |first |itself )?(?:calls?|invokes?|delegates to|uses|runs|instantiates|awaits)\s+(?:the |an? )?(?:method |function )?[`"']*$/i.test(
        between,
      );
    const isPassive =
      /^\s*(?:is|are|gets|was)\s+(?:called|invoked|used|run|awaited)\s+(?:by|from|in|inside|within)\s+(?:the )?[`"']*$/i.test(
        between,
      );
    if (!isActive && !isPassive) continue;
    const [caller, callee] = (isActive ? [a, b] : [b, a]).map(({ text }) => getLastPart(text));
    const linesWithHeader = [...source.segments.map(({ text }) => text), ...source.known.header.split('\n')];
    const definesCallee = linesWithHeader.some((text) => isDefinition(text, callee!));
    const definesCaller = linesWithHeader.some((text) => isDefinition(text, caller!));
    const callsCaller = source.segments.some(
      ({ text }) =>
        new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(caller!)}\\s*\\(`, 'u').test(text) &&
        !isDefinition(text, caller!),
    );
    const callsCallee = source.segments.some(
      ({ text }) =>
        new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(callee!)}\\s*\\(`, 'u').test(text) &&
        !isDefinition(text, callee!),
    );
    if (
      definesCallee &&
      callsCaller &&
      !definesCaller &&
      !callsCallee &&
      !mayBeMissing(reading.text.slice(0, a.start))
    )
      return `in the lines ${callee} calls ${caller}`;
  }
  return null;
}
