import { describe, expect, test } from 'vitest';
import type { CitationClaim } from './citation.ts';
import { createEvidence } from './evidence.ts';
import { checkCitations, checkClaim } from './gate.ts';
import { sha256 } from './id.ts';
import type { TextReader, Unreadable } from './material.ts';
import { toReadTrail } from './trail.ts';

const lines = [
  'import os',
  '',
  'def greet(name,  loud=False):',
  '    """Say "hello" to … name."""',
  '    text = f"hello {name}"',
  '    return text.upper() if loud else text',
  '',
  '# the END',
  'def greet_all(*names):',
  '    ...',
  '    return [greet(n) for n in names]',
] as const;

function reader(files: Readonly<Record<string, readonly string[] | Unreadable['reason']>>): TextReader {
  return {
    readText: async (path) => {
      const file = files[path] ?? 'missing';
      return typeof file === 'string'
        ? { kind: 'unreadable', reason: file, message: `${path}: ${file}` }
        : { kind: 'text', lines: file, finalNewline: path === 'nl.py' };
    },
  };
}

const material = reader({
  'a.py': lines,
  'nl.py': lines,
  'out.py': 'outside_root',
  'bin.py': 'not_text',
  'huge.py': 'too_large',
  'other.py': 'out_of_scope',
});
const at = (start: number, end: number, quote?: string): CitationClaim => ({
  path: 'a.py',
  start,
  end,
  ...(quote !== undefined && { quote }),
});

const cases: readonly [what: string, claim: CitationClaim, status: string, found?: [number, number]][] = [
  ['lines alone', at(1, 11), 'valid'],
  ['one line', at(11, 11, 'return [greet(n) for n in names]'), 'valid'],
  ['a part of a line', at(3, 6, 'text.upper()'), 'valid'],
  ['runs of white space', at(3, 3, '  def   greet(name,\tloud=False):\n'), 'valid'],
  ['over lines', at(5, 6, 'text = f"hello {name}" return text.upper()'), 'valid'],
  ['over an empty line', at(6, 8, 'else text\n\n# the END'), 'valid'],
  ['white space is not nothing', at(3, 3, 'def greet(name,loud=False):'), 'quote_not_found'],
  ['case counts', at(8, 8, '# the end'), 'quote_not_found'],
  ['punctuation counts', at(3, 3, 'def greet(name, loud=False);'), 'quote_not_found'],
  ['an empty quote claims nothing', at(3, 3, ' \n'), 'valid'],
  ['omission before and behind', at(5, 5, '… f"hello {name}" ...'), 'valid'],
  ['omission in brackets', at(5, 5, '[...] f"hello {name}" […]'), 'valid'],
  ['omission in the middle hides', at(5, 6, 'text = … return'), 'quote_not_found'],
  ['dots that are code stand for themselves', at(9, 11, '...'), 'valid'],
  ['dots that are not there', at(5, 6, '...'), 'quote_not_found'],
  ['dots joined to a word are the word', at(5, 5, '...text = f'), 'quote_not_found'],
  ['an omission mark that is in the text', at(4, 4, 'to … name'), 'valid'],
  ['a quote elsewhere', at(1, 2, 'def greet_all(*names):'), 'quote_not_found', [9, 9]],
  ['the nearest of several', at(8, 8, 'greet('), 'quote_not_found', [11, 11]],
  ['past the end', at(10, 12), 'out_of_range'],
  ['past the end, with a place', at(30, 31, 'import os'), 'out_of_range', [1, 1]],
  ['the empty line of an editor', { path: 'nl.py', start: 10, end: 12, quote: 'greet(n)' }, 'valid'],
  ['that line alone', { path: 'nl.py', start: 12, end: 12 }, 'out_of_range'],
  ['beyond that line', { path: 'nl.py', start: 10, end: 13 }, 'out_of_range'],
  ['that line does not hide a quote', { path: 'nl.py', start: 11, end: 12, quote: 'def' }, 'quote_not_found'],
  ['line zero', at(0, 2), 'out_of_range'],
  ['backwards', at(5, 4), 'out_of_range'],
  ['half a line', at(1.5, 2), 'out_of_range'],
  ['not a number', at(Number.NaN, 2), 'out_of_range'],
  ['the right hash', { ...at(5, 6), hash: sha256(lines.slice(4, 6).join('\n')) }, 'valid'],
  [
    'the right hash in capitals',
    { ...at(5, 6), hash: sha256(lines.slice(4, 6).join('\n')).toUpperCase() },
    'valid',
  ],
  ['a hash of other lines', { ...at(5, 6), hash: sha256('x') }, 'changed'],
  ['lines that moved', { ...at(2, 3), hash: sha256(lines.slice(4, 6).join('\n')) }, 'changed', [5, 6]],
  ['a hash beside a right quote', { ...at(5, 6, 'text'), hash: sha256('x') }, 'changed', [5, 5]],
  ['no such file', { path: 'no.py', start: 1, end: 1 }, 'missing_file'],
  ['outside', { path: 'out.py', start: 1, end: 1 }, 'outside_root'],
  ['out of scope', { path: 'other.py', start: 1, end: 1 }, 'outside_root'],
  ['binary', { path: 'bin.py', start: 1, end: 1 }, 'not_text'],
  ['too large', { path: 'huge.py', start: 1, end: 1 }, 'not_text'],
];

