import { Command, Option } from 'commander';
import type { Schedule } from '../../../store/index.ts';
import { currentProcess } from '../../current-process.ts';
import type { ScheduleFlags } from '../../schedules.ts';
import { addLimitOptions, jsonOption, settingOption } from '../flags.ts';

interface CommandFlags extends ScheduleFlags {
  readonly workspace?: string;
  readonly model?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

async function load() {
  const schedules = await import('../../schedules.ts');
  const { builtInSchedules } = await import('../../ready-schedules.ts');
  const { withSessions } = await import('../../conversations.ts');
  const { thisUser } = await import('../../config/index.ts');
  const terminal = await import('../terminal.ts');
  const { plainLine, shortLine } = await import('../../../core/index.ts');
  return {
    ...schedules,
    builtInSchedules,
    withSessions,
    thisUser,
    plainLine,
    shortLine,
    ...terminal,
  };
}

/** Maximum past starts of a schedule that are read, to count those of today. */
const maxFiresRead = 500;

const addWorkspaceOption = (command: Command): Command =>
  command.addOption(settingOption('workspace', 'name'));

async function add(id: string, prompt: string, flags: CommandFlags): Promise<void> {
  const { parseSchedule, withSessions, thisUser, addSchedule, formatNextStart, print, printJson } =
    await load();
  const schedule = parseSchedule(id, prompt, flags);
  if (flags.dryRun) return printDryRun(schedule, flags);
  const addedSchedule = await withSessions(flags.workspace, (sessions) =>
    addSchedule(sessions, schedule, thisUser()),
  );
  await (flags.json
    ? printJson(addedSchedule)
    : print(`${id}: ${formatNextStart(addedSchedule)}. sonde serve starts it.`));
}

/** Maximum starts that a dry run prints. */
const maxDryRunLines = 40;

async function printDryRun(schedule: Schedule, { workspace, json }: CommandFlags): Promise<void> {
  const { withSessions, plainLine, shortLine, print, printJson, checkNewSchedule } = await load();
  const { dryRun } = await import('../../serve/dry-run.ts');
  const { systemClock } = await import('../../../core/index.ts');
  const occasions = await withSessions(workspace, async (sessions, world) => {
    await checkNewSchedule(sessions, schedule);
    return dryRun(schedule, world(), systemClock.now());
  });
  if (json) return printJson(occasions);
  const startCount = occasions.filter(({ held }) => held === null).length;
  const formatOccasion = ({ at: time, event, held: heldReason }: (typeof occasions)[number]): string =>
    [
      new Date(time).toISOString().slice(0, 16),
      heldReason === null ? 'starts' : heldReason,
      ...(event === null ? [] : [shortLine(plainLine(`${event.name}: ${event.paths.join(', ')}`), 100)]),
    ].join('  ');
  await print(
    [
      `In the last seven days ${schedule.id} would have started ${startCount} ${startCount === 1 ? 'turn' : 'turns'}; ${occasions.length - startCount} would have been held back. Nothing was added.`,
      ...occasions.slice(-maxDryRunLines).map(formatOccasion),
      ...(occasions.length > maxDryRunLines
        ? [`(the last ${maxDryRunLines} of ${occasions.length} are shown; --json has all)`]
        : []),
      ...(schedule.together?.running !== undefined || schedule.together?.usdPerDay !== undefined
        ? [
            'How long turns take and what they cost cannot be known in advance, so --max-running and --max-usd-per-day were not applied here.',
          ]
        : []),
    ].join('\n'),
  );
}

async function list({ workspace, json }: CommandFlags): Promise<void> {
  const {
    withSessions,
    formatTrigger,
    formatNextStart,
    formatLastStart,
    formatLimits,
    builtInSchedules,
    plainLine,
    shortLine,
    print,
    printJson,
    tell,
  } = await load();
  const rows = await withSessions(workspace, async ({ schedules }) =>
    Promise.all(
      (await schedules.list()).map(async (row) => {
        const fires = await schedules.fires(row.id, maxFiresRead);
        return { ...row, last: fires[0] ?? null, limited: formatLimits(row, fires, Date.now()) };
      }),
    ),
  );
  if (json) return printJson(rows);
  const availableSchedules = builtInSchedules.filter(({ id }) => !rows.some((row) => row.id === id));
  const availableLines = availableSchedules.map(
    ({ id, about }) => `${id}  ready: sonde schedule enable ${id}\n  ${about}`,
  );
  if (rows.length === 0) await tell('There is no schedule.');
  const formatSchedule = (row: (typeof rows)[number]): string => {
    const lastStart = row.last === null ? '' : `\n  last: ${formatLastStart(row.last)}`;
    const limits = row.limited === '' ? '' : `\n  ${plainLine(row.limited)}`;
    return `${row.id}  ${formatTrigger(row.trigger)}  ${formatNextStart(row)}  ${row.thread ?? 'a new thread each time'}\n  ${shortLine(plainLine(row.prompt), 100)}${limits}${lastStart}`;
  };
  await print([...rows.map(formatSchedule), ...availableLines].join('\n'));
}

async function setEnabled(id: string, enabled: boolean, { workspace, json }: CommandFlags): Promise<void> {
  const { withSessions, thisUser, enableSchedule, formatNextStart, print, printJson } = await load();
  const row = await withSessions(workspace, (sessions) => enableSchedule(sessions, id, enabled, thisUser()));
  await (json
    ? printJson(row)
    : print(`${id}: ${formatNextStart(row)}.${enabled ? ' sonde serve starts it.' : ''}`));
}

async function remove(id: string, { workspace, json }: CommandFlags): Promise<void> {
  const { withSessions, thisUser, print, printJson } = await load();
  await withSessions(workspace, ({ schedules }) => schedules.remove(id, thisUser()));
  await (json
    ? printJson({ removed: id })
    : print(`${id} was removed. The conversations that it started are kept.`));
}

async function run(id: string | undefined, { workspace, model, json }: CommandFlags): Promise<void> {
  const { runSchedules, print, printJson, tell } = await load();
  const { listenForInterrupt } = await import('../interrupt.ts');
  const interrupt = listenForInterrupt();
  try {
    const { ran, gathersUntil } = await runSchedules({
      signal: interrupt.signal,
      settings: { ...(workspace !== undefined && { workspace }), ...(model !== undefined && { model }) },
      ...(id !== undefined && { id }),
    });
    if (json) await printJson(ran);
    else if (ran.length === 0) await tell(nothingDueText(gathersUntil));
    else
      await print(
        ran
          .map(({ schedule, thread, status, text }) => `${schedule} in ${thread}: ${status}\n${text}`)
          .join('\n\n'),
      );
    if (ran.some(({ status }) => status === 'failed' || status === 'refused')) currentProcess().exitCode = 4;
  } finally {
    interrupt.dispose();
  }
}

const nothingDueText = (gathersUntil: number | null): string =>
  gathersUntil === null
    ? 'Nothing is due.'
    : `Nothing is due yet. Page changes are collected until ${new Date(gathersUntil).toISOString()}; a further change postpones this.`;

export function scheduleCommand(): Command {
  return new Command('schedule')
    .description('manage the messages that sonde serve sends to the agent at set times, or when pages change')
    .addCommand(
      addLimitOptions(
        addWorkspaceOption(
          new Command('add')
            .description('add a schedule')
            .argument('<id>', 'an id of your choice: letters, digits, dots, hyphens')
            .argument('<prompt>', 'the message that starts the turn'),
        )
          .addOption(
            new Option(
              '--cron <fields>',
              'times as five fields of cron: minute, hour, day, month, weekday; "0 9 * * 1-5" is 9:00 from Monday to Friday',
            ),
          )
          .addOption(
            new Option('--zone <zone>', 'with --cron: the time zone, such as Europe/Berlin (default: UTC)'),
          )
          .addOption(
            new Option(
              '--every <duration>',
              'an interval such as 30m or 24h. Starts are at multiples of it in UTC: 30m on each hour and half hour, 24h at midnight',
            ),
          )
          .addOption(
            new Option(
              '--on <events...>',
              'start when one of these operations is done to a page, such as create_page or promote',
            ),
          )
          .addOption(
            new Option(
              '--paths <globs...>',
              'with --on: only for pages whose paths match, such as "Projects/**"',
            ),
          )
          .addOption(
            new Option(
              '--gather <duration>',
              'with --on: collect these operations until there has been none for this long, then start once for all of them',
            ),
          )
          .addOption(
            new Option(
              '--max-running <n>',
              'maximum number of its turns at the same time; further ones wait',
            ),
          )
          .addOption(
            new Option('--max-per-day <n>', 'maximum number of its turns per day; further ones are skipped'),
          )
          .addOption(
            new Option('--max-usd-per-day <amount>', 'maximum cost of its turns per day, in US dollars'),
          )
          .addOption(
            new Option('--dry-run', 'add nothing; list what would have started in the last seven days'),
          )
          .addOption(
            new Option(
              '--thread <id>',
              'send each message to this conversation (default: a new one each time)',
            ),
          )
          .addOption(
            new Option(
              '--missed <policy>',
              'what to do about times that passed, or pages that changed, while sonde serve was stopped: skip them all, start once, or start for each of them. Allowed: skip, once, all (default: once)',
            ),
          )
          .addOption(
            new Option('--jitter <duration>', 'delay each start by a random time of at most this duration'),
          ),
        'each turn',
        { max_time: '10m' },
      )
        .addOption(jsonOption('print the schedule as JSON'))
        .action(add),
    )
    .addCommand(
      addWorkspaceOption(new Command('ls').description('list schedules'))
        .addOption(jsonOption('print the schedules as JSON'))
        .action(list),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('enable')
          .description(
            'enable a schedule that was disabled, or a built-in one: morning-digest (what changed in the workspace), drift-digest (what drifted in the systems), memory-consolidation (tidies what agents remember)',
          )
          .argument('<id>', 'the id of the schedule'),
      )
        .addOption(jsonOption('print the schedule as JSON'))
        .action((id: string, flags: CommandFlags) => setEnabled(id, true, flags)),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('disable').description('disable a schedule').argument('<id>', 'the id of the schedule'),
      )
        .addOption(jsonOption('print the schedule as JSON'))
        .action((id: string, flags: CommandFlags) => setEnabled(id, false, flags)),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('rm').description('remove a schedule').argument('<id>', 'the id of the schedule'),
      )
        .addOption(jsonOption('print what was removed as JSON'))
        .action(remove),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('run')
          .description(
            'start all schedules that are due, also those that page changes triggered, and wait until their turns end. With [id], start only this schedule. If sonde serve is running, its agent does the work',
          )
          .argument(
            '[id]',
            'start this schedule, even if it is not due, is disabled or has used up its daily limits; this start counts toward those limits',
          ),
      )
        .addOption(settingOption('model', 'name'))
        .addOption(jsonOption('print [{schedule, thread, status, text}]'))
        .action(run),
    );
}
