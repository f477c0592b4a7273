/** Whether and where a source holds a term of a claim. */

import type { Term } from '../claim/terms.ts';
import { normalizeUnicode } from '../words/normal.ts';
import { splitWords } from '../words/words.ts';
import { type FoundTerm, findIgnoringSeparators, findName, findText } from './find-name.ts';
import { findCode, findQuote } from './find-quoted.ts';
import type { Source } from './source.ts';

export function findTerm(term: Term, source: Source): FoundTerm | null {
  const text = normalizeUnicode(term.text).trim();
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
      return findText(text.replace(/\/$/, ''), source, '(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])');
    case 'code':
      return findCode(text, source);
    case 'quote':
      return findQuote(text, source);
    case 'proper':
      return findProper(text, source);
  }
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
  // `config/` is not in `config.xml`.
  const isFolder = text.endsWith('/') && !path.includes('/');
  const asFolder = isFolder ? findText(`${path}/`, source, '(?<![\\p{L}\\p{N}_-])', '') : null;
  if (asFolder !== null) return asFolder;
  if (inLines !== null) return isFolder ? { ...inLines, how: 'loose' } : inLines;
  if (source.known.text.includes(path)) return { how: 'known', segments: [] };
  // `a/b` may be an import without its extension, or a module: `a.b`.
  const bare = path.replace(/\.\p{L}{1,4}$/u, '');
  if (bare !== path && bare.includes('/')) {
    const found =
      findText(bare, source, '(?<![\\p{L}\\p{N}_])', '(?![\\p{L}\\p{N}_])') ??
      findText(bare.replaceAll('/', '.'), source, '', '(?![\\p{L}\\p{N}_])');
    if (found !== null) return { ...found, how: 'loose' };
  }
  return null;
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

function findProper(text: string, source: Source): FoundTerm | null {
  // `node-1` does not occur in `node-1-spare`.
  const [before, behind] = text.includes('-')
    ? ['(?<![\\p{L}\\p{N}]|\\p{L}-)', '(?![\\p{L}\\p{N}]|-\\p{L})']
    : ['(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])'];
  const exact = findText(text, source, before!, behind!);
  if (exact !== null) return exact;
  const joined = findIgnoringSeparators(text, source);
  if (joined !== null) return joined;
  const parts = wordBases(text);
  const segments = source.segments.flatMap(({ bases }, index) =>
    parts.every((part) => bases.has(part)) ? [index] : [],
  );
  return segments.length > 0 ? { how: 'loose', segments } : null;
}

const wordBases = (text: string): readonly string[] => splitWords(text).map(({ base }) => base);
