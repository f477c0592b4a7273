import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Investigations } from '../../alerts/investigations.ts';
import type { Configuration } from '../../config/index.ts';
import type { HostAddress } from '../../team/host-endpoint.ts';
import type { WorkspaceHost } from '../../team/workspace-host.ts';
import { jsonOption } from '../flags.ts';

interface WorkerFlags {
  readonly slots: string;
  readonly repositories?: string;
  readonly workspaces?: string;
  readonly code?: string;
  readonly signals?: true;
  readonly replay?: string;
  readonly port?: string;
  readonly drain: string;
  readonly json?: true;
}

/** After this time another worker takes over the jobs of a worker that died, in milliseconds. */
const leaseMs = 10_000;
/** How often the leases of alert investigations are renewed, in milliseconds. */
const renewMs = 3_000;

async function runWorker(flags: WorkerFlags): Promise<void> {
  const { slots, repositories, workspaces, code, signals, replay, port, drain, json } = flags;
  const { plainLine, SondeError } = await import('../../../core/index.ts');
  const { loadConfiguration, parseDuration, processEnvironment } = await import('../../config/index.ts');
  const { listenForInterrupt } = await import('../interrupt.ts');
  const { print, printJson, tell } = await import('../terminal.ts');
  const { openTeamQueue, openTeamRows } = await import('../../worker/team-queue.ts');
  const { parseRepositories: repositoriesFrom, requireFolders } = await import(
    '../../worker/repositories.ts'
  );
  const { openWorker } = await import('../../worker/worker.ts');
  const { openRunProcesses } = await import('../../worker/run-processes.ts');
  const { groupTopic } = await import('../../alerts/groups.ts');
  const { openRuns } = await import('../../compose.ts');
  const { openServer, readServerAddress: reachFrom } = await import('../../server/index.ts');
  const flagError = (flag: string, value: string, remedy: string) =>
    new SondeError('bad_argument', { message: `${flag} is ${JSON.stringify(value)}`, remedy });
  const slotCount = Number(slots);
  if (!Number.isSafeInteger(slotCount) || slotCount < 1 || slotCount > 64)
    throw flagError('--slots', slots, 'Give a number from 1 to 64.');
  const drainMs = parseDuration(drain);
  if (drainMs === null) throw flagError('--drain', drain, 'Give a duration, such as 30s or 5m.');
  if (repositories === undefined && signals === undefined && workspaces === undefined)
    throw new SondeError('bad_argument', {
      message: 'This worker would have nothing to work on',
      remedy: 'Name repositories with --repositories, workspaces with --workspaces, or give --signals.',
    });
  if (replay !== undefined && signals === undefined)
    throw new SondeError('bad_argument', {
      message: '--replay was given without --signals',
      remedy: 'Give both: the recorded incident replaces the systems.',
    });
  const hostedWorkspaces = [...new Set((workspaces ?? '').split(',').map((name) => name.trim()))].filter(
    Boolean,
  );
  if (code !== undefined && hostedWorkspaces.length === 0)
    throw new SondeError('bad_argument', {
      message: '--code was given without --workspaces',
      remedy: 'Name the workspace whose agent may read the folder, with --workspaces.',
    });
  const repositoryPaths =
    repositories === undefined ? new Map<string, string>() : repositoriesFrom(repositories);
  requireFolders(repositoryPaths);
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const interrupt = listenForInterrupt();
  const queue = await openTeamQueue(configuration, { leaseMs });
  const store = await openRuns(configuration);
  const teams = await openTeamRows(configuration);
  const tellLine = (line: string): void => void tell(line);
  const otherTopics = signals ? [groupTopic] : [];
  const processes = openRunProcesses({
    max: slotCount + (signals ? configuration.values.alerts_workers : 0),
  });
  const worker = openWorker({
    ...{
      configuration,
      queue,
      store,
      teams,
      slots: slotCount,
      repositories: repositoryPaths,
      otherTopics: otherTopics,
      processes,
    },
    tell: tellLine,
    measure: await teamMeasures(configuration),
  });
  const storeTidying = (await import('../../worker/tidy-store.ts')).openStoreMaintenance(
    configuration,
    tellLine,
  );
  let investigations: Investigations | undefined;
  const hosts: WorkspaceHost[] = [];
  const hostAddress = Promise.withResolvers<HostAddress>();
  try {
    for (const workspace of hostedWorkspaces) {
      const { openWorkspaceHost } = await import('../../team/workspace-host.ts');
      const { resolveRoot } = await import('../../root.ts');
      const root = code === undefined ? {} : { root: resolveRoot(code) };
      const options = { configuration, workspace, id: worker.id, address: hostAddress.promise, ...root };
      hosts.push(await openWorkspaceHost({ ...options, tell: tellLine }));
    }
    if (signals)
      investigations = await (await import('../../alerts/investigations.ts')).openInvestigations({
        ...{ configuration, store, queue, renewMs },
        replay: replay === undefined ? null : resolve(replay),
        runElsewhere: (run, placing) => processes.perform({ resume: run }, { team: '', ...placing }),
        // Titles of alerts come from outside: each is kept on one line.
        tell: (line) => tellLine(plainLine(line)),
      });
    investigations?.wake();
    // A worker with workspaces needs a port for fronts; without --port it gets a free one.
    const portText = port ?? (hosts.length === 0 ? undefined : '0');
    const reach = portText === undefined ? null : reachFrom({ serve_port: portText });
    const parts = [worker.part, ...hosts.map(({ part }) => part)];
    const server = reach === null ? null : await openServer({ serverAddress: reach, parts, tell: tellLine });
    if (server !== null)
      hostAddress.resolve({ url: server.publicUrl, certFile: reach?.tls?.certFile ?? null });
    const announcement = {
      ...{ worker: worker.id, slots: slotCount, repositories: [...repositoryPaths.keys()] },
      signals: signals === true,
      workspaces: hostedWorkspaces,
    };
    const url = server?.publicUrl ?? null;
    await (json
      ? printJson({ ready: true, ...announcement, url })
      : print(
          `${worker.id} is ready: ${slotCount} slots, ${[...announcement.repositories, ...hostedWorkspaces, ...(signals ? ['alerts'] : [])].join(', ')}${url === null ? '' : `, ${url}`}`,
        ));
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done();
      else interrupt.signal.addEventListener('abort', () => done(), { once: true });
    });
    await Promise.all([
      worker.close(drainMs),
      investigations?.close(drainMs),
      ...hosts.map((host) => host.close(drainMs)),
    ]);
    await server?.close();
  } finally {
    storeTidying.stop();
    await worker.close(0);
    await investigations?.close();
    await Promise.all(hosts.map((host) => host.close(0)));
    await processes.close();
    await queue.close().catch(() => {});
    await store.close().catch(() => {});
    await teams.close().catch(() => {});
    await storeTidying.ended;
    interrupt.dispose();
  }
}

