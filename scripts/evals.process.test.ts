/** The sets in evals/ say what stands in their material, and the converters make sets that can be asked. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readQuestionSet } from '../src/app/eval/question-set.ts';

const evals = join(import.meta.dirname, '..', 'evals');
const sets = readdirSync(evals).filter((name) => name.endsWith('.jsonl'));

it.each(sets)('%s names lines that are there', (name) => {
  const path = join(evals, name);
  const { rows } = readQuestionSet(readFileSync(path), path);
  expect(rows.length).toBeGreaterThan(0);
  for (const { root, commit, gold } of rows) {
    if (root === undefined) {
      // Public repositories are not part of this one; a commit keeps their lines where they are.
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      continue;
    }
    expect(existsSync(root)).toBe(true);
    for (const { path: file, start, end } of gold.lines ?? []) {
      const lines = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .slice(start - 1, end);
      expect(lines).toHaveLength(end - start + 1);
    }
  }
});

describe('a converter', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sonde-convert-'));
    mkdirSync(join(folder, 'repositories', 'some+name', 'repo'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: unknown): string => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const convert = (...args: readonly string[]) => {
    const printed = execFileSync(process.execPath, [join(evals, 'convert.ts'), ...args], {
      encoding: 'utf8',
    });
    return readQuestionSet(Buffer.from(printed), join(folder, 'set.jsonl')).rows;
  };
  const repositories = () => ['--repositories', join(folder, 'repositories')];

  it('of SWE-bench takes files and lines out of the patch', () => {
    const patch =
      '--- a/src/a.py\n+++ b/src/a.py\n@@ -10,3 +10,4 @@ def f\n x\n@@ -40 +41 @@\n--- /dev/null\n+++ b/new.py\n';
    const input = write('rows.jsonl', {
      instance_id: 'one',
      repo: 'some/name',
      base_commit: 'abc',
      problem_statement: 'It fails.',
      patch,
    });
    expect(convert('swe-bench', input, ...repositories())).toMatchObject([
      {
        id: 'one',
        commit: 'abc',
        question: 'It fails.',
        gold: {
          files: ['src/a.py'],
          lines: [
            { path: 'src/a.py', start: 10, end: 12 },
            { path: 'src/a.py', start: 40, end: 40 },
          ],
        },
      },
    ]);
  });

  it('of BEIR writes the documents out', () => {
    write('beir/corpus.jsonl', { _id: 'd1', title: 'Title', text: 'Body.' });
    write('beir/queries.jsonl', { _id: 'q1', text: 'Which?' });
    write('beir/qrels/test.tsv', 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n');
    const material = join(folder, 'docs');
    expect(convert('beir', join(folder, 'beir'), '--material', material)).toMatchObject([
      { id: 'q1', root: material, gold: { files: ['d1.txt'] } },
    ]);
    expect(readFileSync(join(material, 'd1.txt'), 'utf8')).toBe('Title\n\nBody.\n');
  });

  it('of opensre leaves the answers out, and the names that tell them', () => {
    write('cases/oom-killed.json', {
      'alert.json': '{}',
      'answer.yml': 'root_cause_category: resource_exhaustion\n',
      'scenario.yml': 'x: 1',
    });
    const material = join(folder, 'written');
    const [row] = convert('opensre', join(folder, 'cases'), '--material', material);
    expect(row).toMatchObject({ id: 'oom-killed', gold: { verdict: 'resource_exhaustion' } });
    expect(row?.root).not.toContain('oom');
    expect(readdirSync(row?.root ?? '')).toEqual(['alert.json']);
  });

  it('of counts, code questions and frozen incidents names what is there', () => {
    write('logs/x.log', 'a');
    const log = write('logs/rows.jsonl', {
      id: 'a',
      context_file: 'hub:x.log',
      question: 'How many?',
      answer: 3,
    });
    expect(convert('aggregation', log)).toMatchObject([
      { shape: 'investigation', scope: 'x.log', gold: { answer: 3 } },
    ]);
    const qa = write('qa.jsonl', {
      id: 'a',
      repo: 'some/name',
      commit: 'c',
      question: 'q',
      gold_files: ['f'],
    });
    expect(convert('code-qa', qa, ...repositories())).toMatchObject([
      { commit: 'c', gold: { files: ['f'] } },
    ]);
    write('incidents/one/truth.json', { root_cause_commit: 'abcdef0123' });
    expect(convert('incidents', join(folder, 'incidents'))).toMatchObject([
      { id: 'one', shape: 'incident', gold: { verdict: 'abcdef0123' } },
    ]);
  });

  it('takes files of one collection where several lie in a folder', () => {
    write('sets/codes-queries.jsonl', { id: 'q9', query: 'Of another collection' });
    write('sets/papers-docs.jsonl', { id: 'd1', text: 'Body.' });
    write('sets/papers-queries.jsonl', { id: 'q1', query: 'Which?' });
    write('sets/papers-qrels.tsv', 'q1\td1\t1\n');
    expect(convert('beir', join(folder, 'sets'), '--material', join(folder, 'docs'))).toMatchObject([
      { id: 'q1', question: 'Which?', gold: { files: ['d1.txt'] } },
    ]);
  });

  it('fails where no question is left, and says which were left out', () => {
    const row = { id: 'a', context_file: 'hub:x.log', question: 'How many?', answer: 3 };
    expect(() => convert('aggregation', write('rows.jsonl', row))).toThrow(
      /left out: 1 whose log does not lie beside .*gave no question/s,
    );
  });

  it('says what it misses', () => {
    const qa = write('qa.jsonl', {
      id: 'a',
      repo: 'other/one',
      commit: 'c',
      question: 'q',
      gold_files: ['f'],
    });
    expect(() => convert('code-qa', qa, ...repositories())).toThrow(/other\/one is not below/);
    expect(() => convert('beir', folder)).toThrow(/--material/);
  });
});
