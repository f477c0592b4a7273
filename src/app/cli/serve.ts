import { Command } from 'commander';
import { SondeError } from '../../core/index.ts';
import { settingOption } from './flags.ts';

interface ServeFlags {
  readonly alerts?: true;
  readonly port?: string;
  readonly replay?: string;
  readonly workers?: string;
  readonly model?: string;
}

const usualPort = 7077;

export function serveCommand(): Command {
  return new Command('serve')
    .description('wait for work on this machine: with --alerts, POST /alerts starts investigations')
    .option(
      '--alerts',
      'take alerts (Alertmanager, Grafana, PagerDuty, JSON, text) with the token of SONDE_ALERTS_TOKEN',
    )
    .option('--port <n>', `port on 127.0.0.1, 0 for any that is free (${usualPort})`)
    .option('--replay <folder>', 'look at a frozen incident in a folder instead of the configured systems')
    .addOption(settingOption('alerts_workers', 'n'))
    .addOption(settingOption('model', 'name'))
    .action(async (flags: ServeFlags) => {
      if (flags.alerts !== true)
        throw new SondeError('bad_argument', {
          message: 'There is nothing to serve',
          remedy: 'Say what: sonde serve --alerts.',
        });
      const port = Number(flags.port ?? usualPort);
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new SondeError('bad_argument', {
          message: `--port is ${flags.port}`,
          remedy: 'Give a whole number from 0 to 65535.',
        });
      const { serveAlerts } = await import('../alerts/serve.ts');
      const { listenForInterrupt } = await import('./interrupt.ts');
      const { print, tell } = await import('./terminal.ts');
      const interrupt = listenForInterrupt();
      try {
        const server = await serveAlerts({
          port,
          ...(flags.replay !== undefined && { replay: flags.replay }),
          settings: {
            ...(flags.workers !== undefined && { alerts_workers: flags.workers }),
            ...(flags.model !== undefined && { model: flags.model }),
          },
          tell: (line) => void tell(line),
        });
        await print(`alerts at ${server.address}/alerts`);
        await new Promise<void>((done) => {
          if (interrupt.signal.aborted) done();
          else interrupt.signal.addEventListener('abort', () => done(), { once: true });
        });
        await server.close();
      } finally {
        interrupt.dispose();
      }
    });
}
