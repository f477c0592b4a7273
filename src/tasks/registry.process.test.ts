/** world.md: Task registry 1, 6, 7, 8, 11, 13 and 14: what holds of the shapes that there are, and of a new one. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../core/index.ts';
import { scriptedModel } from '../model/index.ts';
import { runTurn } from '../session/index.ts';
import { type Database, openDatabase, openSessionsIn, openStoreIn } from '../store/index.ts';
import { scriptedTools } from '../tools/scripted.ts';
import { compaction } from './compaction/shape.ts';
import { incidentRun } from './incident/run.ts';
import { investigationRun } from './investigation/run.ts';
import { researchRun } from './research/run.ts';
import { shape, type TaskShape } from './shape.ts';
import { dispatcherOf } from './shapes.ts';
import { importAnalyst } from './subagent/import-analyst/analyst.ts';
import { subagentShape } from './subagent/shape.ts';
import { createShapeRegistry } from './task.ts';

const project = join(import.meta.dirname, '../..');
const sources = globSync('src/**/*.ts', { cwd: project }).filter(
  (path) => !/\.(?:test|contract)\.ts$/.test(path),
);
const filesWith = (pattern: RegExp): readonly string[] =>
  sources.filter((path) => pattern.test(readFileSync(join(project, path), 'utf8'))).toSorted();

/** What is missing is asked for when a shape is used, and none is here. */
const all: readonly TaskShape[] = [
  subagentShape([importAnalyst]),
  compaction,
  await researchRun.task({ corpora: [{ name: 'pages' }] } as never, {} as never),
  await investigationRun.task({ corpora: [{ name: 'pages' }] } as never, {} as never),
  await incidentRun.task({} as never, {} as never),
];

