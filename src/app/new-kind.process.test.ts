/** A newcomer's kind of run, as ARCHITECTURE.md says to add one: what follows from its two files and a line. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { StepWork } from '../core/index.ts';
import { memoryLedger, openPool } from '../core/pools.ts';
import { scriptedModel } from '../model/index.ts';
import { openStore } from '../store/index.ts';
import { capabilitySet } from '../tools/index.ts';
import { scriptedTools } from '../tools/scripted.ts';
import { openShapes } from './agent/shapes.ts';
import { createProgram } from './cli/program.ts';
import { loadConfiguration } from './config/index.ts';
import { runInProcess } from './current-process.ts';
import { findKind } from './kinds/find-kind.ts';
import { kinds } from './kinds/kinds.ts';
import * as library from './library.ts';
import { connectInProcess } from './testbed/mcp-here.ts';
import { createPatientClient } from './testbed/patient-client.ts';
import { environmentOf, newHome } from './testbed/run-sonde.ts';
import { createSmallTree } from './testbed/small-tree.ts';
import { sonde, startInProcess } from './testbed/sonde-here.ts';

/** The line: the table as it is, and one more. */
vi.mock('./kinds/kinds.ts', async (original) => {
  const { kinds } = await original<typeof import('./kinds/kinds.ts')>();
  const { tally } = await import('./tally-kind.contract.ts');
  return { kinds: { ...kinds, tally } };
});

const home = newHome();
const tree = createSmallTree();
const env = { SONDE_MODEL: 'extractive' };
const counted = /^deliver occurs (\d+) times in 4 files\.$/m;

const run = (args: readonly string[]) => sonde(args, { home, env });
const runs = async () =>
  JSON.parse((await run(['runs', '--json'])).stdout) as { run_id: string; state: string }[];
const newest = async () => (await runs())[0]!;

it('is a command, with the help and the flags that all kinds have', async () => {
  const command = (await createProgram()).commands.find((one) => one.name() === 'tally')!;
  expect(command.options.map(({ long }) => long)).toEqual([
    '--steps',
    '--max-tokens',
    '--max-usd',
    '--max-time',
    '--model',
    '--json',
    '--debug',
  ]);
  const ended = await run(['tally', 'deliver', tree]);
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(counted) });
  const json = await run(['tally', 'deliver', tree, '--json']);
  expect(JSON.parse(json.stdout)).toMatch(counted);
  expect(await run(['tally', '', tree])).toMatchObject({
    status: 2,
    stderr: 'sonde: There is no word\nName one.\n',
  });
  expect(await run(['tally', 'x', join(tree, 'nowhere')])).toMatchObject({ status: 2 });
});

it('is listed, shown with its report, its trace and its own fields', async () => {
  await run(['tally', 'deliver', tree]);
  const { run_id, state } = await newest();
  expect(state).toBe('finished');
  expect((await run(['show', run_id])).stdout).toMatch(/^# A tally\n\ndeliver occurs/);
  expect(JSON.parse((await run(['show', run_id, '--json'])).stdout)).toMatchObject({
    question: 'How often does deliver occur?',
    result: { stop_reason: 'finalized' },
    tally: expect.stringMatching(counted),
  });
  const trace = JSON.parse((await run(['show', run_id, '--trace'])).stdout);
  expect(trace).toMatchObject({ shape: 'tally', status: 'finished', spent: { steps: 4 } });
  expect(trace.steps).toHaveLength(4);
});

it.each(['tally', 'ask'])('is replayed from its records, the folder is gone: %s', async (command) => {
  const other = createSmallTree();
  const first = await run([command, 'deliver', other]);
  const { run_id } = await newest();
  rmSync(other, { recursive: true });
  expect(await run(['replay', run_id])).toMatchObject({ stdout: first.stdout, status: first.status });
  // It has ended: what it came to is printed again.
  expect(await run(['resume', run_id])).toMatchObject({ stdout: first.stdout, status: first.status });
});

it('ends where its budget ends, and says what was spent of it', async () => {
  const ended = await run(['tally', 'deliver', tree, '--steps', '2', '--debug']);
  expect(ended.stdout).toMatch(/times in 2 files/);
  expect(ended.stderr).toContain('"kind":"run_started"');
  const { run_id } = await newest();
  const trace = JSON.parse((await run(['show', run_id, '--trace'])).stdout);
  expect(trace).toMatchObject({ stop_reason: 'budget', limits: { steps: 2 }, spent: { steps: 2 } });
});

it('is cancelled by Ctrl-C, goes on with resume, and counts no file twice', async () => {
  const started = startInProcess(['tally', 'deliver', tree, '--debug'], { home, env, input: '' });
  let pressed = false;
  started.stderr.on('data', () => {
    if (pressed || !started.readOutput().stderr.includes('"action_finished"')) return;
    pressed = true;
    started.signal('SIGINT');
  });
  const cancelled = await started.ended;
  expect(cancelled).toMatchObject({ status: 130 });
  const { run_id, state } = await newest();
  expect(state).toBe('interrupted');
  const resumed = await run(['resume', run_id, '--debug']);
  expect(resumed).toMatchObject({ status: 0, stdout: expect.stringMatching(counted) });
  expect(JSON.parse((await run(['show', run_id, '--trace'])).stdout)).toMatchObject({
    spent: { steps: 4 },
    stop_reason: 'finalized',
  });
});

it('is gone on with after a kill: what was counted is not counted again', async () => {
  const worker = join(import.meta.dirname, 'tally-worker.contract.ts');
  const killed = spawnSync(process.execPath, [worker, tree], {
    encoding: 'utf8',
    env: { ...environmentOf({ home, env }) },
  });
  expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' });
  const id = killed.stdout.trim();
  expect(await newest()).toEqual(expect.objectContaining({ run_id: id, state: 'interrupted' }));
  const resumed = await run(['resume', id, '--debug']);
  expect(resumed).toMatchObject({ status: 0, stdout: expect.stringMatching(counted) });
  expect(resumed.stderr.match(/"action_finished"/g)).toHaveLength(2);
  expect(JSON.parse((await run(['show', id, '--trace'])).stdout)).toMatchObject({
    resumed: [{ recovered: 0 }],
    spent: { steps: 4 },
  });
});

it('is a tool of MCP, with its input, the fields of all answers, and resources', async () => {
  const client = createPatientClient({ name: 'test', version: '1' }, {});
  await connectInProcess(client, [tree], { home, env });
  try {
    expect(client.getInstructions()).toMatch(/; Ask count_word for one word; verify_answer/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).slice(0, 3)).toEqual([
      'code_deep_research',
      'count_word',
      'verify_answer',
    ]);
    const [research, own] = tools;
    expect(Object.keys(own!.inputSchema.properties ?? {})).toEqual(['word', 'debug']);
    expect(own!.outputSchema).toEqual(research!.outputSchema);
    const given = await client.callTool({ name: 'count_word', arguments: { word: 'deliver', debug: true } });
    expect(given.structuredContent).toMatchObject({ answer: expect.stringMatching(counted) });
    const { run_id } = given.structuredContent as { run_id: string };
    const { contents } = await client.readResource({ uri: `research://runs/${run_id}/report.md` });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^# A tally/) });
  } finally {
    await client.close();
  }
});

