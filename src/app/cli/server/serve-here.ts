/** A server in this process: for `sonde serve`, and for `sonde ui` if no server is running. */
import { SondeError } from '../../../core/index.ts';
import { agentEnvironment } from '../../agent/keys.ts';
import type { Environment, SettingKey } from '../../config/index.ts';
import type { WorkspaceService } from '../../serve/serve-agent.ts';
import { openServer, type RunningServer, reachFrom, type ServerPart } from '../../server/index.ts';
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
  /** The workspace of this machine, whoever keeps its conversations. */
  readonly own?: true;
}

/** How long requests may continue after SIGTERM. Milliseconds. */
const drainMs = 30_000;

const pickGiven = (settings: Readonly<Partial<Record<SettingKey, string | undefined>>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

async function announce({ publicUrl }: RunningServer, { alerts, workspace }: ServeFlags): Promise<void> {
  if (alerts === true) await print(`alerts at ${publicUrl}/alerts`);
  if (alerts !== true || workspace !== undefined) await print(`workspace at ${publicUrl}`);
}

async function servedHere(
  flags: ServeFlags,
  environment: Environment,
  say: (line: string) => void,
): Promise<WorkspaceService> {
  const { serveAgent } = await import('../../serve/serve-agent.ts');
  return serveAgent({
    ...(flags.allow !== undefined && { allow: flags.allow }),
    ...(flags.code !== undefined && { root: flags.code }),
    ...(flags.vault !== undefined && { vault: flags.vault }),
    settings: pickGiven({
      workspace: flags.workspace,
      model: flags.model,
      max_tokens: flags.maxTokens,
      max_usd: flags.maxUsd,
      max_time: flags.maxTime,
    }),
    environment,
    measured: flags.alerts !== true,
    tell: say,
  });
}

/** Whether a team keeps the conversations: the page of `sonde ui` is for pages, which are here. */
async function isShared({ own }: ServeFlags): Promise<boolean> {
  if (own === true) return false;
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  return loadConfiguration({ environment: processEnvironment() }).values.store === 'postgres';
}

/** Throws `bad_argument` for what a front has not. */
async function frontOf(flags: ServeFlags, tell: (line: string) => void): Promise<WorkspaceService> {
  const { workspace, alerts, code, vault, allow, model, maxTokens, maxUsd, maxTime } = flags;
  const forWorkers = { code, vault, allow, model, maxTokens, maxUsd, maxTime };
  // With a shared store, the workers' settings choose the model for alerts.
  for (const [name, given] of Object.entries(forWorkers))
    if (given !== undefined && !(name === 'model' && alerts === true))
      throw new SondeError('bad_argument', {
        message: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} was given, and with this store a worker is the host of the workspace`,
        remedy: 'Give it to sonde worker --workspaces NAME (--code), or set it there.',
      });
  const { openFront } = await import('../../team/front.ts');
  return openFront({ settings: pickGiven({ workspace }), measured: alerts !== true, tell });
}

/** Serves until it is told to end. `listening` is called once, with the address. */
export async function serveHere(
  flags: ServeFlags,
  listening: (server: RunningServer, flags: ServeFlags) => void | Promise<void> = announce,
): Promise<void> {
  const { alerts, workspace, model, workers, bind, port, publicUrl } = flags;
  if (flags.vault !== undefined && alerts === true && workspace === undefined)
    throw new SondeError('bad_argument', {
      message: '--vault was given, and no workspace is served',
      remedy: 'Name the workspace with --workspace.',
    });
  // Checked before anything is opened: an address that is wrong or forbidden needs no work.
  const reach = reachFrom(pickGiven({ serve_bind: bind, serve_port: port, serve_public_url: publicUrl }));
  const interrupt = listenForInterrupt();
  const closing: { close(): Promise<void> }[] = [];
  const parts: ServerPart[] = [];
  const hints: string[] = [];
  const served: WorkspaceService[] = [];
  // Keys are removed from this process and given to the processes that it starts.
  const environment = agentEnvironment();
  const say = (line: string) => void tell(line);
  try {
    if (alerts === true) {
      const { openAlertIntake } = await import('../../alerts/serve.ts');
      const intake = await openAlertIntake({
        ...(flags.replay !== undefined && { replay: flags.replay }),
        settings: pickGiven({ alerts_workers: workers, model }),
        environment,
        tell: say,
      });
      closing.push(intake);
      parts.push(intake.part);
      if (intake.hint !== null) hints.push(intake.hint);
    }
    if (alerts !== true || workspace !== undefined) {
      const service = (await isShared(flags))
        ? await frontOf(flags, say)
        : await servedHere(flags, environment, say);
      closing.push(service);
      parts.push(...service.parts);
      hints.push(service.hint);
      served.push(service);
    }
    const server = await openServer({ reach, parts, tell: say });
    closing.push({ close: () => server.close(drainMs) });
    for (const service of served) service.listensAt(server.publicUrl);
    await listening(server, flags);
    for (const hint of hints) await tell(hint);
    const { keepTidy } = await import('../../prune/retention.ts');
    closing.push(keepTidy(tell));
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done();
      else interrupt.signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    for (const one of closing.toReversed()) await one.close();
    interrupt.dispose();
  }
}
