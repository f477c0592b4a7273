/** Runs a server in this process: for `sonde serve`, and for `sonde ui` if no server is running. */
import { SondeError } from '../../../core/index.ts';
import { splitOffAgentKeys } from '../../agent/keys.ts';
import type { Environment, SettingKey } from '../../config/index.ts';
import type { WorkspaceService } from '../../serve/serve-agent.ts';
import { openServer, type RunningServer, readServerAddress, type ServerPart } from '../../server/index.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { print, tell } from '../terminal.ts';

export interface ServeFlags {
  readonly workspace?: string;
  readonly alerts?: true;
  readonly bind?: string;
  readonly port?: string;
  readonly publicUrl?: string;
  readonly code?: string;
  readonly vault?: string;
  readonly allow?: string;
  readonly replay?: string;
  readonly workers?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
  /** Serve the pages on this machine even if the conversations are in a shared store. For `sonde ui`. */
  readonly local?: true;
}

/** How long requests may continue after SIGTERM, in milliseconds. */
const drainMs = 30_000;

const omitUndefined = (settings: Readonly<Partial<Record<SettingKey, string | undefined>>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

async function announce({ publicUrl }: RunningServer, { alerts, workspace }: ServeFlags): Promise<void> {
  if (alerts === true) await print(`alerts at ${publicUrl}/alerts`);
  if (alerts !== true || workspace !== undefined) await print(`workspace at ${publicUrl}`);
}

async function openLocalService(
  flags: ServeFlags,
  environment: Environment,
  tellLine: (line: string) => void,
): Promise<WorkspaceService> {
  const { serveAgent } = await import('../../serve/serve-agent.ts');
  return serveAgent({
    ...(flags.allow !== undefined && { allow: flags.allow }),
    ...(flags.code !== undefined && { root: flags.code }),
    ...(flags.vault !== undefined && { vault: flags.vault }),
    settings: omitUndefined({
      workspace: flags.workspace,
      model: flags.model,
      max_tokens: flags.maxTokens,
      max_usd: flags.maxUsd,
      max_time: flags.maxTime,
    }),
    environment,
    measuresRuns: flags.alerts !== true,
    tell: tellLine,
  });
}

/** Whether this server is a front: the conversations are in a shared store. */
async function isFront({ local }: ServeFlags): Promise<boolean> {
  if (local === true) return false;
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  return loadConfiguration({ environment: processEnvironment() }).values.store === 'postgres';
}

/** Throws `bad_argument` for flags that a front cannot use. */
async function openFrontService(flags: ServeFlags, tell: (line: string) => void): Promise<WorkspaceService> {
  const { workspace, alerts, code, vault, allow, model, maxTokens, maxUsd, maxTime } = flags;
  const workerFlags = { code, vault, allow, model, maxTokens, maxUsd, maxTime };
  // With --alerts, --model is accepted but has no effect: the workers' settings choose the model for alerts.
  for (const [name, value] of Object.entries(workerFlags))
    if (value !== undefined && !(name === 'model' && alerts === true))
      throw new SondeError('bad_argument', {
        message: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} does not apply here: with a shared store, a worker hosts the workspace`,
        remedy:
          'Give it to sonde worker --workspaces NAME (--code), or set it in the settings of the worker.',
      });
  const { openFront } = await import('../../team/front.ts');
  return openFront({ settings: omitUndefined({ workspace }), measuresRuns: alerts !== true, tell });
}

/** Serves until Ctrl-C or SIGTERM. Calls `onListening` once the server listens. */
export async function serveHere(
  flags: ServeFlags,
  onListening: (server: RunningServer, flags: ServeFlags) => void | Promise<void> = announce,
): Promise<void> {
  const { alerts, workspace, model, workers, bind, port, publicUrl } = flags;
  if (flags.vault !== undefined && alerts === true && workspace === undefined)
    throw new SondeError('bad_argument', {
      message: '--vault was given, but no workspace is served',
      remedy: 'Name the workspace with --workspace.',
    });
  // Checked first, so that a wrong or forbidden address fails before anything is opened.
  const reach = readServerAddress(
    omitUndefined({ serve_bind: bind, serve_port: port, serve_public_url: publicUrl }),
  );
  const interrupt = listenForInterrupt();
  const closables: { close(): Promise<void> }[] = [];
  const parts: ServerPart[] = [];
  const hints: string[] = [];
  const services: WorkspaceService[] = [];
  // Removes the keys from the environment of this process; only the processes that it starts get them.
  const environment = splitOffAgentKeys();
  const tellLine = (line: string) => void tell(line);
  try {
    if (alerts === true) {
      const { openAlertIntake } = await import('../../alerts/serve.ts');
      const intake = await openAlertIntake({
        ...(flags.replay !== undefined && { replay: flags.replay }),
        settings: omitUndefined({ alerts_workers: workers, model }),
        environment,
        tell: tellLine,
      });
      closables.push(intake);
      parts.push(intake.part);
      if (intake.hint !== null) hints.push(intake.hint);
    }
    if (alerts !== true || workspace !== undefined) {
      const service = (await isFront(flags))
        ? await openFrontService(flags, tellLine)
        : await openLocalService(flags, environment, tellLine);
      closables.push(service);
      parts.push(...service.parts);
      hints.push(service.hint);
      services.push(service);
    }
    const server = await openServer({ serverAddress: reach, parts, tell: tellLine });
    closables.push({ close: () => server.close(drainMs) });
    for (const service of services) service.listensAt(server.publicUrl);
    await onListening(server, flags);
    for (const hint of hints) await tell(hint);
    const { pruneHourly } = await import('../../prune/retention.ts');
    closables.push(pruneHourly(tell));
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done();
      else interrupt.signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    for (const closable of closables.toReversed()) await closable.close();
    interrupt.dispose();
  }
}
