import { Command, Option } from 'commander';
import { settingOption } from './flags.ts';
import type { ServeFlags } from './serve-here.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description(
      'serve conversations and schedules of a workspace over HTTP, with its agent in a separate process; with --alerts, investigate alerts posted to /alerts',
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
      'synchronise this folder of notes with the workspace while it runs, as sonde world sync --watch does',
    )
    .addOption(
      new Option(
        '--allow <set>',
        'upper limit of what any token may do with the tools: read-only, external, agent or owner (default: the rights of each token)',
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
