/** Whether a term of a claim stands in its source, and where. */
import { dense, flat, normal } from './normal.ts';
import { flatLines, joinedName, type Source } from './source.ts';
import { nameParts, namesInCode, type Term } from './terms.ts';
import { partsOf, wordsIn } from './words.ts';

export interface FoundTerm {
  /**
   * exact: as it is written. loose: in another form, or its pieces apart, which settles nothing for it.
   * known: only in the path, a header or the question.
   */
  readonly how: 'exact' | 'loose' | 'known';
  /** Segments that hold it. */
  readonly segments: readonly number[];
}

export function findTerm(term: Term, source: Source): FoundTerm | null {
  const text = normal(term.text).trim();
  switch (term.kind) {
    case 'name':
      return findName(text, source);
    case 'path':
      return findPath(text, source);
    case 'version':
      return findText(text.replace(/^v(?=\d)/i, ''), source, '(?<![\\p{L}\\p{N}.])v?', '(?![\\p{N}]|\\.\\d)');
    case 'hash':
      return findHash(text, source);
    case 'address':
      return findText(text.replace(/\/$/, ''), source, '', '');
    case 'code':
      return findCode(text, source);
    case 'quote':
      return findQuote(text, source);
    case 'proper':
      return findProper(text, source);
  }
}

const all = (segments: readonly number[] | undefined): readonly number[] => segments ?? [];

