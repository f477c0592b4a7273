import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { modelServer } from '../testbed/model-server.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { findFireThread } from './fire-thread.ts';

let home: string;
let path: string;
beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home);
});
const run = (...args: string[]) => sonde(args, { home });
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

describe('a schedule', () => {
  // world.md: Scheduling 2.
  it.each([
    ['its own, each time', 'watching', ['watching', 'watching']],
    ['a new one each time', null, [/^watch-[0-9a-f]{10}$/, /^watch-[0-9a-f]{10}$/]],
  ] as const)('starts turns in %s', (_, thread, names) => {
    const threads = ['one', 'two', 'one'].map((fire) =>
      findFireThread({ fire: { id: fire }, schedule: { id: 'watch', thread } } as never),
    );
    for (const [n, name] of names.entries()) expect(threads[n]).toMatch(name);
    expect(new Set(threads).size).toBe(thread === null ? 2 : 1);
    // A fire that is delivered again is for the same one.
    expect(threads[2]).toBe(threads[0]);
  });

  it('is started by an event of the workspace, once, by a server or the one after it', async () => {
    await run('schedule', 'add', 'watch', 'the lamp', '--on', 'create_page', '--thread', 'watching');
    const serve = () => startSonde(['serve', '--port', '0'], { home });
    let host = serve();
    const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
    const looks = () =>
      db.get("SELECT 1 FROM sqlite_schema WHERE name = 'desk_marks'") !== undefined &&
      db.get('SELECT 1 FROM desk_marks') !== undefined;
    try {
      const { schedules, threads } = openSessionsIn(db);
      await host.waitFor(looks);
      // What is written while the server is away is told by the next.
      host.child.kill('SIGKILL');
      await host.ended;
      await sonde(['world', 'edit', '/Harbour/New', '--from', '-'], { home, input: 'Fresh paint.\n' });
      host = serve();
      const fires = () => schedules.fires('watch');
      await host.waitFor(async () => (await fires()).some(({ state }) => state === 'done'));
      const [fire, ...others] = await fires();
      expect(others).toEqual([]);
      expect(fire!.payload).toMatchObject({ name: 'create_page' });
      expect(await threads.has('watching')).toBe(true);
    } finally {
      db.close();
      host.child.kill('SIGTERM');
      await host.ended;
    }
  });

  it('is kept, listed, started at once, and removed', async () => {
    await run('schedule', 'add', 'daily', 'the lamp', '--cron', '0 9 * * 1-5', '--zone', 'Europe/Berlin');
    expect(await json('schedule', 'ls')).toMatchObject([
      { id: 'daily', trigger: { kind: 'cron', zone: 'Europe/Berlin' }, missed: 'once', last: null },
    ]);
    const [ran] = await json('schedule', 'run', 'daily');
    expect(ran).toMatchObject({ schedule: 'daily', status: 'answered' });
    expect(ran.thread).toMatch(/^daily-\w+$/);
    expect(await json('schedule', 'run')).toEqual([]);
    expect(await json('schedule', 'rm', 'daily')).toEqual({ removed: 'daily' });
  });

  it.each<[string, string[], string]>([
    ['no time', [], 'A schedule needs exactly one of'],
    ['two times', ['--every', '1h', '--cron', '* * * * *'], 'exactly one of'],
    ['no cron', ['--cron', '0 99 * * *'], 'is not a valid time'],
    ['a zone that is none', ['--cron', '0 9 * * *', '--zone', 'Mars/Base'], 'Mars/Base'],
    ['no duration', ['--every', 'soon'], '--every is "soon"'],
    ['an unknown policy', ['--every', '1h', '--missed', 'maybe'], '--missed is "maybe"'],
    ['a thread that is a path', ['--every', '1h', '--thread', '../x'], 'is not a valid thread id'],
    ['a budget that is none', ['--every', '1h', '--max-tokens', 'many'], '--max-tokens is "many"'],
  ])('with %s is refused', async (_, flags, message) => {
    const { status, stderr } = await run('schedule', 'add', 'x', 'prompt', ...flags);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });
});

// world.md: Memory 9, 10.
it('memory is consolidated where a schedule asks for it, by the tools of memory, and nowhere else', async () => {
  const decision = (text: string, ...calls: readonly (readonly [string, object])[]): string =>
    JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });
  const model = await modelServer((prompt) => {
    const since = prompt.slice(prompt.lastIndexOf('\n## The person\n'));
    if (!since.includes('Consolidate')) return decision('Noted.');
    if (!since.includes('\n## search_memory (')) return decision('', ['search_memory', { query: 'lamp' }]);
    if (since.includes('\n## put_memory (')) return decision('Done.');
    return decision('', ['put_memory', { tier: 'workspace', key: 'lamp', text: 'Paraffin, at dusk.' }]);
  });
  try {
    const env = { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-x' };
    const withModel = (args: readonly string[], input = '') =>
      sonde([...args, '--model', 'openai-compatible:planned'], { home, env, input });
    await run('memory', 'put', 'fuel', 'The lamp burns paraffin.');
    await run('memory', 'put', 'hour', 'The lamp is lit at dusk.');
    const keys = async () =>
      (await json('memory', 'ls')).map(({ key, text }: { key: string; text: string }) => [key, text]).sort();
    const before = await keys();
    expect((await withModel(['chat'], 'Remember the lamp\n')).stdout).toContain('Noted.');
    expect(await keys()).toEqual(before);
    await run('schedule', 'add', 'tidy', 'Consolidate what is known of the lamp', '--cron', '0 3 * * *');
    expect(await keys()).toEqual(before);
    expect((await withModel(['schedule', 'run', 'tidy'])).status).toBe(0);
    expect(await keys()).toEqual([...before, ['lamp', 'Paraffin, at dusk.']].sort());
  } finally {
    await model.close();
  }
});

// world.md: Memory 8.
it('channels hold conversations, and give them up', async () => {
  await run('channel', 'add', 'reading', '--title', 'What I read');
  await run('channel', 'assign', 'one', 'reading');
  expect(await json('channel', 'ls')).toMatchObject([{ id: 'reading', threads: ['one'] }]);
  expect(await json('channel', 'assign', 'one')).toMatchObject({ id: 'one', channel: null });
  expect((await run('channel', 'assign', 'one', 'nowhere')).stderr).toContain('There is no channel nowhere');
  expect((await run('channel', 'add', 'reading')).status).toBe(2);
  expect(await json('channel', 'rm', 'reading')).toEqual({ removed: 'reading' });
});

it('roles are kept at a level, and listed from the narrowest', async () => {
  await run('role', 'set', 'Be short', '--at', 'account');
  await run('role', 'set', 'In French', '--at', 'workspace');
  await run('role', 'set', 'As a pirate', '--at', 'thread', '--thread', 'one', '--for', 'planner');
  expect((await json('role', 'ls')).map(({ level }: { level: string }) => level)).toEqual([
    'thread',
    'workspace',
    'account',
  ]);
  expect((await run('role', 'set', 'x', '--at', 'channel')).stderr).toContain('Which channel');
  expect((await run('role', 'set', 'x', '--at', 'planet')).stderr).toContain('There is no level');
  expect((await run('role', 'rm', '--at', 'account')).status).toBe(0);
  expect((await run('role', 'rm', '--at', 'account')).stderr).toContain('has no role');
});
