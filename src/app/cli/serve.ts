import { Command, Option } from 'commander';
import { SondeError } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { settingOption } from './flags.ts';

interface ServeFlags {
  readonly workspace?: string;
  readonly alerts?: true;
  readonly port?: string;
  readonly agentPort?: string;
  readonly code?: string;
  readonly allow?: string;
  readonly replay?: string;
  readonly workers?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
}

const usualPort = 7077;
const usualAgentPort = 7078;

function portOf(flag: string, text: string | undefined, usual: number): number {
  const port = Number(text ?? usual);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SondeError('bad_argument', {
    message: `${flag} is ${text}`,
    remedy: 'Give a whole number from 0 to 65535.',
  });
}

const pickGiven = (settings: Readonly<Partial<Record<SettingKey, string | undefined>>>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'wait for work on this machine: conversations and schedules of a workspace, with its agent in a process of its own; with --alerts, POST /alerts starts investigations',
    )
    .addOption(settingOption('workspace', 'name'))
    .option(
      '--alerts',
      'take alerts (Alertmanager, Grafana, PagerDuty, OpsGenie, CloudWatch, Datadog, Sentry, JSON, text) from holders of a token (sonde token add NAME --alerts, or SONDE_ALERTS_TOKEN); nothing else unless a workspace is named',
    )
    .option('--port <n>', `port on 127.0.0.1, 0 for any that is free (${usualPort})`)
    .option('--agent-port <n>', `with --alerts, the port of the workspace (${usualAgentPort})`)
    .option('--code <folder>', 'let the agent read the code of this folder, too')
    .addOption(
      new Option(
        '--allow <set>',
        'the most that any token may do with the tools: read-only, external, agent, owner; what its token says without it',
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
  const { alerts, workspace, model, workers } = flags;
  const port = portOf('--port', flags.port, usualPort);
  const agentPort = alerts === true ? portOf('--agent-port', flags.agentPort, usualAgentPort) : port;
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { print, tell } = await import('./terminal.ts');
  const interrupt = listenForInterrupt();
  const servers: { close(): Promise<void> }[] = [];
  const { agentEnvironment } = await import('../agent/keys.ts');
  // The keys leave this process for those that it starts.
  const environment = agentEnvironment();
  try {
    if (alerts === true) {
      const { serveAlerts } = await import('../alerts/serve.ts');
      const server = await serveAlerts({
        port,
        ...(flags.replay !== undefined && { replay: flags.replay }),
        settings: pickGiven({ alerts_workers: workers, model }),
        environment,
        tell: (line) => void tell(line),
      });
      servers.push(server);
      await print(`alerts at ${server.address}/alerts`);
    }
    if (alerts !== true || workspace !== undefined) {
      const { serveAgent } = await import('../serve/serve-agent.ts');
      const server = await serveAgent({
        port: agentPort,
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
        tell: (line) => void tell(line),
      });
      servers.push(server);
      await print(`workspace at ${server.address}`);
      await tell(server.hint);
    }
    const { keepTidy } = await import('../prune/retention.ts');
    servers.push(keepTidy(tell));
    await new Promise<void>((done) => {
      if (interrupt.signal.aborted) done();
      else interrupt.signal.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    for (const server of servers.toReversed()) await server.close();
    interrupt.dispose();
  }
}
