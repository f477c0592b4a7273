import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { canonicalJson, messageOf, SondeError, sha256, toSystemError } from '../core/index.ts';
import { builtFiles, engineFiles, guestFiles, passFiles } from './files.ts';

/** A module of Python that is loaded into every session; the names in its `__all__` belong to every cell. */
export interface HelperModule {
  /** The name that Python imports, e.g. `investigation`. */
  readonly name: string;
  readonly source: string;
}

export interface ImageOptions {
  /** The folder of snapshots. Default: `.cache/sonde/sandbox` in the home directory. */
  readonly cacheDirectory?: string;
  readonly helpers?: readonly HelperModule[];
  /** False builds an interpreter without the fuel counter, only to measure what the counter costs. */
  readonly metered?: boolean;
}

/** A snapshot of a started interpreter, ready to be mapped into memory by any number of workers. */
export interface Image {
  /** SHA-256 of the snapshot. Checkpoints are tied to it. */
  readonly snapshot: string;
  /** SHA-256 of the interpreter and of the library that the snapshot was made from. */
  readonly interpreter: string;
  readonly library: string;
  readonly modulePath: string;
  readonly libraryPath: string;
  /** The program of a worker, and of the process around the workers. */
  readonly workerPath: string;
  readonly processPath: string;
  /** False if it was built just now. */
  readonly cached: boolean;
}

/** The input of the thread that builds a snapshot, and the folder it writes to. */
export interface BuildRequest {
  readonly directory: string;
  readonly helpers: readonly HelperModule[];
  readonly metered: boolean;
}

export const imageFiles = {
  module: 'snapshot.wasm',
  library: 'stdlib.zip',
  worker: 'worker.cjs',
  process: 'process.cjs',
  sum: 'snapshot.sha256',
} as const;

/**
 * Finds the snapshot for this interpreter, these guest files and this metering in the cache, or builds it in about
 * two seconds. If two processes build it at once, the snapshot of the first to finish is kept.
 */
export async function prepareImage(options: ImageOptions = {}): Promise<Image> {
  const helpers = options.helpers ?? [];
  checkHelpers(helpers);
  const metered = options.metered ?? true;
  const cache = options.cacheDirectory ?? join(homedir(), '.cache', 'sonde', 'sandbox');
  const directory = join(cache, (await inputsHash(helpers, metered)).slice(0, 32));
  const found = await openImage(directory);
  if (found) return { ...found, cached: true };

  await makeDirectory(cache);
  const building = await mkdtemp(join(cache, 'building-'));
  try {
    await build({ directory: building, helpers, metered });
    // If another process was faster, its snapshot is identical and may be in use, so it is kept.
    if ((await openImage(directory)) === null) {
      await rm(directory, { recursive: true, force: true });
      await rename(building, directory).catch(() => {});
    }
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  const image = await openImage(directory);
  if (!image)
    throw new SondeError('internal', { message: `the sandbox snapshot in ${directory} is not readable` });
  return { ...image, cached: false };
}

async function openImage(directory: string): Promise<Omit<Image, 'cached'> | null> {
  const path = (name: keyof typeof imageFiles) => join(directory, imageFiles[name]);
  if (!existsSync(path('sum'))) return null;
  try {
    const snapshot = (await readFile(path('sum'), 'utf8')).trim();
    const intact = sha256(await readFile(path('module'))) === snapshot;
    if (!intact || !(['library', 'worker', 'process'] as const).every((name) => existsSync(path(name))))
      return null;
    return {
      snapshot,
      ...(await readBuiltSums()),
      modulePath: path('module'),
      libraryPath: path('library'),
      workerPath: path('worker'),
      processPath: path('process'),
    };
  } catch {
    return null;
  }
}

/** The checksums that SHA256SUMS lists. */
async function readBuiltSums(): Promise<Pick<Image, 'interpreter' | 'library'>> {
  const text = await readFile(builtFiles.sums, 'utf8');
  const sums = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).reverse() as [string, string]),
  );
  return { interpreter: sums.get('python.wasm') ?? '', library: sums.get('stdlib.zip') ?? '' };
}

/** The hash of everything that the snapshot is made from. */
async function inputsHash(helpers: readonly HelperModule[], metered: boolean): Promise<string> {
  const files = [builtFiles.sums, ...guestFiles, ...passFiles, ...engineFiles.values()];
  const hashes = await Promise.all(files.map(async (url) => sha256(await readFile(url))));
  return sha256(canonicalJson({ hashes, helpers, metered }));
}

async function build(request: BuildRequest): Promise<void> {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const worker = new Worker(new URL(`./image-worker${extension}`, import.meta.url), {
    workerData: request,
    // Node warns that stripTypeScriptTypes is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  }).catch((error: unknown) => {
    const trouble = toSystemError(error, "the sandbox's snapshot could not be built");
    if (trouble !== null) throw trouble;
    throw new SondeError('tool_failed', {
      message: `the sandbox's snapshot could not be built: ${messageOf(error)}`,
      remedy: 'check that the package is complete, and the helper modules given to the sandbox',
      cause: error,
    });
  });
}

function checkHelpers(helpers: readonly HelperModule[]): void {
  for (const { name } of helpers) {
    if (/^[a-z][a-z0-9_]*$/.test(name) && !name.startsWith('sonde_')) continue;
    throw new SondeError('bad_argument', {
      message: `a helper module of the sandbox can't be named ${JSON.stringify(name)}`,
      remedy: 'use lower-case letters, digits and _, and no name that starts with sonde_',
    });
  }
}

async function makeDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new SondeError('bad_config', {
      message: `the sandbox can't keep its snapshot in ${directory}: ${messageOf(error)}`,
      remedy: 'name a writable cache directory',
      cause: error,
    });
  });
}

export async function writeImage(
  directory: string,
  files: Readonly<Record<Exclude<keyof typeof imageFiles, 'sum'>, Uint8Array>>,
): Promise<void> {
  for (const name of ['module', 'library', 'worker', 'process'] as const)
    await writeFile(join(directory, imageFiles[name]), files[name]);
  // Written last: its presence shows that the others are complete.
  await writeFile(join(directory, imageFiles.sum), `${sha256(files.module)}\n`);
}
