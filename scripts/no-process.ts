/**
 * Set-up of the unit tests: none of them starts a process. Whoever tries gets an error, and since product code may take
 * that for an expected failure, the file fails as well.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/** What was tried, in this file. */
export const tried: string[] = [];

function refuse(what: unknown): never {
  tried.push(String(what));
  throw new Error(
    `A unit test starts no process, but this starts ${String(what)}: name the file *.process.test.ts.`,
  );
}

interface Startable {
  ChildProcess: { prototype: { spawn(options: { file?: unknown }): void } };
  spawnSync(file: unknown): void;
  execFileSync(file: unknown): void;
  execSync(command: unknown): void;
}
const startable = childProcess as unknown as Startable;
startable.ChildProcess.prototype.spawn = ({ file }) => refuse(file);
for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) startable[name] = refuse;
syncBuiltinESMExports();

afterAll(() => {
  if (tried.length > 0) throw new Error(`This file is no unit test, since it starts ${tried.join(', ')}.`);
});
