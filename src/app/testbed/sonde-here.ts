/** The command line inside this process, with streams, environment and exit status of its own: far quicker to start. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { main } from '../cli/main.ts';
import { type CurrentProcess, runInProcess } from '../current-process.ts';
import { environmentOf, type ProcessEnd, type Surroundings } from './run-sonde.ts';

export interface StartedHere {
  /** What has been written so far. */
  readWritten(): Omit<ProcessEnd, 'status' | 'signal'>;
  /** Open until it is ended, where no input was given. */
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<ProcessEnd>;
}

const statusOf = (code: number | string | null | undefined): number => Number(code ?? 0);

/** What has been written to it. */
function textOf(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** The working directory belongs to the whole process: whoever sets one runs alone. */
let running = 0;
function enter(cwd: string | undefined): () => void {
  const before = process.cwd();
  if (cwd !== undefined && cwd !== before) {
    if (running > 0) throw new Error('A command that names its folder runs alone in a process.');
    process.chdir(cwd);
  }
  running++;
  return () => {
    running--;
    if (running === 0) process.chdir(before);
  };
}

export function startHere(args: readonly string[], around: Surroundings = {}): StartedHere {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const input = new PassThrough();
  const signals = new EventEmitter();
  const texts = { stdout: textOf(stdout), stderr: textOf(stderr) };
  const readWritten = () => ({ stdout: texts.stdout(), stderr: texts.stderr() });
  const exited = Promise.withResolvers<void>();
  const here: CurrentProcess = Object.assign(signals, {
    env: { ...environmentOf(around) },
    ...{ stdin: input, stdout, stderr },
    exit(status?: number | string | null): never {
      if (status !== undefined) here.exitCode = status;
      exited.resolve();
      throw new Error(`exit ${status}`);
    },
  });
  // Listeners of a stream are called in the process that writes to it, which has to be this one.
  stdin.on('data', (chunk) => runInProcess(here, () => input.write(chunk)));
  stdin.on('end', () => runInProcess(here, () => input.end()));
  const leave = enter(around.cwd);
  const ended = runInProcess(here, () => Promise.race([main(args), exited.promise]))
    .then(() => new Promise((printedAll) => setImmediate(printedAll)))
    .then(() => ({ status: statusOf(here.exitCode), signal: null, ...readWritten() }))
    .finally(leave);
  if (around.input !== undefined) stdin.end(around.input);
  return {
    ...{ stdin, stdout, stderr, readWritten },
    signal: (name) => void runInProcess(here, () => signals.emit(name)),
    ended,
  };
}

/** As the function of the same name in run-sonde.ts, which starts a process. */
export const sonde = (args: readonly string[], around: Surroundings = {}): Promise<ProcessEnd> =>
  startHere(args, { input: '', ...around }).ended;
