import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listDescendants } from './testbed/endurance.ts';
import { createSandbox } from './wasm-sandbox.ts';

test('a session outlives its process, which is killed with -9, and leaves no process behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-checkpoint-'));
  const file = join(folder, 'session');
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'testbed/doomed-worker.ts'), file]);
  await once(writer.stdout, 'data');
  const started = process.platform === 'linux' ? listDescendants(writer.pid!) : [];
  writer.kill('SIGKILL');
  await once(writer, 'exit');

  const sandbox = createSandbox();
  try {
    const session = await sandbox.restore(readFileSync(file));
    const result = await session.execute('seen["to"] += 1\nseen.most_common(1)');
    expect(result).toMatchObject({ kind: 'ok', names: ['collections', 'seen', 'word'] });
    expect(result.kind === 'ok' && result.value?.repr).toBe("[('to', 3)]");
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
  // The orphans see their host's end by themselves.
  const alive = () => started.filter((pid) => existsSync(`/proc/${pid}`));
  while (alive().length > 0) await sleep(50);
  expect(started.length > 0 || process.platform !== 'linux').toBe(true);
});

test('a checkpoint of another snapshot is refused by name', async () => {
  const plain = createSandbox({ isolation: 'thread' });
  const other = createSandbox({
    isolation: 'thread',
    helpers: [{ name: 'extra', source: '__all__ = []\n' }],
  });
  try {
    const saved = await (await plain.open()).checkpoint();
    await expect(other.restore(saved)).rejects.toThrow(
      'another version of the sandbox, or with other helpers',
    );
  } finally {
    await plain.close();
    await other.close();
  }
});
