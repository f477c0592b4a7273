/** Every command, run in this process, with no key and no network. Their real starts are in starts.process.test.ts. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { citationStatuses, errorCodes } from '../../core/index.ts';
import { modelServer } from '../testbed/model-server.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sonde } from '../testbed/sonde-here.ts';
import { exitCodes } from './exit-codes.ts';

const question = 'How is a failed delivery retried?';

describe('a run, from asking to showing', () => {
  const home = newHome();
  const tree = createSmallTree();
  const around = { home, cwd: tree };
  let answer: Record<string, never> & {
    run_id: string;
    answer: string;
    citations: Record<string, unknown>[];
  };

  beforeAll(async () => {
    const { status, stdout, stderr } = await sonde(['ask', question, tree, '--json'], { home });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    answer = JSON.parse(stdout);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(8192);
  });

  it('ask --json prints one object of the documented shape', () => {
    expect(answer).toMatchObject({
      run_id: expect.stringMatching(/^run-/),
      answer: expect.any(String),
      citations: expect.any(Array),
      unsupported: expect.any(Array),
      stop_reason: 'finalized',
      model: 'extractive',
      spent: {
        tokens: 0,
        usd: 0,
        wall_ms: expect.any(Number),
        fuel: 0,
        calls: 0,
        steps: expect.any(Number),
      },
      coverage: { files: 4, completeness: expect.any(String) },
    });
    expect(answer).toHaveProperty('confidence');
    expect(Buffer.byteLength(answer.answer)).toBeLessThanOrEqual(4096);
  });

  it('each citation was confirmed, and its lines are there', () => {
    expect(answer.citations.length).toBeGreaterThan(0);
    for (const citation of answer.citations) {
      expect(citation).toEqual({
        id: expect.stringMatching(/^ev-[0-9a-f]{10}$/),
        path: expect.any(String),
        start_line: expect.any(Number),
        end_line: expect.any(Number),
        provenance: expect.any(String),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        status: 'valid',
      });
      expect(citationStatuses).toContain(citation['status']);
      const lines = readFileSync(join(tree, String(citation['path'])), 'utf8').split('\n');
      expect(Number(citation['end_line'])).toBeLessThanOrEqual(lines.length);
    }
    expect(answer.citations.map(({ path }) => path)).toContain('src/delivery.ts');
  });

  it('ask prints the answer with places that can be opened from here', async () => {
    const { status, stdout } = await sonde(['ask', question, 'src'], around);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}src\/delivery\.ts:\d+/m);
    expect(stdout).toContain('extractive');
  });

  it('ask keeps to its scope', async () => {
    const { stdout } = await sonde(['ask', question, '--scope', 'src,!src/delivery.ts', '--json'], around);
    const paths = JSON.parse(stdout).citations.map(({ path }: { path: string }) => path);
    expect(paths).not.toContain('src/delivery.ts');
    for (const path of paths) expect(path).toMatch(/^src\//);
  });

  it('runs lists it', async () => {
    const { stdout } = await sonde(['runs'], around);
    expect(stdout).toContain(answer.run_id);
    const listed = JSON.parse((await sonde(['runs', '--json'], around)).stdout);
    expect(listed).toContainEqual({
      run_id: answer.run_id,
      state: 'finished',
      question,
      root: tree,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
      holder: null,
    });
  });

  it('show opens its report, its trace and its evidence; the beginning of the id will do', async () => {
    const report = await sonde(['show', answer.run_id], around);
    expect(report.stdout).toMatch(/^# Run/);
    expect((await sonde(['show', answer.run_id, '--report'], around)).stdout).toBe(report.stdout);
    const trace = JSON.parse((await sonde(['show', answer.run_id, '--trace'], around)).stdout);
    expect(trace).toMatchObject({ run_id: answer.run_id, question, steps: expect.any(Array) });
    const evidence = JSON.parse((await sonde(['show', answer.run_id, '--evidence'], around)).stdout);
    const ids = evidence.map(({ id }: { id: string }) => id);
    for (const citation of answer.citations) expect(ids).toContain(citation['id']);
    const summary = JSON.parse((await sonde(['show', answer.run_id, '--json'], around)).stdout);
    expect(summary).toMatchObject({ run_id: answer.run_id, state: 'finished', result: answer });
  });

  it('replay and resume give the same answer', async () => {
    for (const command of ['replay', 'resume']) {
      const { status, stdout } = await sonde([command, answer.run_id, '--json'], around);
      expect({ command, status }).toEqual({ command, status: 0 });
      expect(JSON.parse(stdout)).toEqual(answer);
    }
  });
});

describe('auto', () => {
  it('takes the first model that is configured, and says which', async () => {
    const server = await modelServer();
    const env = { OPENAI_BASE_URL: server.address, OPENAI_API_KEY: 'sk-planted-0123456789' };
    const { status, stdout, stderr } = await sonde(['ask', question, createSmallTree(), '--json'], { env });
    await server.close();
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('openai-compatible:planned'),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'openai-compatible:planned',
      status: 'verified',
      stop_reason: 'finalized',
      answer: expect.stringContaining('growing pause'),
      // The fifth is the reader of its claims.
      spent: { calls: 5, tokens: 5250 },
    });
    expect(server.served[0]?.authorization).toBe('Bearer sk-planted-0123456789');
  });
});

describe('what is kept', () => {
  it('with store_artifacts off: the answer, and nothing to replay', async () => {
    const [home, tree] = [newHome(), createSmallTree()];
    const env = { SONDE_STORE_ARTIFACTS: 'off' };
    const result = JSON.parse((await sonde(['ask', question, tree, '--json'], { home, env })).stdout);
    expect(result.citations.length).toBeGreaterThan(0);
    expect(JSON.parse((await sonde(['show', result.run_id, '--evidence'], { home })).stdout)).toEqual([]);
    const shown = JSON.parse((await sonde(['show', result.run_id, '--json'], { home })).stdout);
    expect(shown.result).toEqual(result);
    const { status, stdout } = await sonde(['replay', result.run_id, '--json'], { home });
    expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'run_state']);
  });

  it('a budget that ends is an answer, not an error', async () => {
    const { status, stdout } = await sonde(['ask', question, createSmallTree(), '--json', '--steps', '1']);
    expect([0, 3]).toContain(status);
    expect(JSON.parse(stdout)).toMatchObject({ stop_reason: expect.stringMatching(/finalized|budget/) });
  });
});

describe('search and index', () => {
  const home = newHome();
  const tree = createSmallTree();

  it('search --json prints an array of {path, start, end, score, provenance, spans, text}', async () => {
    const { status, stdout } = await sonde(['search', 'backoff attempts', tree, '--k', '2', '--json'], {
      home,
    });
    expect(status).toBe(0);
    const hits = JSON.parse(stdout);
    expect(hits).toHaveLength(2);
    for (const hit of hits)
      expect(hit).toEqual({
        path: expect.any(String),
        start: expect.any(Number),
        end: expect.any(Number),
        score: expect.any(Number),
        provenance: expect.any(String),
        spans: expect.any(Array),
        text: expect.any(String),
      });
    expect(hits[0].path).toBe('src/delivery.ts');
  });

  it('search --wide and --scope; nothing found is an empty array', async () => {
    const wide = JSON.parse((await sonde(['search', 'parcel', tree, '--wide', '--json'], { home })).stdout);
    expect(wide.length).toBeGreaterThan(3);
    const scoped = await sonde(['search', 'parcel', tree, '--scope', '*.md', '--json'], { home });
    expect(JSON.parse(scoped.stdout).map(({ path }: { path: string }) => path)).toEqual(['README.md']);
    const none = await sonde(['search', 'zyxwvut', tree, '--json'], { home });
    expect([none.status, none.stdout]).toEqual([0, '[]\n']);
    const people = await sonde(['search', 'zyxwvut', tree], { home });
    expect([people.stdout, people.stderr]).toEqual(['', 'Nothing found.\n']);
  });

  it('a name that occurs nowhere, and the table of what ends with 5', async () => {
    for (const command of [['refs'], ['path', 'zyxwvut']]) {
      const none = await sonde([...command, 'zyxwvut', tree], { home });
      expect([none.status, none.stderr]).toEqual([5, 'zyxwvut occurs nowhere in the files.\n']);
      expect(exitCodes[5]).toContain(`\`${command[0]}\``);
    }
    expect(exitCodes[5]).toContain('`search` and `world search` end with 0');
    const missing = await sonde(['outline', 'nope.py', tree], { home });
    expect([missing.status, missing.stderr]).toEqual([
      2,
      'sonde: nope.py cannot be read: there is no such file.\nGive a file relative to the folder; sonde tree lists what is there.\n',
    ]);
  });

  it('index tells what it did; a second time nothing; then only what changed', async () => {
    const own = newHome();
    const report = async () => JSON.parse((await sonde(['index', tree, '--json'], { home: own })).stdout);
    expect(await report()).toMatchObject({ root: tree, files: 4, added: 4, changed: 0, removed: 0 });
    expect(await report()).toMatchObject({ files: 4, added: 0, changed: 0, removed: 0 });
    writeFileSync(join(tree, 'src/limits.ts'), 'export const changed = true;\n');
    expect(await report()).toMatchObject({ files: 4, added: 0, changed: 1, removed: 0 });
    expect((await sonde(['index', tree], { home: own })).stdout).toContain('4 files');
  });

  it('an empty folder is said to be one', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'sonde-empty-'));
    const { status, stdout, stderr } = await sonde(['ask', question, empty, '--json'], { home });
    expect({ status, stderr }).toMatchObject({ status: 5 });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ status: 'not_found', citations: [] });
    expect(result.coverage.notes.join(' ')).toContain('no text file');
  });
});

describe('config and doctor', () => {
  it('config shows values and sources, and no key', async () => {
    const home = newHome();
    writeFileSync(join(home, 'sonde.json'), JSON.stringify({ steps: 4 }));
    const env = { OPENAI_API_KEY: 'sk-planted-0123456789', SONDE_MAX_USD: '0.5' };
    const { status, stdout } = await sonde(['config', createSmallTree(), '--json'], { home, env });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      settings: {
        steps: { value: 4, source: join(home, 'sonde.json') },
        max_usd: { value: 0.5, source: 'SONDE_MAX_USD' },
        max_tokens: { source: 'default' },
        openai_api_key: { value: '(hidden)', source: 'OPENAI_API_KEY' },
        anthropic_api_key: { value: null, source: 'default' },
      },
      directories: { database: join(home, 'data', 'sonde.db') },
    });
    const text = await sonde(['config'], { home, env, cwd: createSmallTree() });
    expect(text.stdout).toMatch(/^openai_api_key +\(hidden\) +OPENAI_API_KEY$/m);
    expect(stdout + text.stdout).not.toContain('sk-planted');
  });

  it('doctor finds what works, and gives a remedy for the rest', async () => {
    const { status, stdout } = await sonde(['doctor', '--json'], { cwd: createSmallTree() });
    expect(status).toBe(0);
    const { findings } = JSON.parse(stdout);
    const states = Object.fromEntries(
      findings.map(({ name, state }: Record<string, string>) => [name, state]),
    );
    expect(states).toMatchObject({ node: 'ok', ripgrep: 'ok', runs: 'ok', indexes: 'ok', model: 'off' });
    for (const { state, remedy } of findings) expect(remedy === null).toBe(state === 'ok');
  });

  it('doctor says so when a server that was named does not answer', async () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', PROMETHEUS_URL: 'http://127.0.0.1:1' };
    const { status, stdout } = await sonde(['doctor'], { env, cwd: createSmallTree() });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^broken +openai-compatible server: http:\/\/127\.0\.0\.1:1/m);
    expect(stdout).toMatch(/^broken +system:prometheus: prometheus http:\/\/127\.0\.0\.1:1/m);
    expect(stdout).not.toContain('system:loki');
  });
});

describe('wrong input: a message and a remedy on standard error, or one JSON object', () => {
  const tree = createSmallTree();
  const cases: [string, string[], string, RegExp][] = [
    ['no such folder', ['ask', question, join(tree, 'missing')], 'not_found', /missing/],
    [
      'a file instead of a folder',
      ['ask', question, join(tree, 'README.md')],
      'bad_argument',
      /README\.md is a file/,
    ],
    ['search in a file', ['search', 'x', join(tree, 'README.md')], 'bad_argument', /README\.md is a file/],
    ['an unknown flag', ['ask', question, tree, '--fast'], 'bad_argument', /--fast/],
    ['an unknown command', ['aks', question], 'bad_argument', /aks/],
    ['a missing argument', ['ask'], 'bad_argument', /question/],
    ['too many arguments', ['runs', 'a', 'b'], 'bad_argument', /argument/],
    ['an empty question', ['ask', ' ', tree], 'bad_argument', /question/i],
    ['steps above 20', ['ask', question, tree, '--steps', '21'], 'bad_argument', /--steps is "21"/],
    ['steps below 1', ['ask', question, tree, '--steps', '0'], 'bad_argument', /--steps is "0"/],
    ['a duration that is none', ['ask', question, tree, '--max-time', 'soon'], 'bad_argument', /--max-time/],
    ['k of zero', ['search', 'x', tree, '--k', '0'], 'bad_argument', /--k is "0"/],
    ['an unknown run', ['show', 'run-nowhere'], 'not_found', /run-nowhere/],
    ['an unknown run to resume', ['resume', 'run-nowhere'], 'not_found', /run-nowhere/],
    ['an unknown run to replay', ['replay', 'run-nowhere'], 'not_found', /run-nowhere/],
    ['an unknown model', ['ask', question, tree, '--model', 'oracle:9'], 'model_config', /oracle:9/],
    [
      'a model without its key',
      ['ask', question, tree, '--model', 'openai:gpt-6-sol'],
      'model_config',
      /OPENAI_API_KEY/,
    ],
    [
      'a script that is not there',
      ['ask', question, tree, '--model', 'scripted:none.jsonl'],
      'model_config',
      /none\.jsonl/,
    ],
    [
      'a scope that no file is in',
      ['ask', question, tree, '--scope', 'nowhere/**'],
      'bad_pattern',
      /no text file is in the scope "nowhere\/\*\*"/,
    ],
    [
      'a scope of a search in another case',
      ['search', 'x', tree, '--scope', 'readme.MD'],
      'bad_pattern',
      /no text file is in the scope "readme\.MD"/,
    ],
    ['a scope that leads out', ['ask', question, tree, '--scope', '../**'], 'bad_pattern', /\.\./],
    [
      'flags that exclude each other',
      ['show', 'run-1', '--trace', '--evidence'],
      'bad_argument',
      /--trace|--evidence/,
    ],
  ];

  it.each(cases)('%s', async (_name, args, code, message) => {
    const home = newHome();
    const people = await sonde(args, { home });
    expect(people).toMatchObject({ status: 2, stdout: '' });
    expect(people.stderr).toMatch(message);
    expect(people.stderr.trimEnd().split('\n').length).toBeGreaterThan(1);
    expect(people.stderr).not.toMatch(/ at .*\.ts:\d+/);
    const program = await sonde([...args, '--json'], { home });
    expect(program.status).toBe(2);
    expect(JSON.parse(program.stdout)).toEqual({
      error: {
        code,
        message: expect.stringMatching(message),
        remedy: expect.stringMatching(/\S/),
      },
    });
    expect(Object.keys(errorCodes)).toContain(code);
  });

  it.skipIf(process.getuid?.() === 0)('a folder that may not be read', async () => {
    const locked = join(tree, 'locked');
    mkdirSync(locked);
    chmodSync(locked, 0o000);
    const { status, stderr } = await sonde(['ask', question, locked]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/permission denied/);
  });
});

describe('help', () => {
  it('sonde --help and sonde ask --help explain themselves on standard output', async () => {
    const { status, stdout, stderr } = await sonde(['--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const name of ['ask', 'search', 'resume', 'replay', 'doctor', 'mcp'])
      expect(stdout).toContain(`  ${name} `);
    expect((await sonde(['ask', '--help'])).stdout).toContain('--max-usd');
    expect((await sonde(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('sonde alone shows the help, and is wrong usage', async () => {
    const { status, stdout, stderr } = await sonde([]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: sonde');
  });
});
