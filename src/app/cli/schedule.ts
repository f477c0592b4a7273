import { Command, Option } from 'commander';
import { currentProcess } from '../current-process.ts';
import type { NewSchedule } from '../schedules.ts';
import { jsonOption, settingOption } from './flags.ts';

interface ScheduleFlags extends NewSchedule {
  readonly workspace?: string;
  readonly model?: string;
  readonly json?: true;
}

async function load() {
  const { addSchedule, nextText, runNow, scheduleFrom, triggerText } = await import('../schedules.ts');
  const { withSessions } = await import('../conversations.ts');
  const terminal = await import('./terminal.ts');
  const { plainLine, shortLine } = await import('../../core/index.ts');
  return {
    addSchedule,
    nextText,
    runNow,
    scheduleFrom,
    triggerText,
    withSessions,
    plainLine,
    shortLine,
    ...terminal,
  };
}

const withPlace = (command: Command): Command => command.addOption(settingOption('workspace', 'name'));

async function add(id: string, prompt: string, flags: ScheduleFlags): Promise<void> {
  const { scheduleFrom, withSessions, addSchedule, nextText, print, printJson } = await load();
  const schedule = scheduleFrom(id, prompt, flags);
  const row = await withSessions(flags.workspace, (sessions) => addSchedule(sessions, schedule));
  await (flags.json ? printJson(row) : print(`${id}: ${nextText(row)}. sonde serve starts it.`));
}

async function list({ workspace, json }: ScheduleFlags): Promise<void> {
  const { withSessions, triggerText, nextText, plainLine, shortLine, print, printJson, tell } = await load();
  const rows = await withSessions(workspace, ({ schedules }) =>
    Promise.all(
      schedules.list().map(async (row) => ({ ...row, last: (await schedules.fires(row.id, 1))[0] ?? null })),
    ),
  );
  if (json) return printJson(rows);
  if (rows.length === 0) return tell('There is no schedule.');
  const line = (row: (typeof rows)[number]): string => {
    const { last } = row;
    const before =
      last === null
        ? ''
        : `\n  last: ${new Date(last.due).toISOString()} ${last.state}${last.note === null ? '' : `, ${plainLine(last.note)}`}`;
    return `${row.id}  ${triggerText(row.trigger)}  ${nextText(row)}  ${row.thread ?? 'a new thread each time'}\n  ${shortLine(plainLine(row.prompt), 100)}${before}`;
  };
  await print(rows.map(line).join('\n'));
}

async function remove(id: string, { workspace, json }: ScheduleFlags): Promise<void> {
  const { withSessions, print, printJson } = await load();
  await withSessions(workspace, ({ schedules }) => schedules.remove(id));
  await (json ? printJson({ removed: id }) : print(`${id} is gone. What it started stays.`));
}

async function run(id: string | undefined, { workspace, model, json }: ScheduleFlags): Promise<void> {
  const { runNow, print, printJson, tell } = await load();
  const { listenForInterrupt } = await import('./interrupt.ts');
  const interrupt = listenForInterrupt();
  try {
    const ends = await runNow({
      signal: interrupt.signal,
      settings: { ...(workspace !== undefined && { workspace }), ...(model !== undefined && { model }) },
      ...(id !== undefined && { id }),
    });
    if (json) await printJson(ends);
    else if (ends.length === 0) await tell('Nothing is due.');
    else
      await print(
        ends
          .map(({ schedule, thread, status, text }) => `${schedule} in ${thread}: ${status}\n${text}`)
          .join('\n\n'),
      );
    if (ends.some(({ status }) => status === 'failed' || status === 'refused')) currentProcess().exitCode = 4;
  } finally {
    interrupt.dispose();
  }
}

export function scheduleCommand(): Command {
  return new Command('schedule')
    .description('turns that start at a time or at an event of the workspace; sonde serve starts them')
    .addCommand(
      withPlace(
        new Command('add')
          .description('add a schedule')
          .argument('<id>', 'letters, digits, dots, hyphens')
          .argument('<prompt>', 'what the turn starts with'),
      )
        .addOption(new Option('--cron <fields>', 'five fields, such as "0 9 * * 1-5"'))
        .addOption(new Option('--zone <zone>', 'with --cron: such as Europe/Berlin; UTC without it'))
        .addOption(new Option('--every <duration>', 'such as 30m or 24h, counted from midnight UTC of 1970'))
        .addOption(new Option('--on <events...>', 'names of writes, such as create_page or promote'))
        .addOption(
          new Option('--thread <id>', 'always in this conversation; without it each time in a new one'),
        )
        .addOption(
          new Option('--missed <policy>', 'times at which nothing ran: skip, once (without it) or all'),
        )
        .addOption(new Option('--jitter <duration>', 'start up to so much later'))
        .addOption(settingOption('max_tokens', 'n'))
        .addOption(settingOption('max_usd', 'amount'))
        .addOption(settingOption('max_time', 'duration'))
        .addOption(jsonOption('print the schedule as JSON'))
        .action(add),
    )
    .addCommand(
      withPlace(new Command('ls').description('list schedules'))
        .addOption(jsonOption('print them as JSON'))
        .action(list),
    )
    .addCommand(
      withPlace(new Command('rm').description('remove a schedule').argument('<id>'))
        .addOption(jsonOption('print what was removed as JSON'))
        .action(remove),
    )
    .addCommand(
      withPlace(
        new Command('run')
          .description('start what is due, or one schedule now, in this process, and wait for it')
          .argument('[id]', 'this one, due or not'),
      )
        .addOption(settingOption('model', 'name'))
        .addOption(jsonOption('print [{schedule, thread, status, text}]'))
        .action(run),
    );
}