it('is a function of the library', async () => {
  const { run: call } = library as unknown as {
    run(shape: string, request: object): Promise<unknown>;
  };
  const here = { env: { SONDE_HOME: home, ...env } };
  const answer = await runInProcess({ ...process, ...here } as never, () =>
    call('tally', { word: 'deliver', root: tree }),
  );
  expect(answer).toMatch(counted);
});

it('is what a planner hands on: a run of its own on the planner’s budget', async () => {
  const store = openStore(':memory:');
  const configuration = loadConfiguration({ environment: { SONDE_HOME: home, ...env } });
  const [planner, analyst] = [scriptedModel([]), scriptedModel([])];
  const shapes = await openShapes({ configuration, store, planner, analyst, workspace: 'main', root: tree });
  try {
    const pool = openPool(memoryLedger(), { account: 'a', run: 'r', fence: 1, limits: { steps: 100 } });
    const shared = {
      ask: async () => {
        throw new Error('nobody is asked');
      },
      step: async (key: string, { run }: StepWork<unknown>) => {
        const { value } = await run(new AbortController().signal, key);
        return { kind: 'done', value, recalled: false };
      },
      recorded: { recall: () => undefined },
      pool,
    };
    const given = async (may: 'agent' | 'external') => {
      const capabilities = may === 'agent' ? capabilitySet('agent') : new Set<never>();
      return (await shapes.dispatcher(scriptedTools(), capabilities))(shared as never);
    };
    const site = { thread: 't', namespace: '', call: 'c', role: null, config: {} };
    expect((await given('agent')).shapes.find(({ key }) => key === 'tally')).toMatchObject({
      description: 'Counts a word in every file.',
      params: { required: ['word'] },
    });
    const done = await (await given('agent')).task('tally', { word: 'deliver' }, site);
    expect(done).toMatchObject({ kind: 'done', output: { answer: expect.stringMatching(counted) } });
    // The same call finds its run again.
    expect(await (await given('agent')).task('tally', { word: 'deliver' }, site)).toMatchObject(done);
    expect((await store.runs.list()).map(({ shape }) => shape)).toEqual(['tally']);
    expect(pool.spent().steps).toBe(4);
    expect(
      await (await given('external')).task('tally', { word: 'deliver' }, { ...site, call: 'd' }),
    ).toMatchObject({
      error: { code: 'capability' },
    });
    expect(await (await given('agent')).task('tally', { word: 7 }, { ...site, call: 'e' })).toMatchObject({
      error: { code: 'bad_params' },
    });
  } finally {
    await shapes.close();
    await store.close();
  }
});

it('is named in its own two files and the table alone', () => {
  const project = join(import.meta.dirname, '../..');
  const naming = globSync('src/**/*.ts', { cwd: project })
    .filter((path) => !/\.test\.ts$|tally-worker/.test(path))
    .filter((path) =>
      /tally(?:Run|Types|-kind|\.contract)|'tally'/i.test(readFileSync(join(project, path), 'utf8')),
    );
  expect(naming.toSorted()).toEqual(['src/app/tally-kind.contract.ts', 'src/tasks/tally.contract.ts']);
  for (const [shape, kind] of Object.entries(kinds)) expect(findKind(shape)).toBe(kind);
});
