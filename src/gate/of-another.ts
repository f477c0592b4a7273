/** Figures and times that the lines give to something else than the claim does. */
import { type Clause, clausesOf, fitAt } from './clauses.ts';
import { type Figure, matchFigure } from './figures.ts';
import type { Reading } from './reading.ts';
import type { Segment, Source } from './source.ts';
import { isSameMoment, type Moment } from './times.ts';

/** Words beside a figure that say of what it is: fewer could stand anywhere. */
const minWords = 3;
/** What another record has to hold of them, and by how much more than those with the figure. */
const minFit = 0.5;
const minLead = 0.2;

/** The record that says of another figure or time what the claim says of this one; null where there is none. */
export function saidOfAnother(reading: Reading, source: Source): string | null {
  const clauses = clausesOf(reading, { joined: false });
  const clauseAt = (at: number): Clause | undefined => clauses.find((one) => at >= one.at && at < one.end);
  for (const figure of reading.figures) {
    if (figure.isWord && figure.dimension === null) continue;
    const found = other(clauseAt(figure.at), figure, source, {
      holds: (segment) =>
        segment.figures.some((given) => matchFigure(figure, given, segment.text.slice(0, given.at)) !== null),
      another: (segment) => anotherFigure(figure, segment),
    });
    if (found !== null) return found;
  }
  for (const moment of reading.moments) {
    const found = other(clauseAt(moment.at), moment, source, {
      holds: ({ moments }) => moments.some((given) => isSameMoment(moment, given)),
      another: ({ moments }) => moments.find((given) => isLike(moment, given))?.text ?? null,
    });
    if (found !== null) return found;
  }
  return null;
}

interface Held {
  readonly holds: (segment: Segment) => boolean;
  /** Of the same kind, as it is written. */
  readonly another: (segment: Segment) => string | null;
}

function other(
  clause: Clause | undefined,
  { at, end, text }: { readonly at: number; readonly end: number; readonly text: string },
  source: Source,
  { holds, another }: Held,
): string | null {
  const words = clause?.words.filter((word) => word.at < at || word.at >= end) ?? [];
  if (words.length < minWords) return null;
  let own: number | null = null;
  let best = { fit: 0, said: '' };
  for (const [index, segment] of source.segments.entries()) {
    if (holds(segment)) own = Math.max(own ?? 0, fitAt(words, index, source));
    else {
      const said = another(segment);
      const fit = said === null ? 0 : fitAt(words, index, source);
      if (said !== null && fit > best.fit) best = { fit, said };
    }
  }
  if (own === null || best.fit < minFit || best.fit - own < minLead) return null;
  return `the lines say that of ${best.said}, and not of ${text}`;
}

const anotherFigure = (figure: Figure, { figures }: Segment): string | null =>
  figures.find(
    (given) =>
      !given.isWord &&
      !given.text.includes(':') &&
      isWhole(given) === isWhole(figure) &&
      (given.dimension === figure.dimension || given.dimension === null || figure.dimension === null),
  )?.text ?? null;

const isLike = (moment: Moment, given: Moment): boolean =>
  (moment.second === null) === (given.second === null);

const isWhole = ({ text }: Figure): boolean => !/\d\.\d/.test(text);
