import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import { sha256 } from '../core/index.ts';
import { engineProgramText } from './engine-code.ts';
import { builtFiles, driverModule, engineFiles, guestFiles } from './files.ts';
import { type BuildRequest, type HelperModule, writeImage } from './image.ts';
import { Engine } from './inside/engine.ts';
import { libraryPath, type RunLimits } from './inside/protocol.ts';
import { bake } from './wasm/bake.ts';
import { meter } from './wasm/meter.ts';

/** A thread that builds one snapshot and ends: meter the interpreter, start it, load the driver, keep its memory. */

/** The maximum memory of a session, in pages of 64 KiB: 1 GiB. */
const maximumPages = 16_384;
/** 2025-01-01, so that the snapshot is the same whenever it is built. */
const fixedTime = 1_735_689_600_000;
/** Collects the garbage of starting up, and freezes the remaining objects, so that the collector skips them. */
const collectGarbage = 'import gc\nfor _ in range(3): gc.collect()\ngc.freeze()\ndel gc, _';

const unlimited: RunLimits = {
  fuel: Number.MAX_SAFE_INTEGER,
  graceFuel: 0,
  memoryBytes: 1 << 30,
  wallMs: Number.MAX_SAFE_INTEGER,
  graceMs: 0,
  outputBytes: 0,
  calls: 0,
  callBytes: 0,
};

function unpack(url: URL): Uint8Array {
  const name = basename(fileURLToPath(url), '.br');
  const bytes = brotliDecompressSync(readFileSync(url));
  const sums = readFileSync(builtFiles.sums, 'utf8');
  if (!sums.includes(`${sha256(bytes)}  ${name}`))
    throw new Error(`${name} is not the file that SHA256SUMS names`);
  return bytes;
}

function guestTree(library: Uint8Array, helpers: readonly HelperModule[]): Map<string, Uint8Array> {
  const tree = new Map([[libraryPath, library]]);
  for (const url of guestFiles) tree.set(`guest/${basename(fileURLToPath(url))}`, readFileSync(url));
  for (const { name, source } of helpers) tree.set(`guest/${name}.py`, Buffer.from(source));
  tree.set('guest/helpers.json', Buffer.from(JSON.stringify(helpers.map(({ name }) => name))));
  return tree;
}

async function build({ directory, helpers, metered }: BuildRequest): Promise<void> {
  const library = unpack(builtFiles.library);
  const { bytes } = meter(unpack(builtFiles.interpreter), {
    slowPath: 'sbx_fuel_slow',
    exempt: ['sbx_interrupt'],
    maximumPages,
    metered,
  });
  const printed: Buffer[] = [];
  const engine = new Engine(new WebAssembly.Module(bytes), {
    files: guestTree(library, helpers),
    call: () => null,
    output: (_stream, text) => printed.push(Buffer.from(text)),
    now: () => fixedTime,
    random: (into) => into.fill(7),
    inspect: () => 'continue',
  });
  try {
    engine.boot(`/${libraryPath}:/guest`, driverModule);
  } catch (thrown) {
    throw new Error(`${(thrown as Error).message}\n${Buffer.concat(printed)}`);
  }
  const request = JSON.stringify({ op: 'cell', code: collectGarbage, number: 0, value_bytes: 0 });
  const reply = Buffer.from(engine.run(Buffer.from(request), unlimited) ?? '').toString();
  if (!reply.startsWith('{"status":"ok"')) throw new Error(`the driver does not work: ${reply}`);
  await writeImage(directory, {
    module: bake(bytes, engine.exports),
    library,
    worker: Buffer.from(engineProgramText('inside/worker', engineFiles)),
    process: Buffer.from(engineProgramText('inside/worker-process', engineFiles)),
  });
}

await build(workerData as BuildRequest);
