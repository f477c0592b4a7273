import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import type { Limits, SandboxOptions } from '../../../sandbox/index.ts';
import { currentProcess, type OutputStream } from '../../current-process.ts';

interface PythonFlags {
  readonly jsonl?: true;
  readonly inProcess?: true;
  readonly seed: string;
  readonly [limit: string]: string | true | undefined;
}

/**
 * Flags that set a limit. Each row: the flag, the name of the limit, the unit of the flag, the factor that converts it to
 * the unit of the limit, and what is limited, for the help.
 */
const limitFlags = [
  [
    'fuel',
    'fuel',
    'units',
    1,
    'computation of one cell (about one unit for each loop iteration or call inside the interpreter)',
  ],
  ['memory', 'memory_bytes', 'MiB', 2 ** 20, 'memory of the session'],
  ['wall', 'wall_ms', 'ms', 1, 'time of one cell'],
  ['output', 'output_bytes', 'bytes', 1, 'output of one cell that is kept, for each stream'],
  ['code', 'code_bytes', 'bytes', 1, 'length of one cell'],
] as const;

function parseLimits(flags: PythonFlags): Partial<Limits> {
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const [flag, limit, unit, factor] of limitFlags) {
    const text = flags[flag];
    if (typeof text !== 'string') continue;
    if (!/^\d+$/.test(text)) {
      throw new SondeError('bad_argument', {
        message: `--${flag} is ${JSON.stringify(text)}, not a whole number`,
        remedy: `Give a whole number of ${unit}.`,
      });
    }
    limits[limit] = Number(text) * factor;
  }
  return limits;
}

/** Loads what the command needs only when it runs, so that `sonde --help` stays fast. */
async function run(file: string | undefined, flags: PythonFlags): Promise<void> {
  if (file !== undefined && flags.jsonl) {
    throw new SondeError('bad_argument', {
      message: `--jsonl reads cells from standard input, and ${file} was named too`,
      remedy: 'Leave one of the two out.',
    });
  }
  const limits = parseLimits(flags);
  const code = file === undefined ? null : await readCode(file);
  const { createSandbox } = await import('../../../sandbox/index.ts');
  const sandbox = createSandbox({ ...(await sandboxOptions(flags)), limits });
  const openSession = () => sandbox.open({ seed: flags.seed });
  try {
    if (flags.jsonl) await runJsonCells(openSession);
    else if (code !== null) await runFile(openSession, code);
    else await runInteractively(openSession);
  } finally {
    await sandbox.close();
  }
}

async function sandboxOptions(flags: PythonFlags): Promise<SandboxOptions> {
  const { join } = await import('node:path');
  const { directories, processEnvironment } = await import('../../config/index.ts');
  return {
    cacheDirectory: join(directories(processEnvironment()).cache, 'sandbox'),
    isolation: flags.inProcess ? 'thread' : 'process',
  };
}

async function readCode(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SondeError('not_found', {
      message: `${file} can't be read: ${error.code ?? error.message}`,
      remedy: 'Name a file with Python code.',
    });
  });
}

type OpenSession = () => Promise<import('../../../sandbox/index.ts').Session>;

async function runJsonCells(openSession: OpenSession): Promise<void> {
  const { createInterface } = await import('node:readline');
  const { runJsonLines } = await import('../../../sandbox/index.ts');
  const { printJson } = await import('../terminal.ts');
  const lines = createInterface({ input: currentProcess().stdin, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of runJsonLines(lines, openSession)) await printJson(line);
}

async function runFile(openSession: OpenSession, code: string): Promise<void> {
  const { printResult } = await import('../../../sandbox/index.ts');
  const result = await (await openSession()).execute(code);
  await printResult(result, await outputWriters());
  if (result.kind !== 'ok') currentProcess().exitCode = 1;
}

async function runInteractively(openSession: OpenSession): Promise<void> {
  const { createInterface } = await import('node:readline');
  const { runConsole } = await import('../../../sandbox/index.ts');
  const { stdin, stderr } = currentProcess();
  const input = createInterface({ input: stdin, output: stderr, terminal: stdin.isTTY === true });
  const lines = input[Symbol.asyncIterator]();
  const terminal = {
    ...(await outputWriters()),
    ask: async (prompt: string) => {
      if (stdin.isTTY) stderr.write(prompt);
      const nextLine = await lines.next();
      return nextLine.done ? null : nextLine.value;
    },
  };
  try {
    await runConsole(await openSession(), terminal);
  } finally {
    input.close();
  }
}

/** Returns functions that print output of the guest. They remove escape sequences and add no line end. */
async function outputWriters() {
  const { toPlainText: plain } = await import('../../../core/index.ts');
  const writeTo = (stream: OutputStream) => (text: string) =>
    new Promise<void>((done) => {
      stream.write(plain(text), () => done());
    });
  const { stdout, stderr } = currentProcess();
  return { print: writeTo(stdout), printError: writeTo(stderr) };
}

export function pythonCommand(): Command {
  const command = new Command('python')
    .description('run Python inside the sandbox, to see what a model sees')
    .argument('[file]', 'a file to run (default: an interactive console)')
    .option('--jsonl', 'read lines {"code": "..."} from standard input, and print one JSON object for each')
    .addOption(new Option('--seed <text>', 'the random seed').default('sonde'))
    .option('--in-process', 'run in threads of this process, without a child process');
  for (const [flag, , unit, , limitedThing] of limitFlags)
    command.addOption(new Option(`--${flag} <n>`, `maximum ${limitedThing}, in ${unit}`));
  return command.action(run);
}
