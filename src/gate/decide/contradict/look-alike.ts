/** Finds names of the claim that no line contains, while the lines have another of the same form in their place. */

import type { Reading } from '../../claim/reading.ts';
import { joinLines, type Source } from '../../lines/source.ts';
import { mayBeMissing } from '../../words/turns.ts';
import { isIdle, splitName, toComparable } from '../../words/words.ts';

/** A name that the lines may lack, and a pattern for what they have in its place. */
interface LookAlike {
  readonly name: string;
  readonly at: number;
  readonly like: RegExp;
}

/** `redis.New()` beside `memory.New()`: lower-case owners of the same name. A shorter owner is a variable. */
const ownedCall = /(?<![\p{L}\p{N}_.])(\p{Ll}{4,})\.(\p{L}[\p{L}\p{N}_]{2,})(?=\()/gu;
/** `encoding/json` beside `encoding/gob`. */
const pathPart =
  /(?<![\p{L}\p{N}_./-])(\p{Ll}[\p{Ll}\p{N}]{2,})\/(\p{Ll}[\p{Ll}\p{N}]{2,})(?![\p{L}\p{N}_/-]|\.\p{L})/gu;
/** `SameSite=Strict`, `Vary: Origin`. */
const assignedValue =
  /(?<![\p{L}\p{N}_-])(\p{Lu}[\p{L}\p{N}-]{2,})(?:=|: )(\p{Lu}\p{L}{2,})(?![\p{L}\p{N}_-])/gu;
/** `ENOMEM` beside `ENOBUFS`. */
const capitalsName = /(?<![\p{L}\p{N}_-])(\p{Lu}{2})(\p{Lu}[\p{Lu}\p{N}]+)(?![\p{L}\p{N}_-])/gu;
/** `mkvmerge.exe` beside `mkvtool.exe`. */
const fileName =
  /(?<![\p{L}\p{N}_./-])([\p{L}\p{N}]{3})([\p{L}\p{N}_-]*)(\.\p{Ll}[\p{Ll}\p{N}]{1,4})(?![\p{L}\p{N}_/])/gu;
/** `Oracle Cloud` beside `IBM Cloud`: not at the beginning of a sentence. */
const productName = /(?<=[\p{Ll}\p{N},)] )(\p{Lu}\p{L}{2,}) (\p{Lu}\p{L}{2,})(?![\p{L}\p{N}_-])/gu;

export function findLookAlikes({ text }: Reading, source: Source): readonly string[] {
  const lines = joinLines(source);
  return createLookAlikes(text, lines).flatMap(({ name, at, like }) =>
    !mayBeMissing(text.slice(0, at)) && !isMentioned(name, lines, source) && like.test(lines) ? [name] : [],
  );
}

function createLookAlikes(text: string, lines: string): readonly LookAlike[] {
  const lookAlikes: LookAlike[] = [];
  for (const { 1: owner = '', 2: name = '', index } of text.matchAll(ownedCall))
    lookAlikes.push({
      name: owner,
      at: index,
      like: new RegExp(`(?<![\\p{L}\\p{N}_.])(?!self\\.|this\\.|super\\.)\\p{Ll}{4,}\\.${name}\\(`, 'u'),
    });
  for (const { 1: owner = '', 2: name = '', index } of text.matchAll(pathPart))
    lookAlikes.push({
      name,
      at: index + owner.length + 1,
      like: new RegExp(
        `(?<![\\p{L}\\p{N}_./-])${owner}/\\p{Ll}[\\p{Ll}\\p{N}]{2,}(?![\\p{L}\\p{N}_/-]|\\.\\p{L})`,
        'u',
      ),
    });
  for (const { 0: whole = '', 1: key = '', 2: value = '', index } of text.matchAll(assignedValue))
    lookAlikes.push({
      name: value,
      at: index + whole.length - value.length,
      like: new RegExp(
        `["']${RegExp.escape(key)}["'],\\s*["']|(?<![\\p{L}\\p{N}_-])${RegExp.escape(key)}\\s*[=:]\\s*\\S`,
        'u',
      ),
    });
  for (const { 0: name = '', 1: start = '', index } of text.matchAll(capitalsName))
    if (name.length >= 4 && name !== text.slice(0, name.length))
      lookAlikes.push({
        name,
        at: index,
        like: new RegExp(`(?<![\\p{L}\\p{N}_])${start}\\p{Lu}[\\p{Lu}\\p{N}]+(?![\\p{L}\\p{N}_])`, 'u'),
      });
  for (const { 0: name = '', 1: start = '', 3: ending = '', index } of text.matchAll(fileName))
    lookAlikes.push({
      name,
      at: index,
      like: new RegExp(
        `(?<![\\p{L}\\p{N}_-])${start}[\\p{L}\\p{N}_-]*${RegExp.escape(ending)}(?![\\p{L}\\p{N}_])`,
        'u',
      ),
    });
  // Only if the lines name the product with some maker.
  for (const { 1: name = '', 2: product = '', index } of text.matchAll(productName))
    if (new RegExp(`\\p{Lu}[\\p{L}\\p{N}]+ ${product}(?![\\p{L}\\p{N}])`, 'u').test(lines))
      lookAlikes.push({
        name,
        at: index,
        like: new RegExp(`(?<=[\\p{Ll}\\p{N},)(] )\\p{Lu}\\p{L}+ ${product}(?![\\p{L}\\p{N}])`, 'u'),
      });
  return lookAlikes;
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
