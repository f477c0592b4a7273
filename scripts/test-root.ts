/**
 * One folder for whatever a run of the tests writes: all its processes have it as their temporary folder, and it is
 * removed at the end. What is then found elsewhere was left behind by a test.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const rootPrefix = 'sonde-tests-';

/** Names in the folder that are ours, but for the roots of runs that go on. */
export const oursIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith('sonde-') && !name.startsWith(rootPrefix));

export function makeRoot(folder: string): string {
  const root = mkdtempSync(join(folder, `${rootPrefix}${process.pid}-`));
  // PostgreSQL refuses to run as root, so that its server is another user's, who has to get through.
  chmodSync(root, 0o711);
  return root;
}

const memory = '/dev/shm';
const neededBytes = 6e9;

/** Stores wait for the disk at each commit, half the time of their tests. Memory answers at once where there is enough. */
export function roomFor(outside: string, folder = memory, needed = neededBytes): string {
  if (!existsSync(folder)) return outside;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > needed ? folder : outside;
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** A run that was killed could not remove its own. */
export function removeRootsOfTheDead(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = new RegExp(`^${rootPrefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !alive(Number(pid))) remove(join(folder, name));
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

export default function setup(): () => Promise<void> {
  const outside = tmpdir();
  const place = roomFor(outside);
  for (const folder of new Set([outside, place])) removeRootsOfTheDead(folder);
  const before = new Set(oursIn(outside));
  const root = makeRoot(place);
  process.env['TMPDIR'] = root;
  return async () => {
    process.env['TMPDIR'] = outside;
    remove(root);
    const left = () => oursIn(outside).filter((name) => !before.has(name));
    // What was started by a test may be on its way out.
    for (let look = 0; look < 20 && left().length > 0; look++) await sleep(100);
    if (left().length === 0) return;
    const message = `Left behind in ${outside}, outside of the folder of this run: ${left().join(', ')}`;
    // Elsewhere, somebody may be using Sonde meanwhile.
    if (process.env['CI'] !== undefined) throw new Error(message);
    console.warn(message);
  };
}
