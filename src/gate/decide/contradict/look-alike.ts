/** Finds names of the claim that no line contains, while the lines have another of the same form in their place. */

import type { Reading } from '../../claim/reading.ts';
import { joinLines, type Source } from '../../lines/source.ts';
import { mayBeMissing } from '../../words/turns.ts';
import { isIdle, splitName, toComparable } from '../../words/words.ts';

/** `name` is what the lines lack; `like` finds what they have in its place. */
interface Pair {
  readonly name: string;
  readonly at: number;
  readonly like: RegExp;
}

/** `redis.New()` beside `memory.New()`: lower-case owners of one name. An owner of few letters is a variable. */
const owned = /(?<![\p{L}\p{N}_.])(\p{Ll}{4,})\.(\p{L}[\p{L}\p{N}_]{2,})(?=\()/gu;
/** `encoding/json` beside `encoding/gob`. */
const below =
  /(?<![\p{L}\p{N}_./-])(\p{Ll}[\p{Ll}\p{N}]{2,})\/(\p{Ll}[\p{Ll}\p{N}]{2,})(?![\p{L}\p{N}_/-]|\.\p{L})/gu;
/** `SameSite=Strict`, `Vary: Origin`. */
const assigned = /(?<![\p{L}\p{N}_-])(\p{Lu}[\p{L}\p{N}-]{2,})(?:=|: )(\p{Lu}\p{L}{2,})(?![\p{L}\p{N}_-])/gu;
/** `ENOMEM` beside `ENOBUFS`. */
const capitals = /(?<![\p{L}\p{N}_-])(\p{Lu}{2})(\p{Lu}[\p{Lu}\p{N}]+)(?![\p{L}\p{N}_-])/gu;
/** `mkvmerge.exe` beside `mkvtool.exe`. */
const files =
  /(?<![\p{L}\p{N}_./-])([\p{L}\p{N}]{3})([\p{L}\p{N}_-]*)(\.\p{Ll}[\p{Ll}\p{N}]{1,4})(?![\p{L}\p{N}_/])/gu;
/** `Oracle Cloud` beside `IBM Cloud`: not at the beginning of a sentence. */
const products = /(?<=[\p{Ll}\p{N},)] )(\p{Lu}\p{L}{2,}) (\p{Lu}\p{L}{2,})(?![\p{L}\p{N}_-])/gu;

export function findLookAlikes({ text }: Reading, source: Source): readonly string[] {
  const lines = joinLines(source);
  return findPairs(text, lines).flatMap(({ name, at, like }) =>
    !mayBeMissing(text.slice(0, at)) && !isMentioned(name, lines, source) && like.test(lines) ? [name] : [],
  );
}

function findPairs(text: string, lines: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const { 1: owner = '', 2: name = '', index } of text.matchAll(owned))
    pairs.push({
      name: owner,
      at: index,
      like: new RegExp(`(?<![\\p{L}\\p{N}_.])(?!self\\.|this\\.|super\\.)\\p{Ll}{4,}\\.${name}\\(`, 'u'),
    });
  for (const { 1: owner = '', 2: name = '', index } of text.matchAll(below))
    pairs.push({
      name,
      at: index + owner.length + 1,
      like: new RegExp(
        `(?<![\\p{L}\\p{N}_./-])${owner}/\\p{Ll}[\\p{Ll}\\p{N}]{2,}(?![\\p{L}\\p{N}_/-]|\\.\\p{L})`,
        'u',
      ),
    });
  for (const { 0: whole = '', 1: key = '', 2: value = '', index } of text.matchAll(assigned))
    pairs.push({
      name: value,
      at: index + whole.length - value.length,
      like: new RegExp(
        `["']${RegExp.escape(key)}["'],\\s*["']|(?<![\\p{L}\\p{N}_-])${RegExp.escape(key)}\\s*[=:]\\s*\\S`,
        'u',
      ),
    });
  for (const { 0: name = '', 1: start = '', index } of text.matchAll(capitals))
    if (name.length >= 4 && name !== text.slice(0, name.length))
      pairs.push({
        name,
        at: index,
        like: new RegExp(`(?<![\\p{L}\\p{N}_])${start}\\p{Lu}[\\p{Lu}\\p{N}]+(?![\\p{L}\\p{N}_])`, 'u'),
      });
  for (const { 0: name = '', 1: start = '', 3: ending = '', index } of text.matchAll(files))
    pairs.push({
      name,
      at: index,
      like: new RegExp(
        `(?<![\\p{L}\\p{N}_-])${start}[\\p{L}\\p{N}_-]*${RegExp.escape(ending)}(?![\\p{L}\\p{N}_])`,
        'u',
      ),
    });
  // Where the product is also named alone, or below no other maker, the claim may be of that.
  for (const { 1: name = '', 2: product = '', index } of text.matchAll(products))
    if (new RegExp(`\\p{Lu}[\\p{L}\\p{N}]+ ${product}(?![\\p{L}\\p{N}])`, 'u').test(lines))
      pairs.push({
        name,
        at: index,
        like: new RegExp(`(?<=[\\p{Ll}\\p{N},)(] )\\p{Lu}\\p{L}+ ${product}(?![\\p{L}\\p{N}])`, 'u'),
      });
  return pairs;
}

/** Whether the name, or all its words, occur in the lines, the path, the header or the question. */
function isMentioned(name: string, lines: string, source: Source): boolean {
  const lower = name.toLowerCase();
  if (lines.toLowerCase().includes(lower) || source.known.text.toLowerCase().includes(lower)) return true;
  return splitName(name).every(
    (part) =>
      isIdle(part) ||
      source.known.bases.has(toComparable(part)) ||
      source.segments.some(
        ({ bases, headings }) => bases.has(toComparable(part)) || headings.bases.has(toComparable(part)),
      ),
  );
}