test.each(cases)('%s', async (_what, claim, status, found) => {
  const checked = await checkClaim(claim, material);
  expect(checked.status).toBe(status);
  if (found !== undefined) expect(checked.found).toEqual({ start: found[0], end: found[1] });
  expect(checked.reason === undefined).toBe(status === 'valid');
});

// research.md: Evidence and citations 3, 5.
describe('no mutation of a quote is valid', () => {
  // Every quote of up to three lines, every character of it replaced, dropped or doubled, and every word turned.
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  const mutations = (quote: string): string[] => {
    const out: string[] = [];
    for (let at = 0; at < quote.length; at += 1) {
      out.push(`${quote.slice(0, at)}§${quote.slice(at + 1)}`);
      out.push(`${quote.slice(0, at)}${quote[at]}§${quote.slice(at + 1)}`);
      out.push(quote.slice(0, at) + quote.slice(at + 1));
      const other =
        quote[at]!.toLowerCase() === quote[at] ? quote[at]!.toUpperCase() : quote[at]!.toLowerCase();
      out.push(quote.slice(0, at) + other + quote.slice(at + 1));
    }
    out.push(quote.replace(/\w{3,}/, (word) => [...word].reverse().join('')));
    return out;
  };
  test.each([1, 2, 3])('of %i lines', async (count) => {
    let tried = 0;
    for (let start = 1; start + count - 1 <= lines.length; start += 1) {
      const text = plain(lines.slice(start - 1, start - 1 + count).join('\n'));
      if (text === '') continue;
      expect((await checkClaim(at(start, start + count - 1, text), material)).status).toBe('valid');
      for (const mutation of mutations(text)) {
        // What is left may stand there still: a letter dropped at the end, a doubled space.
        if (text.includes(plain(mutation)) || plain(mutation) === '') continue;
        if (/^(…|\.{3} )|(…| \.{3})$/.test(plain(mutation))) continue;
        tried += 1;
        const { status } = await checkClaim(at(start, start + count - 1, mutation), material);
        expect([mutation, status]).toEqual([mutation, 'quote_not_found']);
      }
    }
    expect(tried).toBeGreaterThan(500);
  });
});

// research.md: Evidence and citations 3.
describe('citations of a run', () => {
  const piece = (start: number, end: number, path = 'a.py', commit: string | null = null) =>
    createEvidence({
      file_path: path,
      start_line: start,
      end_line: end,
      content: lines.slice(start - 1, end).join('\n'),
      reason: 'test',
      provenance: 'manual',
      commit,
    });
  const read = [piece(1, 4), piece(5, 8)];

  test.each([
    ['what was read', piece(1, 4), 'valid'],
    ['within what was read', piece(2, 3), 'valid'],
    ['over two readings', piece(3, 7), 'valid'],
    ['beyond what was read', piece(8, 9), 'not_read'],
    ['at another commit', piece(1, 4, 'a.py', 'abcd'), 'not_read'],
    ['another file', piece(1, 4, 'b.py'), 'not_read'],
    ['another text', { ...piece(1, 4), hash: sha256('else') }, 'changed'],
  ] as const)('%s', async (_what, cited, status) => {
    const [checked] = await checkCitations([cited], toReadTrail(read), material);
    expect(checked).toMatchObject({ status, evidence: cited });
  });

  test('a file that is gone', async () => {
    const [checked] = await checkCitations([piece(1, 4)], toReadTrail(read), reader({}));
    expect(checked!.status).toBe('missing_file');
  });
});
