/** What becomes of sessions whose thread or process is taken from under them: a typed error, and never a hang. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chooseConfinement } from './confinement.ts';
import { prepareImage } from './image.ts';
import { defaultLimits, mergeLimits } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { openProcessHost } from './process-host.ts';
import type { Sandbox, Session } from './sandbox.ts';
import { listDescendants } from './testbed/endurance.ts';
import { openThreadHost } from './thread-host.ts';
import { createSandbox } from './wasm-sandbox.ts';

const endless = mergeLimits(defaultLimits, { fuel: 10 ** 12, wall_ms: 600_000 });
const forever = 'n = 0\nwhile True: n += 1';
const ended = { name: 'SondeError', code: 'sandbox_ended' };

/** Resolves once the cell runs: it asks for this operation first. */
function running(session: Session, started: Promise<void>, code = forever) {
  const cell = session.execute(`call_host("started")\n${code}`);
  // What became of it is looked at later.
  cell.catch(() => {});
  return started.then(() => ({ cell }));
}

function startedOperation() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = () => {
    resolve();
    return null;
  };
  return { started: promise, operations: { started: answer } };
}

describe.each([
  ['a thread of this process', async () => openThreadHost(await prepareImage())],
  [
    'a thread of a child process',
    async () => openProcessHost(await prepareImage(), await chooseConfinement('best')),
  ],
] as const)('%s, ended under a running cell', (_, makeHost) => {
  test('fails the cell and ends the session; another on the same host goes on', async () => {
    const host = await makeHost();
    const image = { interpreter: 'i', library: 'l', snapshot: 's' };
    try {
      const [doomed, other] = await Promise.all([host.connect(), host.connect()]);
      const { started, operations } = startedOperation();
      const session = new LiveSession(doomed, image, { operations }, endless, async () => {});
      const neighbour = new LiveSession(other, image, {}, endless, async () => {});
      await Promise.all([session.begin(), neighbour.begin()]);
      await neighbour.execute('x = 20');
      const { cell } = await running(session, started);
      await doomed.end();
      await expect(cell).rejects.toMatchObject(ended);
      await expect(session.execute('1')).rejects.toMatchObject(ended);
      await expect(session.checkpoint()).rejects.toMatchObject(ended);
      await session.close();
      expect(await neighbour.execute('print(x + 1)')).toMatchObject({
        kind: 'ok',
        stdout: { text: '21\n' },
      });
      await neighbour.close();
    } finally {
      await host.close();
    }
  });
});

/** The processes of a sandbox, outermost first: bubblewrap twice, if there is one, and Node. */
function sandboxProcesses(before: readonly number[]): number[] {
  return listDescendants(process.pid).filter((pid) => !before.includes(pid));
}

describe.skipIf(process.platform !== 'linux')(
  'the child process (Linux only: its processes are looked up)',
  () => {
    test.each([
      ['the outermost', 0],
      ['the innermost', -1],
    ] as const)('killed with -9 under a running cell: %s', async (_, which) => {
      const [sandbox, bystander] = [createSandbox({ limits: endless }), createSandbox()];
      try {
        const safe = await bystander.open();
        await safe.execute('y = 5');
        const before = listDescendants(process.pid);
        const { started, operations } = startedOperation();
        const session = await sandbox.open({ operations });
        await session.execute('import collections\nseen = collections.Counter("abca")');
        const saved = await session.checkpoint();
        const { cell } = await running(session, started);
        process.kill(sandboxProcesses(before).at(which)!, 'SIGKILL');
        await expect(cell).rejects.toMatchObject(ended);
        await expect(cell).rejects.toThrow(/killed by SIGKILL|status 137/);
        await expect(session.execute('1')).rejects.toMatchObject(ended);
        await session.close();
        expect(await safe.execute('print(y)')).toMatchObject({ kind: 'ok', stdout: { text: '5\n' } });
        // The same sandbox starts another process, and goes on from the last checkpoint.
        const restored = await sandbox.restore(saved);
        expect(await restored.execute('print(seen["a"])')).toMatchObject({ stdout: { text: '2\n' } });
        expect(await restored.execute('import os\nos._exit(1)')).toMatchObject({
          kind: 'killed',
          names: ['collections', 'seen'],
        });
        await restored.close();
      } finally {
        await Promise.all([sandbox.close(), bystander.close()]);
      }
      expect(
        listDescendants(process.pid)
          .map(commandOf)
          .filter((command) => command.includes('process.cjs')),
      ).toEqual([]);
    });

    test('killed while nothing runs: the next session gets another', async () => {
      const sandbox = createSandbox();
      try {
        const before = listDescendants(process.pid);
        const session = await sandbox.open();
        process.kill(sandboxProcesses(before).at(-1)!, 'SIGKILL');
        await expect(session.execute('while True: pass')).rejects.toMatchObject(ended);
        const next = await sandbox.open();
        expect(await next.execute('1')).toMatchObject({ kind: 'ok' });
      } finally {
        await sandbox.close();
      }
    });

    test.each([
      ['opened', async (sandbox: Sandbox) => sandbox.open()],
      ['restored', async (sandbox: Sandbox, saved: Uint8Array) => sandbox.restore(saved)],
    ] as const)(
      'killed while its workers wait: a session that is %s on one of them begins on another',
      async (_, begin) => {
        const sandbox = createSandbox();
        const before = listDescendants(process.pid);
        try {
          for (let time = 0; time < 3; time++) {
            const past = await sandbox.open();
            const saved = await past.checkpoint();
            await past.close();
            const waiting = sandboxProcesses(before).filter((pid) => commandOf(pid).includes('process.cjs'));
            expect(waiting.length).toBeGreaterThan(0);
            // What has happened to them is told later than the session is asked for.
            for (const pid of waiting) process.kill(pid, 'SIGKILL');
            const next = await begin(sandbox, saved);
            expect(await next.execute('6 * 7')).toMatchObject({ kind: 'ok', value: { value: 42 } });
            await next.close();
          }
        } finally {
          await sandbox.close();
        }
      },
    );

    test('stopped, so that it answers nothing: the cell fails, and closing comes to an end', async () => {
      const sandbox = createSandbox();
      const before = listDescendants(process.pid);
      const session = await sandbox.open();
      process.kill(sandboxProcesses(before).at(-1)!, 'SIGSTOP');
      const cell = session.execute('1', { limits: { wall_ms: 1 } });
      await expect(cell).rejects.toMatchObject({
        ...ended,
        message: expect.stringContaining('stopped answering'),
      });
      await sandbox.close();
      expect(sandboxProcesses(before).filter((pid) => commandOf(pid).includes('process.cjs'))).toEqual([]);
    });
  },
);

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended since it was listed.
    return '';
  }
}
