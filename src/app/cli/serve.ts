import { Command, Option } from 'commander';
import { settingOption } from './flags.ts';
import type { ServeFlags } from './serve-here.ts';

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
    .option(
      '--vault <folder>',
      'keep this folder of notes and the workspace alike meanwhile, as sonde world sync --watch does',
    )
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
    .action(async (flags: ServeFlags) => (await import('./serve-here.ts')).serveHere(flags));
}
