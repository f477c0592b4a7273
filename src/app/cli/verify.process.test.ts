import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sonde } from '../testbed/sonde-here.ts';

const root = mkdtempSync(join(tmpdir(), 'sonde-verify-'));
writeFileSync(join(root, 'a.py'), 'one\ntwo words\n');
const write = (name: string, rows: readonly unknown[]): string => {
  const path = join(root, name);
  writeFileSync(path, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
  return path;
};
const good = { path: 'a.py', start: 1, end: 2, quote: 'one two' };
const bad = { path: 'a.py', start: 1, end: 1, quote: 'two' };

describe('sonde verify', () => {
  test('all valid', async () => {
    const ended = await sonde(['verify', write('good.jsonl', [good, good]), '--path', root]);
    expect(ended).toMatchObject({ status: 0, stdout: '2 of 2 citations valid.\n', stderr: '' });
  });

  test('one object a line, in the order of the input', async () => {
    const file = write('mixed.jsonl', [bad, good, '{oops', { ...good, path: 'b.py' }, { ...good, end: 9 }]);
    const ended = await sonde(['verify', file, '--path', root, '--json']);
    expect(ended).toMatchObject({ status: 1, stderr: '' });
    const lines = ended.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([
      'quote_not_found',
      'valid',
      'bad_line',
      'missing_file',
      'out_of_range',
    ]);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      path: 'a.py',
      start: 1,
      end: 1,
      found: { start: 2, end: 2 },
    });
  });

  test('for people', async () => {
    const ended = await sonde(['verify', write('bad.jsonl', [bad, good]), '--path', root]);
    expect(ended.status).toBe(1);
    expect(ended.stdout).toContain(
      'a.py:1-1 quote not there: a.py:1-1 does not hold the quote. It stands at a.py:2-2.',
    );
    expect(ended.stdout).toContain('1 of 2 citations valid; 1 quote not there.');
  });

  const limits = { path: 'limits.py', start: 1, end: 2 };
  const answer = (text: string, citations: readonly unknown[] = [limits]) => ({ answer: text, citations });
  test('answers: each claim with its verdict, beside plain citations, in the order of the input', async () => {
    writeFileSync(join(root, 'limits.py'), 'MAX_SIZE = 20\nTIMEOUT = 5\n');
    const file = write('answers.jsonl', [
      answer('`MAX_SIZE` is 20 [1]. `MAX_SIZE` is 64 [1]. `src/secret.py` calls `drain_all` [1].'),
      good,
      { answer: 5 },
      answer('`TIMEOUT` is 5 (limits.py:1-2).', [{ ...limits, quote: 'MAX' }]),
      answer('`TIMEOUT` is 5.', [{ ...limits, path: 'gone.py' }, {}]),
    ]);
    const ended = await sonde(['verify', file, '--path', root, '--json']);
    expect(ended).toMatchObject({ status: 1, stderr: '' });
    const lines = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        line: 1,
        status: 'partial',
        claims: [
          { text: '`MAX_SIZE` is 20.', verdict: 'shown', citations: [1] },
          { verdict: 'contradicted', why: 'The lines give "MAX_SIZE" as 20.' },
          { verdict: 'not shown', why: expect.stringContaining('src/secret.py') },
        ],
        citations: [{ status: 'valid' }],
      },
      { line: 2, status: 'valid', path: 'a.py' },
      { line: 3, status: 'bad_line', claims: [], citations: [] },
      { line: 4, status: 'verified', claims: [{ verdict: 'shown' }], citations: [{ status: 'too_short' }] },
      { line: 5, status: 'bad_line', reason: expect.stringContaining('Citation 2') },
    ]);
  });

  test('an answer whose claims are all carried ends with 0', async () => {
    writeFileSync(join(root, 'limits.py'), 'MAX_SIZE = 20\nTIMEOUT = 5\n');
    const file = write('carried.jsonl', [answer('`MAX_SIZE` is 20 [1].')]);
    const ended = await sonde(['verify', file, '--path', root]);
    expect(ended).toMatchObject({ status: 0, stdout: 'line 1: verified.\n1 claim: 1 shown.\n' });
  });

  test.each([
    [['verify']],
    [['verify', join(root, 'nowhere.jsonl'), '--path', root]],
    [['verify', join(root, 'a.py'), '--path', join(root, 'nowhere')]],
    [['verify', join(root, 'a.py'), '--path', join(root, 'a.py')]],
    [['verify', join(root, 'a.py'), '--nonsense']],
  ])('wrong usage %j', async (args) => {
    expect(await sonde(args)).toMatchObject({ status: 2, stdout: '' });
  });
});
