/** Identifies this Sonde: its version, its commit if it is a checkout, and the hash of its files. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gitOptions } from '../compose.ts';
import { version } from '../version.ts';
import type { Header } from './record.ts';

const ownFolder = fileURLToPath(new URL('../../..', import.meta.url));

export async function identifySonde(folder = ownFolder): Promise<Header['sonde']> {
  const { gitCommands } = await import('../../code/index.ts');
  const head = existsSync(join(folder, '.git'))
    ? await gitCommands(
        folder,
        gitOptions(),
      )({
        args: ['rev-parse', '--verify', '--quiet', 'HEAD'],
        signal: new AbortController().signal,
        maxBytes: 1_000,
      })
    : null;
  const commit = head?.code === 0 ? head.stdout.toString('utf8').trim() : null;
  return { version: version(), commit, program: hashProgram(folder), asked: 'here' };
}

/** Hashes the files that run: the sources and the compiled files. */
function hashProgram(folder: string): string {
  const hash = createHash('sha256');
  const files = ['src', 'dist', 'bin'].flatMap((name) =>
    globSync(`${name}/**/*.{ts,mjs,js,md,py,wasm}`, { cwd: folder }).filter(
      (path) => !/\.(?:test|contract)\.ts$/.test(path),
    ),
  );
  for (const path of files.toSorted()) hash.update(`${path}\0`).update(readFileSync(join(folder, path)));
  return hash.digest('hex');
}
