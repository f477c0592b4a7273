import { Command, Option } from 'commander';
import { jsonOption } from '../flags.ts';

interface AlertFlags {
  readonly state?: string;
  readonly json?: true;
}

async function load() {
  const { listAlerts, retryAlerts } = await import('../../alerts/manage.ts');
  const { formatCount, plainLine, shortLine } = await import('../../../core/index.ts');
  return { listAlerts, retryAlerts, formatCount, plainLine, shortLine, ...(await import('../terminal.ts')) };
}

async function list({ state, json }: AlertFlags): Promise<void> {
  const { formatCount, listAlerts, plainLine, shortLine, print, printJson, tell } = await load();
  const { groups, more, ...counts } = await listAlerts({ state });
  if (json) return printJson({ ...counts, groups, more });
  if (groups.length === 0)
    return tell(
      state === undefined ? 'No alerts were received yet.' : `There is no group with the state ${state}.`,
    );
  await print(
    groups
      .map(({ id, state: groupState, alerts, run, title, reason }) =>
        [
          `${String(id).padEnd(6)}${groupState.padEnd(9)}${formatCount(alerts, 'alert').padEnd(12)}${run ?? '-'}  ${shortLine(plainLine(title), 100)}`,
          ...(reason === null ? [] : [`      ${shortLine(plainLine(reason), 200)}`]),
        ].join('\n'),
      )
      .join('\n'),
  );
  if (more > 0) await tell(`${more} older groups are not shown.`);
}

async function retry(id: string, { json }: AlertFlags): Promise<void> {
  const { retryAlerts, print, printJson } = await load();
  const group = await retryAlerts(id);
  await (json ? printJson(group) : print(`Group ${id} waits again. sonde serve --alerts investigates it.`));
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description(
      'manage the alerts that sonde serve received. Alerts that belong together form a group, and each group is investigated once',
    )
    .addCommand(
      new Command('ls')
        .description(
          'list groups of alerts, newest first: id, state, number of alerts, run, title, and why the investigation failed',
        )
        .addOption(
          new Option('--state <state>', 'only groups in this state: waiting, running, done or failed'),
        )
        .addOption(
          jsonOption(
            'print {alerts, waiting, running, done, failed, groups: [{id, title, state, reason, run, alerts, opened, updated}], more}; more: number of groups that are not listed',
          ),
        )
        .action(list),
    )
    .addCommand(
      new Command('retry')
        .description('investigate a failed group again')
        .argument('<id>', 'the id of the group, as sonde alerts ls prints it')
        .addOption(jsonOption('print the group as JSON'))
        .action(retry),
    );
}
