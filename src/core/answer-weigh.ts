/** What each unit of an answer cites, quotes and claims, and what may carry it besides its own citations. */
import { isClaim } from './answer-claims.ts';
import { type Mention, mentionsIn, unsupportedMark, withoutMarks } from './answer-marks.ts';
import { holdsQuote, quotesIn } from './answer-quotes.ts';
import type { Unit } from './answer-units.ts';
import type { CitationStatus } from './citation.ts';
import type { Evidence } from './evidence.ts';
import { codeSpans } from './text/code-spans.ts';
import { flatSpace } from './text/quote.ts';

/** What re-reading made of an id that an answer cites. */
export interface Known {
  /** Null where nothing of that id was registered. */
  readonly evidence: Evidence | null;
  readonly status: CitationStatus;
}

/** A unit on its way through the gate. */
export interface Weighed {
  readonly unit: Unit;
  readonly text: string;
  readonly mentions: readonly Mention[];
  /** Confirmed evidence that stays cited here. */
  readonly kept: readonly Evidence[];
  readonly quotes: readonly string[];
  /** Marked by an earlier pass. */
  readonly isMarked: boolean;
  readonly isClaim: boolean;
}

/** `failedQuotes` gathers the ids whose evidence lacks a quote that cites them. */
export function weigh(
  unit: Unit,
  whole: string,
  known: ReadonlyMap<string, Known>,
  framing: readonly string[],
  failedQuotes: Set<string>,
): Weighed {
  const text = whole.slice(unit.start, unit.end);
  const mentions = mentionsIn(text);
  const ids = [...new Set(mentions.flatMap((mention) => mention.ids))];
  const valid = ids.flatMap((id) => {
    const found = known.get(id);
    return found?.status === 'valid' && found.evidence !== null ? [found.evidence] : [];
  });
  const quotes = quotesIn(unit, text);
  const isQuoted = quotes.every((quote) => valid.some((item) => holdsQuote(item, quote)));
  if (!isQuoted) for (const { id } of valid) failedQuotes.add(id);
  const words = flatSpace(withoutMarks(text));
  const isFraming = framing.some((own) => flatSpace(own).includes(words));
  return {
    unit,
    text,
    mentions,
    kept: isQuoted ? valid : [],
    quotes,
    isMarked: text.includes(unsupportedMark),
    isClaim: valid.length > 0 || (!isFraming && isClaim(unit, text)),
  };
}

/**
 * For each unit, whose citations may carry it if it has none of its own: the last of its paragraph, with no other
 * citation between, and what introduces it.
 */
export function carriersOf(units: readonly Weighed[]): readonly (readonly Weighed[])[] {
  const carriers: (readonly Weighed[])[] = [];
  let closing: Weighed | null = null;
  for (let index = units.length - 1; index >= 0; index -= 1) {
    const weighed = units[index]!;
    const { block, lead } = weighed.unit;
    if (units[index + 1]?.unit.block !== block) closing = null;
    const introducing = lead === null ? null : units[lead]!;
    const own = weighed.mentions.length > 0;
    carriers.push(own ? [] : [introducing, closing].filter((carrier) => carrier !== null));
    // Only the end of a paragraph closes it; a citation further up carries its own sentence.
    if (own) closing = units[index + 1]?.unit.block === block ? null : weighed;
  }
  return carriers.reverse();
}

export function carries(carrier: Weighed, weighed: Weighed): boolean {
  if (carrier.kept.length === 0 || carrier.isMarked) return false;
  const { quotes, unit } = weighed;
  if (!quotes.every((quote) => carrier.kept.some((item) => holdsQuote(item, quote)))) return false;
  if (unit.kind === 'code' || unit.kind === 'quote') return quotes.length > 0;
  return sharesTerms(weighed.text, carrier.kept);
}

/** Every name in code and every number stands in the evidence, and so does a name or two longer words. */
function sharesTerms(text: string, evidence: readonly Evidence[]): boolean {
  const source = evidence.map(({ file_path, content }) => `${file_path}\n${content}`).join('\n');
  const folded = source.toLowerCase();
  const plain = withoutMarks(text);
  const code = codeSpans(plain).map(({ start, end }) => plain.slice(start, end).replaceAll('`', '').trim());
  const names =
    plain.match(/[\p{L}\p{N}]*[_./][\p{L}\p{N}_./-]*[\p{L}\p{N}]|\p{Ll}+\p{Lu}[\p{L}\p{N}]*/gu) ?? [];
  const numbers = plain.match(/(?<![\p{L}\p{N}_.])\d{2,}(?![\p{L}\p{N}_])/gu) ?? [];
  const exact = [...code.map((term) => term.replace(/\(\)$/, '')), ...names, ...numbers].filter(
    (term) => term !== '',
  );
  if (!exact.every((term) => source.includes(term))) return false;
  const words = new Set(plain.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  return exact.length > 0 || [...words].filter((word) => folded.includes(word)).length >= 2;
}
