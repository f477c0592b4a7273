#!/usr/bin/env node
// The launcher: plain JavaScript that any Node can parse, so that an old one meets a sentence, not a stack trace.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { engines = {} } = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
const oldest = Number(/\d+/.exec(engines.node ?? '')?.[0] ?? 26);
const major = Number(process.versions.node.split('.')[0]);
const pinned = at('../node_modules/node/bin/node');

/** Names the pipe from a launcher on an older Node to the one that it started. */
const launcherPipe = 'SONDE_LAUNCHER_PIPE';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A terminal, or a signal to a group, tells both processes within this time. What comes later is another signal. */
const sameSignalMs = 1_000;
/** How long a signal that both are told may reach this process after the launcher's word of it. */
const laterMs = 100;

/**
 * Takes what the launcher was told as told to this process, once: not where the signal came here, too. As if told to
 * end, where the launcher is gone: nobody else would pass on a signal.
 */
async function endWithLauncher() {
  const descriptor = Number(process.env[launcherPipe] ?? Number.NaN);
  // What this process starts has another parent.
  delete process.env[launcherPipe];
  if (!Number.isInteger(descriptor)) return;
  let lastSignal = Number.NEGATIVE_INFINITY;
  const noteSignal = () => {
    lastSignal = performance.now();
  };
  // Listened to only where others do: without a listener, a signal ends the process at once.
  process.on('newListener', (name, listener) => {
    if (!forwarded.includes(name) || listener === noteSignal) return;
    if (!process.listeners(name).includes(noteSignal)) process.on(name, noteSignal);
  });
  process.on('removeListener', (name, listener) => {
    if (!forwarded.includes(name) || listener === noteSignal) return;
    if (process.listeners(name).every((one) => one === noteSignal)) process.off(name, noteSignal);
  });
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  pipe.on('error', () => {});
  pipe.once('close', () => process.kill(process.pid, 'SIGTERM'));
  pipe.on('data', ([index]) => {
    const pass = () => {
      if (performance.now() - lastSignal > sameSignalMs) process.kill(process.pid, forwarded[index]);
    };
    setTimeout(pass, laterMs).unref();
  });
  pipe.unref();
}

if (major >= oldest) {
  // Beside the installed package, where nobody else may write, or else in the user's own folder. Where neither can be
  // written, it costs only speed.
  const { status } = module.enableCompileCache?.(at('../node_modules/.cache/sonde')) ?? {};
  if (status === module.constants.compileCacheStatus?.FAILED) {
    const { SONDE_HOME: home, XDG_CACHE_HOME: caches } = process.env;
    const base = isAbsolute(caches ?? '') ? caches : join(homedir(), '.cache');
    const own = home ? join(home, 'cache') : join(base, 'sonde');
    module.enableCompileCache(join(own, 'compiled'));
  }
  await endWithLauncher();
  const sources = new URL('../src/', import.meta.url).href;
  const unusedByLangGraph =
    /^(?:langsmith|langsmith\/run_trees|@langchain\/core\/load|(?:@langchain\/core|\.\.)\/utils\/json_schema(?:\.js)?)$/;
  module.registerHooks({
    resolve: (specifier, context, next) => {
      const from = context.parentURL ?? '';
      // Our own files name each other in full: Node would look for each on the disk, and for the package that it is of.
      if (specifier.startsWith('.') && specifier.endsWith('.ts') && from.startsWith(sources))
        return { url: new URL(specifier, from).href, format: 'module-typescript', shortCircuit: true };
      // zod loads its messages in sixty languages, a file each, where English is all that is used.
      if (specifier === '../locales/index.js' && from.includes('/node_modules/zod/'))
        return { url: 'data:text/javascript,', shortCircuit: true };
      if (from.includes('/node_modules/@langchain/') && unusedByLangGraph.test(specifier))
        return { url: new URL('./langchain-parts.mjs', import.meta.url).href, shortCircuit: true };
      return next(specifier, context);
    },
  });
  const source = at('../src/app/cli/main.ts');
  const { main } = await import(existsSync(source) ? '../src/app/cli/main.ts' : '../dist/app/cli/main.js');
  await main(process.argv.slice(2));
} else if (existsSync(pinned) && process.execPath !== pinned) {
  // It ends when this process does, however that happens.
  const child = spawn(pinned, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [launcherPipe]: '3' },
  });
  const pipe = child.stdio[3];
  pipe.on('error', () => {});
  // A signal may have come to this process alone, or to the child as well, which then knows of it. A second one
  // ends the child, also where it reads nothing.
  let first = null;
  const pass = (signal) => {
    if (first === null) pipe.write(Uint8Array.of(forwarded.indexOf(signal)));
    else if (performance.now() - first > sameSignalMs) child.kill(signal);
    first ??= performance.now();
  };
  for (const signal of forwarded) process.on(signal, () => pass(signal));
  child.on('error', (error) => {
    console.error(`sonde: ${pinned} cannot be started: ${error.message}`);
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
    `sonde: this is Node ${process.versions.node}, and Sonde needs Node ${oldest} or newer.\n` +
      `Install it from https://nodejs.org, or run "npm install node@${oldest}" beside Sonde.`,
  );
  process.exitCode = 2;
}
