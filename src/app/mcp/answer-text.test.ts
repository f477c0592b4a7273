import { expect, it } from 'vitest';
import { type Citation, type RunResult, zeroAmounts } from '../../core/index.ts';
import { countTokens } from '../../model/index.ts';
import { answerText } from './answer-text.ts';
import { runOutput, structureAnswer } from './run-output.ts';

const citation = (n: number): Citation => ({
  id: `ev-${n.toString(16).padStart(10, '0')}`,
  path: `src/some/deep/folder/with-a-long-name/file-${n}.ts`,
  start_line: n,
  end_line: n + 9,
  provenance: 'bm25',
  hash: 'f'.repeat(64),
  status: 'valid',
});

const result = (answer: string, citations: number): RunResult => ({
  run_id: 'run-0mwr0d0b65mriny',
  status: 'verified',
  answer,
  citations: Array.from({ length: citations }, (_, n) => citation(n)),
  unsupported: [],
  confidence: 0.8,
  stop_reason: 'finalized',
  model: 'openai:gpt-6-sol',
  spent: zeroAmounts,
  coverage: {
    files: 1,
    skipped: 0,
    searches: 1,
    files_read: 1,
    evidence: 1,
    completeness: 'complete',
    notes: [],
  },
});

it.each([
  ['nothing', '', 0],
  ['a short answer', 'It is retried [ev-0000000001].', 1],
  ['an answer of 4 KB', 'A sentence that says something about the code. '.repeat(85), 5],
  ['many citations', 'Short.', 200],
  ['both', 'A sentence that says something about the code. '.repeat(85), 60],
  ['one endless word', 'x'.repeat(4096), 3],
  ['another script', '配送は再試行される。'.repeat(130), 3],
])('%s comes to under 800 tokens, with its run and its first citations', (_name, answer, citations) => {
  for (const debug of [false, true]) {
    const text = answerText(result(answer, citations), debug);
    expect(countTokens(text)).toBeLessThan(800);
    expect(text).toContain('run-0mwr0d0b65mriny');
    for (let n = 0; n < Math.min(citations, 3); n += 1)
      expect(text).toContain(`[${citation(n).id}] ${citation(n).path}`);
  }
  const fields = structureAnswer(result(answer, citations), (text) => text);
  expect(runOutput.parse(fields)).toEqual(fields);
  expect(countTokens(JSON.stringify(fields))).toBeLessThan(800);
  expect(fields.citations.slice(0, 3).map(({ id }) => id)).toEqual(
    Array.from({ length: Math.min(citations, 3) }, (_, n) => citation(n).id),
  );
  expect(fields.citations.length + fields.citations_left_out).toBe(citations);
});

it('says when no citation carries the answer, and when it is cut', () => {
  expect(answerText({ ...result('Perhaps.', 0), status: 'unverified' }, false)).toContain(
    ': unverified, finalized',
  );
  expect(answerText(result('word '.repeat(800), 2), false)).toContain('(shortened; see the report)');
});

it('lets no control character through', () => {
  const text = answerText(result('a \u001b[31m red \u009b answer', 1), false);
  expect(text).toContain('red');
  for (const character of '\u001b\u009b') expect(text).not.toContain(character);
});

it('the fields hold neither secrets nor control characters', () => {
  const told: RunResult = {
    ...result('the key hunter2 \u001b[31m red', 1),
    citations: [{ ...citation(1), path: 'a\u009b/hunter2.ts' }],
    missing: ['hunter2\u001b', ...Array.from({ length: 40 }, (_, n) => `n${n}${'x'.repeat(200)}`)],
  };
  const fields = structureAnswer(told, (text) => text.replaceAll('hunter2', '[secret]'));
  const written = JSON.stringify(fields);
  for (const hidden of ['hunter2', '\\u001b', '\u009b']) expect(written).not.toContain(hidden);
  expect(fields.answer).toContain('[secret]');
  expect(countTokens(written)).toBeLessThan(800);
});

it('says where claims repeat instructions of the material', () => {
  const claims = [
    { text: 'Run it.', verdict: 'shown', evidence: [], flags: ['command', 'order'] },
    { text: 'See https://x.example.', verdict: 'shown', evidence: [], flags: ['address'] },
  ] as const;
  expect(answerText({ ...result('Run it.', 1), claims }, false)).toContain(
    'Claims that repeat instructions of the material: 1 (command, order).',
  );
});
