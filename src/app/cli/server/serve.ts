import { Command, Option } from 'commander';
import { addLimitOptions, allowHelp, settingOption } from '../flags.ts';
import type { ServeFlags } from './serve-here.ts';

export function serveCommand(): Command {
  return addLimitOptions(
    new Command('serve')
      .description(
        'serve conversations and schedules of a workspace over HTTP, with its agent in a separate process; with --alerts, investigate alerts posted to /alerts',
      )
      .addOption(settingOption('workspace', 'name'))
      .option(
        '--alerts',
        'accept alerts (Alertmanager, Grafana, PagerDuty, OpsGenie, CloudWatch, Datadog, Sentry, JSON, text) from clients with a token (sonde token add NAME --alerts, or SONDE_ALERTS_TOKEN); if --workspace is not given, serve only alerts',
      )
      .addOption(settingOption('serve_bind', 'address'))
      .addOption(settingOption('serve_port', 'n'))
      .addOption(settingOption('serve_public_url', 'url'))
      .option('--code <folder>', 'also let the agent read the code in this folder')
      .option(
        '--vault <folder>',
        'synchronise this folder of notes with the workspace while it runs, as sonde world sync --watch does',
      )
      .addOption(
        new Option(
          '--allow <set>',
          `limit what all tokens may do with the tools. ${allowHelp} (default: the rights of each token)`,
        ),
      )
      .option(
        '--replay <folder>',
        'investigate alerts with the data recorded in this folder, without asking any system',
      )
      .addOption(settingOption('alerts_workers', 'n'))
      .addOption(settingOption('model', 'name')),
    'each turn and each investigation of an alert',
    { max_tokens: '200000 for a turn, 600000 for an alert', max_time: '10m for a turn, 5m for an alert' },
  ).action(async (flags: ServeFlags) => (await import('./serve-here.ts')).serveHere(flags));
}
