import { Command, Option } from 'commander';
import { jsonOption } from './flags.ts';

interface WorkerFlags {
  readonly slots: string;
  readonly repositories: string;
  readonly port?: string;
  readonly drain: string;
  readonly json?: true;
}

/** As the claim of the queue: a worker that is gone is missed within so long. Milliseconds. */
const leaseMs = 10_000;

async function work({ slots, repositories, port, drain, json }: WorkerFlags): Promise<void> {
  const { SondeError } = await import('../../core/index.ts');
  const { loadConfiguration, parseDuration, processEnvironment } = await import('../config/index.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { print, printJson, tell } = await import('./terminal.ts');
  const { openTeamQueue } = await import('../worker/team-queue.ts');
  const { repositoriesFrom } = await import('../worker/repositories.ts');
  const { openWorker } = await import('../worker/worker.ts');
  const { openRuns } = await import('../compose.ts');
  const { openServer, reachFrom } = await import('../server/index.ts');
  const wrong = (flag: string, given: string, remedy: string) =>
    new SondeError('bad_argument', { message: `${flag} is ${JSON.stringify(given)}`, remedy });
  const atOnce = Number(slots);
  if (!Number.isSafeInteger(atOnce) || atOnce < 1 || atOnce > 64)
    throw wrong('--slots', slots, 'Give a number from 1 to 64.');
  const drainMs = parseDuration(drain);
  if (drainMs === null) throw wrong('--drain', drain, 'Give a duration, such as 30s or 5m.');
  const has = repositoriesFrom(repositories);
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const interrupt = listenForInterrupt();
  const queue = await openTeamQueue(configuration, { leaseMs });
  const store = await openRuns(configuration);
  const say = (line: string): void => void tell(line);
  const worker = openWorker({ configuration, queue, store, slots: atOnce, repositories: has, tell: say });
  try {
    const server =
      port === undefined
        ? null
        : await openServer({ reach: reachFrom({ serve_port: port }), faces: [worker.face], tell: say });
    const about = { worker: worker.id, slots: atOnce, repositories: [...has.keys()] };
    const url = server?.publicUrl ?? null;
    await (json
      ? printJson({ ready: true, ...about, url })
      : print(
          `${worker.id} is ready: ${atOnce} slots, ${about.repositories.join(', ')}${url === null ? '' : `, ${url}`}`,
        ));
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done();
      else interrupt.signal.addEventListener('abort', () => done(), { once: true });
    });
    await worker.close(drainMs);
    await server?.close();
  } finally {
    await worker.close(0);
    await queue.close().catch(() => {});
    await store.close().catch(() => {});
    interrupt.dispose();
  }
}

export function workerCommand(): Command {
  return new Command('worker')
    .description(
      'work on the runs that a team has queued (sonde queue), until it is ended; any number, on any machine that reaches the store. Keys of models are needed here alone',
    )
    .requiredOption(
      '--repositories <list>',
      'what it works on: paths or addresses, separated by commas; NAME=PLACE where the name is another',
    )
    .addOption(new Option('--slots <n>', 'runs at once').default('2'))
    .option('--port <n>', 'answer /health, /ready and /metrics there; 0: any that is free')
    .addOption(
      new Option(
        '--drain <duration>',
        'on SIGTERM, how long what was begun may go on before it is given back',
      ).default('60s'),
    )
    .addOption(jsonOption('print {ready, worker, slots, repositories, url} on one line once it is ready'))
    .action(work);
}
