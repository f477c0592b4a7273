#!/usr/bin/env node
// The launcher: plain JavaScript that any Node can parse, so that an old one prints a message, not a stack trace.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const { engines = {} } = JSON.parse(readFileSync(pathOf('../package.json'), 'utf8'));
const oldestMajor = Number(/\d+/.exec(engines.node ?? '')?.[0] ?? 26);
const major = Number(process.versions.node.split('.')[0]);
const installedNode = pathOf('../node_modules/node/bin/node');

/** Environment variable with the descriptor of the pipe from a launcher on an older Node to the process it started. */
const launcherPipeVariable = 'SONDE_LAUNCHER_PIPE';

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Milliseconds. Both processes get one Ctrl-C, or one signal to their group, within this time. */
const sameSignalMs = 1_000;
/** Milliseconds. A signal to both processes may arrive here this long after the launcher has reported it. */
const signalDelayMs = 100;

/**
 * Repeats each signal that the launcher reports, unless this process got the same signal itself. Ends with SIGTERM when the
 * launcher is gone, since nobody would forward signals any more.
 */
async function endWithLauncher() {
  const descriptor = Number(process.env[launcherPipeVariable] ?? Number.NaN);
  // Processes that this one starts must not use the pipe.
  delete process.env[launcherPipeVariable];
  if (!Number.isInteger(descriptor)) return;
  let lastSignal = Number.NEGATIVE_INFINITY;
  const noteSignal = () => {
    lastSignal = performance.now();
  };
  // Listens only while others do: a listener of ours alone would keep a signal from ending the process.
  process.on('newListener', (name, listener) => {
    if (!forwardedSignals.includes(name) || listener === noteSignal) return;
    if (!process.listeners(name).includes(noteSignal)) process.on(name, noteSignal);
  });
  process.on('removeListener', (name, listener) => {
    if (!forwardedSignals.includes(name) || listener === noteSignal) return;
    if (process.listeners(name).every((other) => other === noteSignal)) process.off(name, noteSignal);
  });
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  pipe.on('error', () => {});
  pipe.once('close', () => process.kill(process.pid, 'SIGTERM'));
  pipe.on('data', ([index]) => {
    const repeatSignal = () => {
      if (performance.now() - lastSignal > sameSignalMs) process.kill(process.pid, forwardedSignals[index]);
    };
    setTimeout(repeatSignal, signalDelayMs).unref();
  });
  pipe.unref();
}

if (major >= oldestMajor) {
  // The compile cache is beside the installed package or, if that is read-only, in the user's cache folder. If neither can
  // be written, Sonde only starts more slowly.
  const { status } = module.enableCompileCache?.(pathOf('../node_modules/.cache/sonde')) ?? {};
  if (status === module.constants.compileCacheStatus?.FAILED) {
    const { SONDE_HOME: home, XDG_CACHE_HOME: caches } = process.env;
    const base = isAbsolute(caches ?? '') ? caches : join(homedir(), '.cache');
    const cacheFolder = home ? join(home, 'cache') : join(base, 'sonde');
    module.enableCompileCache(join(cacheFolder, 'compiled'));
  }
  await endWithLauncher();
  const sources = new URL('../src/', import.meta.url).href;
  const unusedByLangGraph =
    /^(?:langsmith|langsmith\/run_trees|@langchain\/core\/load|(?:@langchain\/core|\.\.)\/utils\/json_schema(?:\.js)?)$/;
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const from = context.parentURL ?? '';
      // Our imports name each file in full, so Node need not look for it and its package on the disk.
      if (specifier.startsWith('.') && specifier.endsWith('.ts') && from.startsWith(sources))
        return { url: new URL(specifier, from).href, format: 'module-typescript', shortCircuit: true };
      // Leaves out the sixty files of zod with messages in other languages; Sonde uses English.
      if (specifier === '../locales/index.js' && from.includes('/node_modules/zod/'))
        return { url: 'data:text/javascript,', shortCircuit: true };
      if (from.includes('/node_modules/@langchain/') && unusedByLangGraph.test(specifier))
        return { url: new URL('./langchain-parts.mjs', import.meta.url).href, shortCircuit: true };
      return next(specifier, context);
    },
  });
  const source = pathOf('../src/app/cli/main.ts');
  const { main } = await import(existsSync(source) ? '../src/app/cli/main.ts' : '../dist/app/cli/main.js');
  await main(process.argv.slice(2));
} else if (existsSync(installedNode) && process.execPath !== installedNode) {
  // The child ends when this process does, because the pipe closes.
  const child = spawn(installedNode, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [launcherPipeVariable]: '3' },
  });
  const pipe = child.stdio[3];
  pipe.on('error', () => {});
  // The child may have got the same signal, so it is only told of the first one. A second signal is sent to it, in case it
  // does not read the pipe.
  let firstSignalAt = null;
  const forward = (signal) => {
    if (firstSignalAt === null) pipe.write(Uint8Array.of(forwardedSignals.indexOf(signal)));
    else if (performance.now() - firstSignalAt > sameSignalMs) child.kill(signal);
    firstSignalAt ??= performance.now();
  };
  for (const signal of forwardedSignals) process.on(signal, () => forward(signal));
  child.on('error', (error) => {
    console.error(`sonde: ${installedNode} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
} else {
  console.error(
    `sonde: this is Node ${process.versions.node}, and Sonde needs Node ${oldestMajor} or newer.\n` +
      `Install it from https://nodejs.org, or run "npm install node@${oldestMajor}" beside Sonde.`,
  );
  process.exitCode = 2;
}
