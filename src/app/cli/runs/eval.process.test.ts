/** Sets of questions asked and compared by the command, in this process. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelServer } from '../../testbed/model-server.ts';
import { newHome } from '../../testbed/run-sonde.ts';
import { createSmallTree } from '../../testbed/small-tree.ts';
import { sonde } from '../../testbed/sonde-here.ts';

let home: string;
let set: string;
const tree = createSmallTree();
beforeEach(() => {
  home = newHome();
  set = join(home, 'set.jsonl');
  write(rows);
});
afterEach(() => rmSync(home, { recursive: true }));

const rows = [
  {
    id: 'backoff',
    shape: 'research',
    root: tree,
    question: 'How long does it wait after a failed attempt?',
    gold: { files: ['src/delivery.ts'], lines: [{ path: 'src/delivery.ts', start: 2, end: 3 }] },
  },
  {
    id: 'attempts',
    shape: 'research',
    root: tree,
    question: 'How many attempts where PARCEL_MAX_ATTEMPTS is not set?',
    gold: { files: ['src/limits.ts'] },
  },
  {
    id: 'nothing',
    shape: 'research',
    root: tree,
    question: 'What does `QuantumFluxCapacitor` do?',
    gold: { verdict: 'not_found' },
  },
];
const write = (given: readonly object[]) =>
  writeFileSync(set, given.map((row) => JSON.stringify(row)).join('\n'));
const out = (name: string) => join(home, `${name}.jsonl`);
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  sonde(['eval', ...args], { home, env });
const linesOf = (name: string) =>
  readFileSync(out(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('eval run', () => {
  it('judges each answer, records what was measured, and tells people', async () => {
    const { status, stdout, stderr } = await run(['run', set, '--model', 'extractive', '--out', out('a')]);
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('3/3 right') });
    expect(stdout).toMatch(/right +100\.0 %/);
    const [header, ...rest] = linesOf('a');
    expect(header).toMatchObject({
      kind: 'evaluation',
      models: ['extractive'],
      set: { rows: 3, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      sonde: { program: expect.stringMatching(/^[0-9a-f]{64}$/) },
      settings: { steps: expect.any(Number) },
    });
    expect(JSON.stringify(header)).not.toContain('key');
    const judged = rest.filter(({ kind }) => kind === 'row');
    expect(judged.map(({ id, right }) => [id, right])).toEqual([
      ['backoff', true],
      ['attempts', true],
      ['nothing', true],
    ]);
    expect(judged[0]).toMatchObject({ status: 'quotes', recall_1: 1, lines_cited: 1, claims: {} });
    expect(rest.at(-1)).toMatchObject({ kind: 'summary' });
  });

  it('goes on where it was ended, and asks nothing twice', async () => {
    write(rows.slice(0, 2));
    await run(['run', set, '--model', 'extractive', '--out', out('a')]);
    const before = readFileSync(out('a'), 'utf8').split('\n');
    const second = before.findIndex((line) => line.includes('"kind":"row","id":"attempts"'));
    const cut = before.slice(0, second).join('\n');
    writeFileSync(out('a'), `${cut}\n`);
    const begun = JSON.parse(before[second - 1]!);
    const { status, stdout } = await run([
      'run',
      set,
      '--model',
      'extractive',
      '--out',
      out('a'),
      '--resume',
      '--json',
    ]);
    const evaluation = JSON.parse(stdout);
    expect({ status, evaluation }).toMatchObject({ status: 0, evaluation: { ended: 'done', left: 0 } });
    // The run that was begun for it was gone on with.
    expect(evaluation.rows[1]).toMatchObject({ id: 'attempts', run: begun.run, right: true });
    expect(readFileSync(out('a'), 'utf8').startsWith(cut)).toBe(true);
  });

  it('refuses a bad set, place, model and file before anything is asked', async () => {
    const refused = async (args: readonly string[], says: RegExp) => {
      expect(await run(['run', set, '--model', 'extractive', '--out', out('no'), ...args])).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(says),
      });
      expect(existsSync(out('no'))).toBe(false);
    };
    write([rows[0]!, { ...rows[1], gold: {} }]);
    await refused([], /line 2/);
    write([rows[0]!, { ...rows[1], root: '/nowhere/at/all' }]);
    await refused([], /line 2: \/nowhere\/at\/all/);
    write([{ id: 'r', shape: 'research', repo: tree, commit: 'abc', question: 'q', gold: { files: ['a'] } }]);
    await refused([], /line 1: .*not in a git repository/);
    write(rows);
    await refused(['--model', 'openai:none-such'], /OPENAI_API_KEY/);
    await refused(['--model', 'extractive'], /named twice/);
    await refused(['--max-usd', '0'], /--max-usd/);
    await refused(['--sonde', home], /bin\/sonde\.mjs/);
    write([{ id: 'i', shape: 'incident', root: tree, gold: { verdict: 'healthy' } }]);
    await refused(['--baseline'], /line 1 of the set \(incident\)/);
  });

  it('gives another revision a home of its own, whose runs may be of an older kind', async () => {
    const other = join(home, 'other');
    mkdirSync(join(other, 'bin'), { recursive: true });
    writeFileSync(
      join(other, 'bin', 'sonde.mjs'),
      "console.log(process.argv[2] === '--version' ? '0.0.1' : JSON.stringify({ home: process.env.SONDE_HOME }));",
    );
    write([rows[0]!]);
    const asked = ['run', set, '--model', 'extractive', '--sonde', other, '--out', out('o'), '--json'];
    const { stdout, status } = await run(asked);
    expect(JSON.parse(stdout).rows[0].error).toMatch(/eval.{1,2}other.{1,2}[0-9a-f]{16}/);
    // Nothing was measured: neither the exit status nor the text lets it pass for a figure.
    expect(status).toBe(1);
    const said = await run([...asked.slice(0, -1), '--resume']);
    expect(said.stdout).toContain(
      'Nothing was measured: every question of extractive failed, the first with backoff: ',
    );
  });

  it('counts a question that fails as wrong, and goes on', async () => {
    write([{ ...rows[0], scope: '[' }, rows[1]!]);
    const { status, stdout } = await run(['run', set, '--model', 'extractive', '--out', out('a'), '--json']);
    const { rows: judged, summaries } = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(judged.map(({ right }: { right: boolean }) => right)).toEqual([false, true]);
    expect(judged[0]).toMatchObject({ error: expect.any(String), recall_all: 0 });
    expect(summaries[0]).toMatchObject({ rows: 2, failed: 1 });
  });

  it('counts a question whose model failed as failed, though the program quoted what it found', async () => {
    const script = join(home, 'refusing.jsonl');
    writeFileSync(script, `${JSON.stringify({ failure: 'auth' })}\n`.repeat(9));
    write(rows.slice(0, 2));
    const asked = ['run', set, '--model', `scripted:${script}`, '--out', out('refused')];
    const { status, stdout } = await run(asked);
    expect(stdout).toContain('failed and count as wrong');
    expect(stdout).toMatch(
      /Nothing was measured: every question of scripted:.* failed, the first with backoff: its model/,
    );
    expect(status).toBe(1);
  });
});

describe('--results', () => {
  const page = () => join(home, 'RESULTS.md');
  const ends = ['<!-- eval: ours -->', '<!-- /eval: ours -->'] as const;
  const place = () => `${page()}#ours`;
  const asked = (name: string, ...args: readonly string[]) =>
    run(['run', set, '--model', 'extractive', '--out', out(name), '--results', place(), ...args]);

  it('writes tables with intervals, command, commit and set in place of what the section held', async () => {
    writeFileSync(page(), `# Results\n${ends[0]}\nold\n${ends[1]}\nThe end.\n`);
    expect((await asked('a')).status).toBe(0);
    const first = readFileSync(page(), 'utf8');
    expect(first).toMatch(/^# Results\n<!-- eval: ours -->\n`sonde eval run set.jsonl --model extractive`, /);
    expect(first).toMatch(/\n`[^\n]+`, (commit|program) [0-9a-f]+, set [0-9a-f]{12} of 3 questions:\n\n/);
    expect(first).toMatch(/\n\| right \| 100\.0 % \| 43\.9 % to 100\.0 % \| 3 \|\n/);
    expect(first).toMatch(/\n<!-- \/eval: ours -->\nThe end\.\n$/);
    expect(first).not.toMatch(/^old$/m);
    await asked('b', '--baseline');
    const { stdout } = await run(['compare', out('b'), out('a'), '--results', place()]);
    const second = readFileSync(page(), 'utf8');
    expect(second).toMatch(
      /`sonde eval compare b\.jsonl a\.jsonl`: A is .*, by grep and reading alone, B is /,
    );
    expect(second).toMatch(/\n\| steps \| \+\d+\.\d \| [^|]+ to [^|]+ \| \d \| \d \|\n/);
    expect(second).not.toContain('eval run');
    expect(stdout).toContain('over 3 questions');
  });

  it('refuses a file without the section before anything is asked', async () => {
    const refused = async (text: string, says: RegExp) => {
      writeFileSync(page(), text);
      expect(await asked('no')).toMatchObject({ status: 2, stderr: expect.stringMatching(says) });
      expect({ page: readFileSync(page(), 'utf8'), asked: existsSync(out('no')) }).toEqual({
        page: text,
        asked: false,
      });
    };
    await refused('# Results\n', /has no section ours.*\n.*<!-- eval: ours -->/);
    await refused(`${ends[1]}\n${ends[0]}\n`, /has no section/);
    await refused(`${ends[0]}\n${ends[1]}\n`.repeat(2), /or more than one/);
    const elsewhere = await run(['run', set, '--results', page(), '--out', out('no')]);
    expect(elsewhere).toMatchObject({ status: 2, stderr: expect.stringContaining('RESULTS.md#questions') });
    rmSync(page());
    expect((await asked('no')).stderr).toContain('there is no such file');
  });
});

describe('with a model', () => {
  const asked = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const tools: string[] = [];
    const model = await modelServer((_prompt, { body }) => {
      for (const tool of body.tools ?? []) {
        const { name, function: inside } = tool as { name?: string; function?: { name: string } };
        tools.push(inside?.name ?? name ?? '');
      }
      return JSON.stringify({
        reasoning: 'done',
        action: { name: 'finalize', answer: 'Nothing is known.', confidence: 0.1 },
      });
    });
    try {
      const ended = await run(
        ['run', set, '--model', 'openai-compatible:talker', '--out', out('a'), '--json', ...args],
        {
          OPENAI_BASE_URL: model.address,
          OPENAI_API_KEY: 'sk-test-0123456789',
          ...env,
        },
      );
      return { ...ended, asked: model.countRequests(), tools: new Set(tools) };
    } finally {
      await model.close();
    }
  };

  it('the baseline is offered grep and reading alone', async () => {
    write(rows.slice(0, 1));
    expect((await asked([])).tools).toContain('hybrid_search');
    rmSync(out('a'));
    const { status, tools } = await asked(['--baseline']);
    expect(status).toBe(0);
    // The other two look at nothing: they make room in its context.
    const room = ['drop_evidence', 'summarize_evidence'];
    expect([...tools].filter((name) => !room.includes(name)).sort()).toEqual([
      'finalize',
      'grep',
      'open_span',
    ]);
  });

  it('the budget holds over the whole, and --resume goes on under a larger one', async () => {
    const each = { SONDE_MAX_TOKENS: '12000' };
    const spent = () =>
      linesOf('a').reduce((sum, { kind, tokens = 0 }) => sum + (kind === 'begun' ? 0 : tokens), 0);
    const first = JSON.parse((await asked(['--max-tokens', '4000'], each)).stdout);
    expect(first).toMatchObject({ ended: 'budget' });
    expect(first.left).toBeGreaterThan(0);
    expect(first.rows.length + first.left).toBe(3);
    expect(spent()).toBeGreaterThan(0);
    expect(spent()).toBeLessThanOrEqual(4000);
    const { status, stdout } = await asked(['--max-tokens', '60000', '--resume'], each);
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, ended: 'done', left: 0 });
  });

  it('a budget of less than a question takes is refused', async () => {
    const { status, stdout, asked: calls } = await asked(['--max-tokens', '2000']);
    expect({ status, calls }).toEqual({ status: 2, calls: 0 });
    expect(stdout).toContain('below a quarter');
  });
});

describe('eval compare', () => {
  it('puts the same questions beside each other', async () => {
    await run(['run', set, '--model', 'extractive', '--out', out('a'), '--baseline']);
    await run(['run', set, '--model', 'extractive', '--out', out('b')]);
    const { status, stdout } = await run(['compare', out('a'), out('b')]);
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('over 3 questions'),
    });
    const { differences, notes } = JSON.parse((await run(['compare', out('a'), out('b'), '--json'])).stdout);
    expect(notes).toEqual([]);
    expect(differences[0].figures.steps.above).toBeGreaterThan(0);
  });

  it('refuses different sets and other files', async () => {
    await run(['run', set, '--model', 'extractive', '--out', out('a')]);
    write(rows.slice(0, 1));
    await run(['run', set, '--model', 'extractive', '--out', out('b')]);
    expect(await run(['compare', out('a'), out('b')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('different sets'),
    });
    expect(await run(['compare', out('a'), set])).toMatchObject({ status: 2 });
    expect(await run(['compare', out('a'), out('none')])).toMatchObject({ status: 2 });
  });
});
