import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';

interface InitFlags {
  readonly set?: readonly string[];
  readonly sender?: string;
  readonly out?: string;
  readonly last: string;
  readonly force?: true;
  readonly yes?: true;
  readonly json?: true;
}

export function initCommand(): Command {
  return new Command('init').description('set up Sonde').addCommand(
    new Command('incident')
      .description(
        'set up investigations of alerts: settings, a token for the sender, and a check of each system; asks questions on a terminal unless --yes or --json is given',
      )
      .option(
        '--set <key=value>',
        'a setting, with the KEY of docs/configuration.md; a secret as KEY_file=PATH; may be given several times',
        (pair: string, previousPairs: readonly string[] = []) => [...previousPairs, pair],
      )
      .option(
        '--sender <name>',
        'the sender of alerts, such as alertmanager: make a token for it, and print the configuration that it needs',
      )
      .option('--out <file>', 'write the settings to this file instead of your own sonde.json')
      .option('--last <duration>', 'how far back the check of the systems looks', '1h')
      .option('--force', 'overwrite existing settings')
      .option('--yes', 'ask nothing')
      .addOption(jsonOption('ask nothing, and print one JSON object'))
      .action(init),
  );
}

async function init(flags: InitFlags): Promise<void> {
  const { initIncident } = await import('../../setup/init-incident.ts');
  const { parseGivenSettings } = await import('../../setup/given-settings.ts');
  const { formatInitOutcome } = await import('../../setup/init-text.ts');
  const { print, printJson } = await import('../terminal.ts');
  const lastMs = await parseLast(flags.last);
  const answers = await askForSettings(flags);
  const outcome = await initIncident(
    {
      given: parseGivenSettings([...(flags.set ?? []), ...answers.pairs], process.cwd()),
      lastMs,
      force: flags.force === true,
      ...(answers.sender !== undefined && { sender: answers.sender }),
      ...(flags.out !== undefined && { out: (await import('node:path')).resolve(flags.out) }),
    },
    await readEnvironment(),
  );
  if (!outcome.reachable) currentProcess().exitCode = 1;
  await (flags.json === true ? printJson(outcome) : print(formatInitOutcome(outcome, flags.last)));
}

const readEnvironment = async () => (await import('../../config/index.ts')).processEnvironment();

async function parseLast(text: string): Promise<number> {
  const { parseDuration } = await import('../../config/index.ts');
  const ms = parseDuration(text);
  if (ms !== null && ms >= 60_000 && ms <= 7 * 24 * 3_600_000) return ms;
  const { SondeError } = await import('../../../core/index.ts');
  throw new SondeError('bad_argument', {
    message: `--last is ${JSON.stringify(text)}, not a duration from 1m to 7d`,
    remedy: 'Give a duration from 1m to 7d, such as 1h.',
  });
}

/** Asks for settings on a terminal, unless --set, --yes or --json was given. */
async function askForSettings({ set, sender, yes, json }: InitFlags) {
  const { stdin, stderr } = currentProcess();
  const isSilent = yes === true || json === true || stdin.isTTY !== true || stderr.isTTY !== true;
  if (isSilent || set !== undefined) return { pairs: [], sender };
  const { createInterface } = await import('node:readline/promises');
  const { askSettings } = await import('../../setup/ask-settings.ts');
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await askSettings((question) => lines.question(question), sender);
  } finally {
    lines.close();
  }
}