function findName(text: string, source: Source): FoundTerm | null {
  if (text.startsWith('--'))
    return findText(text, source, '(?<![\\p{L}\\p{N}-])', '(?![\\p{L}\\p{N}-])') ?? findFlag(text, source);
  if (/^\dxx$/i.test(text))
    return findText(text, source, '', '') ?? findText(text[0]!, source, '(?<!\\d)', '\\d\\d(?!\\d)');
  if (/^#\d+$|^[A-Z][A-Z0-9]*-\d+$/.test(text)) {
    const found = findText(text, source, '(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])');
    return found ?? looseJoined(text, source);
  }
  if (/^\p{L}[^.:>#]*-/u.test(text))
    return (
      findText(text, source, '(?<![\\p{L}\\p{N}_-])', '(?![\\p{L}\\p{N}_]|-\\p{L})') ??
      looseJoined(text, source)
    );
  const parts = nameParts(text.replace(/[!?]$/, ''));
  if (parts.length === 0) return findText(text, source, '', '');
  const places = parts.map((part) => findPart(part, source));
  // Of a name with a qualifier that stands elsewhere the last part is what the lines can hold.
  const end = places.at(-1);
  if (places.some((place) => place === null))
    return (
      looseJoined(text, source) ??
      (places.length > 1 && end !== null && end?.how === 'exact' ? { ...end, how: 'loose' } : null)
    );
  const found = places as readonly FoundTerm[];
  const rank = { exact: 2, loose: 1, known: 0 } as const;
  const last = found.at(-1)!;
  // `Class.method`: the class may stand in the header alone.
  const how =
    found.length === 1
      ? last.how
      : last.how === 'known'
        ? 'known'
        : found.some(({ how }) => how === 'loose')
          ? 'loose'
          : last.how;
  const within = last.segments.filter((segment) => found.every(({ segments }) => segments.includes(segment)));
  return { how: rank[how] === 0 ? 'known' : how, segments: within.length > 0 ? within : last.segments };
}

function findPart(part: string, source: Source): FoundTerm | null {
  const bare = part.replace(/^[@$]/, '');
  const exact = source.names.get(bare) ?? source.names.get(part);
  if (exact !== undefined) return { how: 'exact', segments: exact };
  if (source.known.names.has(bare)) return { how: 'known', segments: [] };
  const joined = joinedName(bare);
  const loose = source.joined.get(joined) ?? source.joined.get(singular(joined));
  if (loose !== undefined) return { how: 'loose', segments: loose };
  if (source.known.joined.has(joined)) return { how: 'known', segments: [] };
  if (partsOf(bare).length === 1) {
    // A word that a longer name begins or ends with: `cache` of `clearCache`.
    const within = source.segments.flatMap(({ words }, index) =>
      words.some(({ text }) => text.toLowerCase() === joined) ? [index] : [],
    );
    if (within.length > 0) return { how: 'loose', segments: within };
  }
  return null;
}

const singular = (word: string): string => (word.endsWith('s') && word.length > 3 ? word.slice(0, -1) : word);

function looseJoined(text: string, source: Source): FoundTerm | null {
  const joined = joinedName(text);
  const found = source.joined.get(joined);
  if (found !== undefined) return { how: 'loose', segments: found };
  return source.known.joined.has(joined) ? { how: 'known', segments: [] } : null;
}

/** `--max-count` is `max_count` where it is declared. */
function findFlag(text: string, source: Source): FoundTerm | null {
  const found = source.joined.get(joinedName(text));
  return found === undefined ? null : { how: 'loose', segments: found };
}

function findPath(text: string, source: Source): FoundTerm | null {
  const path = text
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/$/, '')
    .replace(/[:#]L?\d+(?:-\d+)?$/, '');
  const isOne = (given: string): boolean =>
    given === path ||
    given.endsWith(`/${path}`) ||
    path.endsWith(`/${given}`) ||
    `/${given}/`.includes(`/${path}/`);
  if (path !== '' && source.paths.some(isOne)) return { how: 'known', segments: [] };
  const inLines = findText(path, source, '(?<![\\p{L}\\p{N}_-])', '(?![\\p{L}\\p{N}_-])');
  if (inLines !== null) return inLines;
  if (source.known.text.includes(path)) return { how: 'known', segments: [] };
  // `a/b` may be an import without its ending, or a module: `a.b`.
  const bare = path.replace(/\.\p{L}{1,4}$/u, '');
  if (bare !== path && bare.includes('/')) {
    const found =
      findText(bare, source, '(?<![\\p{L}\\p{N}_])', '(?![\\p{L}\\p{N}_])') ??
      findText(bare.replaceAll('/', '.'), source, '', '(?![\\p{L}\\p{N}_])');
    if (found !== null) return { ...found, how: 'loose' };
  }
  return null;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function findText(text: string, source: Source, before: string, behind: string): FoundTerm | null {
  if (text === '') return null;
  const form = new RegExp(`${before}${escaped(text)}${behind}`, 'iu');
  const segments = source.segments.flatMap(({ text: given }, index) => (form.test(given) ? [index] : []));
  if (segments.length > 0) return { how: 'exact', segments };
  return form.test(source.known.text) ? { how: 'known', segments: [] } : null;
}

function findHash(text: string, source: Source): FoundTerm | null {
  const segments = source.segments.flatMap(({ text: given }, index) =>
    [...given.matchAll(/[0-9a-f]{7,64}/gi)].some(([hash]) => hash.startsWith(text) || text.startsWith(hash))
      ? [index]
      : [],
  );
  if (segments.length > 0) return { how: 'exact', segments };
  return source.known.text.includes(text.slice(0, 7)) ? { how: 'known', segments: [] } : null;
}

/** What leaves something out: `…`, `...` and what stands for anything. */
const gap = /\s*(?:\u2026|\.{3}|<[\p{L} _-]+>)\s*/u;

function findCode(text: string, source: Source): FoundTerm | null {
  const plain = dense(text.replace(/["'`]/g, "'"));
  if (gap.test(text) && plain.length > 3 && source.denses.some((whole) => indexOfPiece(whole, plain, 0) >= 0))
    return { how: 'exact', segments: segmentsWith(plain, source) };
  const pieces = text
    .split(gap)
    .map((piece) => dense(piece.replace(/["'`]/g, "'")))
    .filter((piece) => piece !== '');
  if (pieces.length === 0) return { how: 'loose', segments: [] };
  const isWhole = pieces.length === 1 && !gap.test(text);
  for (const all of source.denses) {
    let from = 0;
    const inOrder = pieces.every((piece) => {
      const at = indexOfPiece(all, piece, from);
      from = at + piece.length;
      return at >= 0;
    });
    if (inOrder) return { how: isWhole ? 'exact' : 'loose', segments: segmentsWith(pieces[0]!, source) };
  }
  if (pieces.every((piece) => dense(source.known.text.replace(/["'`]/g, "'")).includes(piece)))
    return { how: 'known', segments: [] };
  const named = namesInCode(text);
  const literals = [...text.matchAll(/(["'])((?:\\.|(?!\1).)+)\1/g)].map(([, , inner]) => inner!);
  const numbers = text.match(/(?<![\p{L}\p{N}_.])\d+(?:\.\d+)?(?![\p{L}\p{N}_])/gu) ?? [];
  const whole = `${source.segments.map(({ text: given }) => given).join('\n')}\n${source.known.text}`;
  const isThere =
    named.every((name) => findPart(name, source) !== null || keywords.has(name)) &&
    literals.every((literal) => whole.toLowerCase().includes(literal.toLowerCase())) &&
    numbers.every((one) => new RegExp(`(?<![\\p{N}.])${escaped(one)}(?![\\p{N}])`, 'u').test(whole));
  if (isThere && isWhole && isAltered(text, source)) return null;
  if (named.length + literals.length + numbers.length === 0)
    // Signs alone: their absence says little.
    return { how: 'loose', segments: [] };
  return isThere ? { how: 'loose', segments: all(source.names.get(named[0] ?? '')) } : null;
}

const token = /[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|[^\s\p{L}\p{N}]/gu;
const shortest = 4;

/** Whether the lines hold it but for one word or number, which is another there. */
function isAltered(text: string, source: Source): boolean {
  const own = text.match(token) ?? [];
  if (own.length < shortest) return false;
  return source.segments.some(({ text: given }) => {
    const tokens = given.match(token) ?? [];
    for (let from = 0; from + own.length <= tokens.length; from += 1) {
      let other = 0;
      for (let at = 0; at < own.length && other < 2; at += 1)
        if (own[at] !== tokens[from + at])
          other += /[\p{L}\p{N}]/u.test(own[at]!) && /[\p{L}\p{N}]/u.test(tokens[from + at]!) ? 1 : 2;
      if (other === 1) return true;
    }
    return false;
  });
}

/** A number that goes on at either end is another number. */
function indexOfPiece(text: string, piece: string, from: number): number {
  for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1)) {
    const cutsBefore = /^\d/.test(piece) && /[\d.]/.test(text[at - 1] ?? '');
    const cutsBehind =
      /\d$/.test(piece) && /^\.?\d/.test(text.slice(at + piece.length, at + piece.length + 2));
    if (!cutsBefore && !cutsBehind) return at;
  }
  return -1;
}

const keywords = new Set(
  'if else elif for while return def func function fn class new not and or in is true false null None True False nil undefined await async const let var int str string bool void self this type struct import from'.split(
    ' ',
  ),
);

function segmentsWith(piece: string, source: Source): readonly number[] {
  const found = source.segments.flatMap(({ text }, index) =>
    dense(text.replace(/["'`]/g, "'")).includes(piece) ? [index] : [],
  );
  if (found.length > 0) return found;
  const first = /[\p{L}_$][\p{L}\p{N}_$]*/u.exec(piece)?.[0];
  return first === undefined ? [] : all(source.names.get(first));
}

function findQuote(text: string, source: Source): FoundTerm | null {
  const pieces = text
    .split(/\s*(?:\u2026|\.{3}|\[\.{3}\])\s*/)
    .map((piece) => flatLines(piece.replace(/\*\*|`/g, '')).replace(/[.,;:!?]+$/, ''))
    .filter((piece) => piece !== '');
  if (pieces.length === 0) return { how: 'loose', segments: [] };
  const holds = (whole: string): boolean => {
    let from = 0;
    return pieces.every((piece) => {
      const at = whole.indexOf(piece, from);
      from = at + piece.length;
      return at >= 0;
    });
  };
  const plainFlats = source.flats.map((whole) => whole.replace(/\*\*|`/g, ''));
  if (source.flats.some(holds) || plainFlats.some(holds)) {
    const segments = source.segments.flatMap(({ text: given }, index) =>
      pieces.some((piece) =>
        flatLines(given)
          .replace(/\*\*|`/g, '')
          .includes(piece),
      )
        ? [index]
        : [],
    );
    return { how: pieces.length === 1 ? 'exact' : 'loose', segments };
  }
  if (holds(flat(source.known.text).toLowerCase())) return { how: 'known', segments: [] };
  // A text in code is broken over lines, with placeholders: `"a " + b`, `"a {x}"`.
  const squeezed = pieces.map((piece) => piece.replace(/[^\p{L}\p{N}]+/gu, ''));
  const isSqueezed = source.flats.some((whole) => {
    const bare = whole.replace(/[^\p{L}\p{N}]+/gu, '');
    return squeezed.every((piece) => piece.length >= 6 && bare.includes(piece));
  });
  return isSqueezed ? { how: 'loose', segments: [] } : null;
}

function findProper(text: string, source: Source): FoundTerm | null {
  const exact = findText(text, source, '(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])');
  if (exact !== null) return exact;
  const joined = looseJoined(text, source);
  if (joined !== null) return joined;
  const parts = wordBases(text);
  const segments = source.segments.flatMap(({ bases }, index) =>
    parts.every((part) => bases.has(part)) ? [index] : [],
  );
  return segments.length > 0 ? { how: 'loose', segments } : null;
}

const wordBases = (text: string): readonly string[] => wordsIn(text).map(({ base }) => base);
