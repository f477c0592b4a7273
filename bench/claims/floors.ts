/** Checks that understand nothing: what a real one has to beat. */
import type { Asked, Check } from './set.ts';

const stop = new Set(
  'the and that with for from this are was were not but has have had its into than then they them only also which when where while their there been being would could should'.split(
    ' ',
  ),
);
const words = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[a-z][a-z0-9]{2,}/g) ?? []).filter((word) => !stop.has(word));
const stem = (word: string): string => word.slice(0, 5);

/** Shown where at least half of the words of the claim stand in the lines. */
export const wordOverlap: Check = ({ claim, lines }) => {
  const held = new Set(words(textOf(lines)).map(stem));
  const said = words(claim);
  const shared = said.filter((word) => held.has(stem(word))).length;
  return said.length === 0 || shared / said.length >= 0.5 ? 'shown' : 'not shown';
};

/** Shown where each number, time, name and quotation stands somewhere in the lines. */
export const standsAnywhere: Check = ({ claim, lines }) => {
  const all = textOf(lines).replace(/\s+/g, ' ');
  const plain = (number: string): string => String(Number(number.replaceAll(',', '')));
  const stamps = /\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d{1,2}:\d\d(?::\d\d)?\b/g;
  const numbers = /(?<![\w.])\d[\d,]*(?:\.\d+)?/g;
  const held = new Set((all.match(numbers) ?? []).map(plain));
  const quotes = [...claim.matchAll(/"([^"]{3,})"|`([^`]{2,})`/g)].map(([, a, b]) => a ?? b ?? '');
  const bare = claim.replace(/"[^"]{3,}"|`[^`]{2,}`/g, ' ');
  const exact = [...(bare.match(stamps) ?? []), ...(bare.match(/\b[a-z]\w*_\w+/g) ?? [])];
  const counted = bare.replace(stamps, ' ').match(numbers) ?? [];
  const paths = new Set(lines.map(({ path }) => path));
  return quotes.every((one) => all.includes(one) || paths.has(one)) &&
    exact.every((one) => all.includes(one)) &&
    counted.every((one) => held.has(plain(one)))
    ? 'shown'
    : 'not shown';
};

const textOf = (lines: Asked['lines']): string => lines.map(({ text }) => text).join('\n');
