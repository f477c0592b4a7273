import { Command, Option } from 'commander';
import type { SettingKey } from '../config/index.ts';
import type { Face } from '../server/index.ts';
import { settingOption } from './flags.ts';

interface ServeFlags {
  readonly workspace?: string;
  readonly alerts?: true;
  readonly bind?: string;
  readonly port?: string;
  readonly publicUrl?: string;
  readonly code?: string;
  readonly allow?: string;
  readonly replay?: string;
  readonly workers?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
}

/** What was begun may go on after SIGTERM for so long. Milliseconds. */
const drainMs = 30_000;

const pickGiven = (settings: Readonly<Partial<Record<SettingKey, string | undefined>>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'wait for work: conversations and schedules of a workspace, with its agent in a process of its own; with --alerts, POST /alerts starts investigations',
    )
    .addOption(settingOption('workspace', 'name'))
    .option(
      '--alerts',
      'take alerts (Alertmanager, Grafana, PagerDuty, OpsGenie, CloudWatch, Datadog, Sentry, JSON, text) from holders of a token (sonde token add NAME --alerts, or SONDE_ALERTS_TOKEN); nothing else unless a workspace is named',
    )
    .addOption(settingOption('serve_bind', 'address'))
    .addOption(settingOption('serve_port', 'n'))
    .addOption(settingOption('serve_public_url', 'url'))
    .option('--code <folder>', 'let the agent read the code of this folder, too')
    .addOption(
      new Option(
        '--allow <set>',
        'an upper limit on what tokens may do with the tools: read-only, external, agent, owner; without it each token has its own rights',
      ),
    )
    .option('--replay <folder>', 'look at a frozen incident in a folder instead of the configured systems')
    .addOption(settingOption('alerts_workers', 'n'))
    .addOption(settingOption('model', 'name'))
    .addOption(settingOption('max_tokens', 'n'))
    .addOption(settingOption('max_usd', 'amount'))
    .addOption(settingOption('max_time', 'duration'))
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const { alerts, workspace, model, workers, bind, port, publicUrl } = flags;
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { print, tell } = await import('./terminal.ts');
  const { openServer, reachFrom } = await import('../server/index.ts');
  // Before anything is opened: what cannot be reached, or must not be, needs no work.
  const reach = reachFrom(pickGiven({ serve_bind: bind, serve_port: port, serve_public_url: publicUrl }));
  const interrupt = listenForInterrupt();
  const closing: { close(): Promise<void> }[] = [];
  const faces: Face[] = [];
  const hints: string[] = [];
  const { agentEnvironment } = await import('../agent/keys.ts');
  // The keys leave this process for those that it starts.
  const environment = agentEnvironment();
  const say = (line: string) => void tell(line);
  try {
    if (alerts === true) {
      const { openAlertIntake } = await import('../alerts/serve.ts');
      const intake = await openAlertIntake({
        ...(flags.replay !== undefined && { replay: flags.replay }),
        settings: pickGiven({ alerts_workers: workers, model }),
        environment,
        tell: say,
      });
      closing.push(intake);
      faces.push(intake.face);
      if (intake.hint !== null) hints.push(intake.hint);
    }
    if (alerts !== true || workspace !== undefined) {
      const { serveAgent } = await import('../serve/serve-agent.ts');
      const service = await serveAgent({
        ...(flags.allow !== undefined && { allow: flags.allow }),
        ...(flags.code !== undefined && { root: flags.code }),
        settings: pickGiven({
          workspace,
          model,
          max_tokens: flags.maxTokens,
          max_usd: flags.maxUsd,
          max_time: flags.maxTime,
        }),
        environment,
        tell: say,
      });
      closing.push(service);
      faces.push(...service.faces);
      hints.push(service.hint);
    }
    const server = await openServer({ reach, faces, tell: say });
    closing.push({ close: () => server.close(drainMs) });
    if (alerts === true) await print(`alerts at ${server.publicUrl}/alerts`);
    if (alerts !== true || workspace !== undefined) await print(`workspace at ${server.publicUrl}`);
    for (const hint of hints) await tell(hint);
    const { keepTidy } = await import('../prune/retention.ts');
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
