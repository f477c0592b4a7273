import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scriptedModel, verifyAnswer } from '../../../index.ts';
import { sonde } from '../../testbed/sonde-here.ts';
import * as first from './verify-lines.contract.ts';

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

  test('lines of citations come to what they came to in 0.1, to the byte', async () => {
    const tree = join(root, 'first');
    mkdirSync(tree);
    for (const [name, text] of Object.entries(first.files)) writeFileSync(join(tree, name), text);
    symlinkSync(join(root, 'a.py'), join(tree, first.linkName));
    const args = ['verify', write('first.jsonl', first.inputLines), '--path', tree];
    const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
    expect(await sonde(args)).toMatchObject({ status: 1, stdout: lines(first.expectedText), stderr: '' });
    expect(await sonde([...args, '--json'])).toMatchObject({
      status: 1,
      stdout: lines(first.expectedJson),
      stderr: '',
    });
  });

  test('a citation may carry a field of its tool that is named answer', async () => {
    const ended = await sonde(['verify', write('field.jsonl', [{ ...good, answer: 'no' }]), '--path', root]);
    expect(ended).toMatchObject({ status: 0, stdout: '1 of 1 citations valid.\n' });
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

  const script = (...lines: readonly unknown[]): string => {
    return `scripted:${write('script.jsonl', lines)}`;
  };

  test('a model reads what code left open, for people and for programs', async () => {
    writeFileSync(join(root, 'pool.py'), 'def take(pool):\n    pool.wait(5)\n');
    const pool = [{ path: 'pool.py', start: 1, end: 2 }];
    const file = write('open.jsonl', [answer('Whoever wants one stands in line for a moment [1].', pool)]);
    const args = ['verify', file, '--path', root];
    expect(await sonde(args)).toMatchObject({ status: 1, stdout: expect.stringContaining('unclear') });
    const model = script({ verdicts: [{ id: 'c1', verdict: 'supported', why: 'line 2' }] });
    const read = await sonde([...args, '--model', model, '--max-tokens', '20000', '--max-usd', '0.5']);
    expect(read).toMatchObject({ status: 0, stderr: '' });
    expect(read.stdout).toMatch(
      /^line 1: verified\.\n1 claim: 1 supported\.\nRead by scripted:.*: 1 call, \d+ tokens\.\n$/,
    );
    const json = await sonde([...args, '--model', model, '--json']);
    expect(json).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Read by scripted:/) });
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'verified', claims: [{ verdict: 'supported' }] });
    const short = await sonde([...args, '--model', model, '--max-tokens', '200']);
    expect(short).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/line 1: No reader looked at 1 claim:/),
    });
  });

  test('a program brings a model of its own', async () => {
    writeFileSync(join(root, 'pool.py'), 'def take(pool):\n    pool.wait(5)\n');
    const citations = [{ path: 'pool.py', start: 1, end: 2 }];
    const given = { answer: 'Whoever wants one stands in line for a moment [1].', citations };
    expect(await verifyAnswer(given, { root })).toMatchObject({ claims: [{ verdict: 'unclear' }] });
    const model = scriptedModel({ verdicts: [{ id: 'c1', verdict: 'not shown', why: 'line 2' }] });
    const read = await verifyAnswer(given, { root, model, settings: { max_tokens: 20_000 } });
    expect(read).toMatchObject({
      status: 'unverified',
      claims: [{ verdict: 'not shown', why: 'A reader: line 2' }],
    });
    expect(model.calls).toHaveLength(1);
  });

  test.each([
    [['verify']],
    [['verify', join(root, 'a.py'), '--path', root, '--max-tokens', '500']],
    [['verify', join(root, 'a.py'), '--path', root, '--max-usd', '5']],
    [['verify', join(root, 'a.py'), '--path', root, '--model', 'nobody:knows']],
    [['verify', join(root, 'a.py'), '--path', root, '--model', 'extractive', '--max-tokens', 'many']],
    [['verify', join(root, 'nowhere.jsonl'), '--path', root]],
    [['verify', join(root, 'a.py'), '--path', join(root, 'nowhere')]],
    [['verify', join(root, 'a.py'), '--path', join(root, 'a.py')]],
    [['verify', join(root, 'a.py'), '--nonsense']],
    [['verify', write('empty.jsonl', []), '--path', root]],
  ])('wrong usage %j', async (args) => {
    expect(await sonde(args)).toMatchObject({ status: 2, stdout: '' });
  });
});