describe('the shapes there are', () => {
  it('are those that ship, each with an output schema that takes nothing else', () => {
    expect(all.map(({ key }) => key)).toEqual([
      'subagent-subgraph',
      'compaction',
      'research',
      'investigation',
      'incident',
    ]);
    for (const { key, outputSchema } of all)
      for (const junk of [undefined, null, 'done', {}, { anything: 1 }])
        expect([key, junk, outputSchema.safeParse(junk).success]).toEqual([key, junk, false]);
  });

  it('are reached by task() alone, which a planner’s dispatch calls, and work within work', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(filesWith(/\.handler\(/)).toEqual(['src/tasks/task.ts']);
    expect(filesWith(/\.graph\(context\)/)).toEqual(['src/tasks/subagent/shape.ts']);
    expect(filesWith(/\btasks\.task\(/)).toEqual(['src/tasks/shapes.ts']);
    expect(filesWith(/\bcontext\.task\(/)).toEqual(['src/tasks/compaction/shape.ts']);
    // The agent's own keeps count of what is at work.
    expect(filesWith(/\bdispatcher\s*\.task\(/)).toEqual([
      'src/app/agent/agent.ts',
      'src/session/tools/delegate.ts',
    ]);
  });

  it('are awaited in this process: the registry and its own shapes start none, and keep no queue', () => {
    const own = sources.filter((path) => /^src\/tasks\/(?:[\w-]+\.ts|compaction\/|subagent\/)/.test(path));
    expect(own.length).toBeGreaterThan(15);
    for (const path of own)
      expect([
        path,
        /node:(?:child_process|worker_threads|cluster)/.test(readFileSync(join(project, path), 'utf8')),
      ]).toEqual([path, false]);
  });
});

it('a new shape is its own file and a line where shapes are registered: the planner is offered it, and it runs', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sonde-shape-'));
  try {
    cpSync(join(project, 'src'), join(copy, 'src'), { recursive: true });
    cpSync(join(project, 'package.json'), join(copy, 'package.json'));
    symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
    mkdirSync(join(copy, 'src/tasks/shout'));
    writeFileSync(
      join(copy, 'src/tasks/shout/shape.ts'),
      `import { z } from 'zod';
import { shape } from '../shape.ts';
export const shout = shape({
  key: 'shout',
  description: 'Says it louder.',
  paramSchema: z.strictObject({ text: z.string() }),
  outputSchema: z.strictObject({ shouted: z.string() }),
  recovery: 'restart',
  handler: async ({ text }) => ({ shouted: text.toUpperCase() }),
});
`,
    );
    const registered = join(copy, 'src/tasks/shapes.ts');
    const before = readFileSync(registered, 'utf8');
    const line = '  registry.register(shout);\n';
    const after = before.replace('  registry.register(compaction);\n', (found) => found + line);
    expect(after.length - before.length).toBe(line.length);
    writeFileSync(registered, `import { shout } from './shout/shape.ts';\n${after}`);
    writeFileSync(
      join(copy, 'src/try.ts'),
      `import { manualClock } from './core/index.ts';
import { scriptedModel } from './model/index.ts';
import { runTurn } from './session/index.ts';
import { openDatabase, openSessionsIn, openStoreIn } from './store/index.ts';
import { dispatcherOf, openTasks } from './tasks/index.ts';
import { scriptedTools } from './tools/scripted.ts';
const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 100 });
const call = { name: 'task', args: JSON.stringify({ shape: 'shout', params: { text: 'tides' } }) };
const planner = scriptedModel([{ text: '', calls: [call] }, { text: 'done', calls: [] }]);
const models = { planner, analyst: scriptedModel([]), tools: scriptedTools() };
const dispatcher = dispatcherOf(openTasks({}), { ...models, capabilities: new Set() });
const ports = { ...models, sessions: openSessionsIn(db), store: openStoreIn(db), dispatcher, limits: { tokens: 1e6 }, clock: manualClock(1), random: () => 0.5, sleep: async () => {} };
const { status } = await runTurn('t', { kind: 'message', id: 'm', text: 'go' }, ports);
const [first, second] = planner.calls.map(({ messages }) => messages.map(({ text }) => text).join());
console.log(JSON.stringify([status, first.includes('- shout: Says it louder.'), second.includes('{"shouted":"TIDES"}')]));
`,
    );
    const ran = spawnSync(process.execPath, [join(copy, 'src/try.ts')], { encoding: 'utf8' });
    expect([ran.stdout.trim(), ran.stderr]).toEqual(['["answered",true,true]', '']);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

describe('a call that was cut short', () => {
  let db: Database;
  beforeEach(() => {
    db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  });
  afterEach(() => db.close());

  it.each([
    ['reattach', 1],
    ['restart', 2],
  ] as const)('is gone on with as its shape declares: %s', async (recovery, subThreads) => {
    const seen: string[] = [];
    const stop = new AbortController();
    const slow = shape({
      key: 'slow',
      description: 'Takes its time.',
      paramSchema: z.strictObject({}),
      outputSchema: z.strictObject({ done: z.boolean() }),
      recovery,
      async handler(_, { subThread, signal }) {
        seen.push(subThread);
        if (seen.length === 1) {
          stop.abort();
          signal.throwIfAborted();
        }
        return { done: true };
      },
    });
    const registry = createShapeRegistry();
    registry.register(slow);
    const tasks = registry.close();
    const call = { name: 'task', args: JSON.stringify({ shape: 'slow', params: {} }) };
    const models = {
      planner: scriptedModel([
        { text: '', calls: [call] },
        { text: 'done', calls: [] },
      ]),
      analyst: scriptedModel([]),
      tools: scriptedTools(),
    };
    const ports = {
      ...models,
      sessions: openSessionsIn(db),
      store: openStoreIn(db),
      dispatcher: dispatcherOf(tasks, { ...models, capabilities: new Set() }),
      limits: { tokens: 1_000_000 },
      clock: manualClock(1),
      random: () => 0.5,
      sleep: async () => {},
    };
    const message = { kind: 'message', id: 'm', text: 'go' } as const;
    expect(await runTurn('t', message, { ...ports, signal: stop.signal })).toMatchObject({
      status: 'cancelled',
    });
    expect(await runTurn('t', { kind: 'continue' }, ports)).toMatchObject({
      status: 'answered',
      text: 'done',
    });
    expect(seen).toHaveLength(2);
    expect(new Set(seen).size).toBe(subThreads);
  });
});