async function teamMeasures({ values }: Configuration) {
  const { clusterMeasures } = await import('../../team/cluster-metrics.ts');
  const { storeAddress } = await import('../../config/index.ts');
  return clusterMeasures(async () => {
    const { readClusterFigures } = await import('../../../store/postgres/index.ts');
    return readClusterFigures({ url: storeAddress(values) }, { teams: values.metrics_teams });
  });
}

export function workerCommand(): Command {
  return new Command('worker')
    .description(
      'process the runs, alerts and conversations that a team has queued (sonde queue, sonde serve) until it is stopped. Any number of workers can run, on any machine that reaches the store. Only workers need the keys of models and of monitoring systems',
    )
    .option(
      '--repositories <list>',
      'repositories to work on: paths or URLs, comma-separated; write NAME=PATH or NAME=URL to choose the name of one',
    )
    .option(
      '--workspaces <names>',
      'also host these workspaces of this machine, comma-separated: their conversations, pages and schedules; only one worker at a time can host a workspace. Fronts (sonde serve with the shared store) connect to the worker at --port; if they run on other machines, also set serve_bind, serve_public_url and a certificate',
    )
    .option('--code <folder>', 'with --workspaces: also let the agent read the code in this folder')
    .option(
      '--signals',
      'investigate the alerts that sonde serve --alerts receives, with the systems configured here; the setting alerts_workers limits how many at the same time',
    )
    .option(
      '--replay <folder>',
      'with --signals: investigate alerts with the data recorded in this folder, without asking any system',
    )
    .addOption(new Option('--slots <n>', 'maximum number of runs at the same time').default('2'))
    .option(
      '--port <n>',
      'serve /health, /ready and /metrics on this port; 0: any free port (the default with --workspaces)',
    )
    .addOption(
      new Option(
        '--drain <duration>',
        'on SIGTERM, how long running jobs may continue before they are returned to the queue',
      ).default('60s'),
    )
    .addOption(
      jsonOption(
        'print {ready, worker, slots, repositories, signals, workspaces, url} on one line once it is ready',
      ),
    )
    .action(runWorker);
}
