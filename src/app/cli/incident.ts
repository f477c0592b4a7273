import { readFileSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { SondeError, sentText } from '../../core/index.ts';
import { jsonOption, settingOption } from './flags.ts';
import { type AskFlags, runSettings } from './run-settings.ts';

interface IncidentFlags extends AskFlags {
  readonly text?: string;
  readonly replay?: string;
  readonly turns?: string;
}

export function incidentCommand(): Command {
  return new Command('incident')
    .description('investigate an alert: what happened, why, and what shows it; only ever looks')
    .argument(
      '[alert]',
      'a file with the alert as it was sent (Alertmanager, Grafana, PagerDuty, JSON, text), or - for standard input',
    )
    .option('--text <text>', 'the alert in your own words')
    .option(
      '--replay <folder>',
      'look at a frozen incident in a folder instead of the configured systems; its own alert is the default',
    )
    .addOption(settingOption('turns', 'n'))
    .addOption(settingOption('max_tokens', 'n'))
    .addOption(settingOption('max_usd', 'x'))
    .addOption(settingOption('max_time', 'duration'))
    .addOption(settingOption('model', 'name'))
    .addOption(jsonOption('print one JSON object and nothing else'))
    .option('--debug', 'show every event on standard error')
    .action(async (file: string | undefined, flags: IncidentFlags) => {
      const { alertLimits } = await import('../../tasks/index.ts');
      const alert = alertFrom(file, flags, alertLimits.bodyBytes);
      const { investigate } = await import('../incident.ts');
      const { showRun } = await import('./show-run.ts');
      const settings = { ...runSettings(flags), ...(flags.turns !== undefined && { turns: flags.turns }) };
      await showRun(flags, (watch) =>
        investigate({
          ...(alert !== undefined && { alert }),
          ...(flags.replay !== undefined && { replay: flags.replay }),
          settings,
          ...watch,
        }),
      );
    });
}

/** Absent only with `--replay`: then the alert is that of the frozen incident. */
function alertFrom(
  file: string | undefined,
  { text, replay }: IncidentFlags,
  largest: number,
): string | undefined {
  if (file !== undefined && text !== undefined)
    throw new SondeError('bad_argument', {
      message: 'The alert is given twice, as a file and as --text',
      remedy: 'Give one of them.',
    });
  if (text !== undefined) return text;
  if (file === undefined) {
    if (replay !== undefined) return undefined;
    throw new SondeError('bad_argument', {
      message: 'There is no alert to investigate',
      remedy: 'Name a file, - for standard input, --text "...", or --replay FOLDER.',
    });
  }
  return file === '-' ? sentText(readFileSync(0)) : fileText(file, largest);
}

function fileText(path: string, largest: number): string {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > largest)
      throw new SondeError('bad_argument', {
        message: `${path} is not a file of at most ${largest} bytes`,
        remedy: 'Name a file that holds one alert as it was sent.',
      });
    return sentText(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SondeError('not_found', {
        message: `${path}: there is no such file`,
        remedy: 'Name the file that holds the alert.',
      });
    throw error;
  }
}
