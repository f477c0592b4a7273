/** The command line inside this process, with streams, environment and exit status of its own: far quicker to start. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { main } from '../cli/main.ts';
import { type CurrentProcess, runInProcess } from '../current-process.ts';
import { environmentOf, type ProcessEnd, type Surroundings } from './run-sonde.ts';

export interface StartedInProcess {
  /** What has been written so far. */
  readOutput(): Omit<ProcessEnd, 'status' | 'signal'>;
  /** Open until it is ended, where no input was given. */
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<ProcessEnd>;
}

const toStatus = (code: number | string | null | undefined): number => Number(code ?? 0);

/** What has been written to it. */
function collectText(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** The working directory belongs to the whole process: whoever sets one runs alone. */
let running = 0;
function enterFolder(cwd: string | undefined): () => void {
  const previousFolder = process.cwd();
  if (cwd !== undefined && cwd !== previousFolder) {
    if (running > 0) throw new Error('A command that names its folder runs alone in a process.');
    process.chdir(cwd);
  }
  running++;
  return () => {
    running--;
    if (running === 0) process.chdir(previousFolder);
  };
}

export function startInProcess(args: readonly string[], surroundings: Surroundings = {}): StartedInProcess {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const input = new PassThrough();
  const signals = new EventEmitter();
  const texts = { stdout: collectText(stdout), stderr: collectText(stderr) };
  const readOutput = () => ({ stdout: texts.stdout(), stderr: texts.stderr() });
  const exited = Promise.withResolvers<void>();
  const currentProcess: CurrentProcess = Object.assign(signals, {
    env: { ...environmentOf(surroundings) },
    ...{ stdin: input, stdout, stderr },
    exit(status?: number | string | null): never {
      if (status !== undefined) currentProcess.exitCode = status;
      exited.resolve();
      throw new Error(`exit ${status}`);
    },
  });
  // Listeners of a stream are called in the process that writes to it, which has to be this one.
  stdin.on('data', (chunk) => runInProcess(currentProcess, () => input.write(chunk)));
  stdin.on('end', () => runInProcess(currentProcess, () => input.end()));
  const leaveFolder = enterFolder(surroundings.cwd);
  const ended = runInProcess(currentProcess, () => Promise.race([main(args), exited.promise]))
    .then(() => new Promise((printedAll) => setImmediate(printedAll)))
    .then(() => ({ status: toStatus(currentProcess.exitCode), signal: null, ...readOutput() }))
    .finally(leaveFolder);
  if (surroundings.input !== undefined) stdin.end(surroundings.input);
  return {
    ...{ stdin, stdout, stderr, readOutput },
    signal: (name) => void runInProcess(currentProcess, () => signals.emit(name)),
    ended,
  };
}

/** As the function of the same name in run-sonde.ts, which starts a process. */
export const sonde = (args: readonly string[], surroundings: Surroundings = {}): Promise<ProcessEnd> =>
  startInProcess(args, { input: '', ...surroundings }).ended;
