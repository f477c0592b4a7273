import { Command, Option } from 'commander';
import type { Queue } from '../../../store/index.ts';
import type { QueuedAlerts } from '../../worker/queued-alerts.ts';
import type { QueuedTurn } from '../../worker/queued-turns.ts';
import type { QueuedJob, QueueListing, Scope } from '../../worker/team-queue.ts';
import { addLimitOptions, jsonOption, settingOption } from '../flags.ts';

type JsonFlag = { readonly json?: true };

async function load() {
  return {
    ...(await import('../../worker/team-queue.ts')),
    ...(await import('../terminal.ts')),
    thisUser: (await import('../../config/index.ts')).thisUser,
    ...(await import('../../../core/index.ts')),
  };
}

async function withQueue<Value>(work: (queue: Queue) => Promise<Value>): Promise<Value> {
  const { openTeamQueue } = await import('../../worker/team-queue.ts');
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  const queue = await openTeamQueue(loadConfiguration({ environment: processEnvironment() }));
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}

interface AddFlags extends JsonFlag {
  readonly kind?: 'ask' | 'investigate';
  readonly commit?: string;
  readonly scope?: string;
  readonly team?: string;
  readonly priority?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
}

async function add(question: string, repository: string, flags: AddFlags): Promise<void> {
  const { addRun, thisUser, SondeError, print, printJson } = await load();
  const { kind, commit, scope, team, model, maxTokens, maxUsd, maxTime, json } = flags;
  const priority = Number(flags.priority ?? 0);
  if (!Number.isSafeInteger(priority))
    throw new SondeError('bad_argument', {
      message: `--priority is ${JSON.stringify(flags.priority)}, not a whole number`,
      remedy: 'Give a whole number. Jobs with a lower number run first.',
    });
  const givenSettings = { model, max_tokens: maxTokens, max_usd: maxUsd, max_time: maxTime };
  const settings = Object.fromEntries(
    Object.entries(givenSettings).filter(([, value]) => value !== undefined),
  );
  await checkSettings(settings);
  if (team !== undefined) await checkTeam(team, repository);
  const job = await withQueue((queue) =>
    addRun(
      queue,
      {
        ...{ question, repository, settings, priority },
        ...(kind !== undefined && { kind }),
        ...(commit !== undefined && { commit }),
        ...(scope !== undefined && { scope }),
        ...(team !== undefined && { team }),
      },
      thisUser(),
    ),
  );
  if (json) return printJson({ job: job.id, run_id: job.key });
  await print(`${job.key} waits as job ${job.id}. sonde show ${job.key} shows its result.`);
}

/** Checks flags against the schema of the settings, before anything is queued. */
async function checkSettings(flags: Readonly<Record<string, unknown>>): Promise<void> {
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  loadConfiguration({ environment: processEnvironment(), flags });
}

/**
 * Throws if the team does not exist or cannot use the repository. A worker checks this again, since the team may lose
 * access before the run starts.
 */
async function checkTeam(team: string, repository?: string): Promise<void> {
  const { openTeamRows } = await import('../../worker/team-queue.ts');
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  const { requireRepository, requireTeam } = await import('../../../store/postgres/index.ts');
  const teams = await openTeamRows(loadConfiguration({ environment: processEnvironment() }));
  try {
    const rows = await teams.list();
    requireTeam(rows, team);
    if (repository !== undefined) requireRepository(rows, team, repository);
  } finally {
    await teams.close();
  }
}

async function list({ dead, json }: JsonFlag & { readonly dead?: true }): Promise<void> {
  const { listQueue, formatRule: ruleName, print, printJson, plainLine, shortLine } = await load();
  const { listTurns } = await import('../../worker/queued-turns.ts');
  const { listQueuedAlerts } = await import('../../worker/queued-alerts.ts');
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  const filter = { dead: dead === true };
  const { listing, alerts } = await withQueue(async (queue) => ({
    listing: await listQueue(queue, filter),
    alerts: await listQueuedAlerts(queue, filter),
  }));
  const turns = await listTurns(loadConfiguration({ environment: processEnvironment() }), filter);
  if (json) return printJson({ ...listing, turns, alerts });
  const formatReason = (why: string | null): string => (why === null ? '' : `\n    ${plainLine(why)}`);
  const jobLine = ({ id, run, state, team, repository, question, why }: QueuedJob): string =>
    `${id}  ${state}  ${run}${team === '' ? '' : `  ${plainLine(team)}`}  ${plainLine(repository ?? '')}  ${shortLine(plainLine(question), 60)}${formatReason(why)}`;
  const turnLine = ({ message, workspace, thread, state, text, why }: QueuedTurn): string =>
    `${plainLine(message)}  ${state}  turn  ${plainLine(workspace)}  ${plainLine(thread)}  ${shortLine(plainLine(text), 60)}${formatReason(why)}`;
  const alertLine = ({ id, state, run, title, why }: QueuedAlerts): string =>
    `${id}  ${state}  alerts${run === null ? '' : `  ${run}`}  ${shortLine(plainLine(title), 60)}${formatReason(why)}`;
  const { jobs, more, counts, rules, workers }: QueueListing = listing;
  await print(
    [
      ...jobs.map(jobLine),
      ...alerts.map(alertLine),
      ...turns.map(turnLine),
      ...(more > 0 ? [`… and ${more} more`] : []),
      `runs: ${counts.waiting} wait, ${counts.running} run, ${counts.failed} failed, ${counts.done} are done`,
      ...rules.map(
        (rule) =>
          `${plainLine(ruleName(rule))}: ${rule.paused ? 'paused' : `at most ${rule.max} at the same time`}`,
      ),
      ...workers.map(
        ({ id, slots, offers }) =>
          `worker ${plainLine(id)}: ${slots} slots, ${offers === null ? 'everything' : offers.map(plainLine).join(', ')}`,
      ),
    ].join('\n'),
  );
}

async function show(id: string, { json }: JsonFlag): Promise<void> {
  const { showJob, print, printJson, plainLine } = await load();
  const { payload, result, ...job } = await withQueue((queue) => showJob(queue, id));
  if (json) return printJson({ ...job, payload, result });
  await print(
    Object.entries(job)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => `${name}: ${plainLine(String(value))}`)
      .join('\n'),
  );
}

async function changeQueueRule(
  flags: Scope & JsonFlag,
  change: Parameters<Awaited<ReturnType<typeof load>>['changeRule']>[2],
  outcome: string,
): Promise<void> {
  const { changeRule, thisUser, formatRule: ruleName, print, printJson, plainLine } = await load();
  if (flags.team !== undefined) await checkTeam(flags.team);
  const { topic: _, ...newRule } = await withQueue((queue) => changeRule(queue, flags, change, thisUser()));
  await (flags.json ? printJson(newRule) : print(`${plainLine(ruleName(newRule))}: ${outcome}.`));
}

async function setLimit(max: string, flags: Scope & JsonFlag): Promise<void> {
  const { SondeError } = await load();
  const maxJobs = max === 'none' ? null : Number(max);
  if (maxJobs !== null && !(Number.isSafeInteger(maxJobs) && maxJobs >= 0))
    throw new SondeError('bad_argument', {
      message: `The limit is ${JSON.stringify(max)}, not a whole number`,
      remedy: 'Give a whole number, or none.',
    });
  await changeQueueRule(
    flags,
    { max: maxJobs },
    maxJobs === null ? 'no limit' : `at most ${maxJobs} at the same time`,
  );
}

async function cancel(id: string, { json }: JsonFlag): Promise<void> {
  const { cancelJob, thisUser, print, printJson } = await load();
  const { job, isStarted } = await withQueue(async (queue) => {
    const cancelledJob = await cancelJob(queue, id, thisUser());
    return { job: cancelledJob, isStarted: cancelledJob.kept !== null };
  });
  await (json
    ? printJson({ job: job.id, run_id: job.key, state: job.state })
    : print(
        isStarted
          ? `Job ${job.id} is cancelled. sonde resume ${job.key} continues its run from where it stopped.`
          : `Job ${job.id} is cancelled. Its run had not started.`,
      ));
}

async function retry(
  id: string | undefined,
  { dead, json }: JsonFlag & { readonly dead?: true },
): Promise<void> {
  const { retryJobs, thisUser, SondeError, print, printJson } = await load();
  if ((id === undefined) === (dead !== true))
    throw new SondeError('bad_argument', {
      message: 'Both an id and --dead were given, or neither',
      remedy: 'Give the id of one failed job, or --dead for all of them.',
    });
  const isTurnId = id !== undefined && !/^(?:\d{1,15}|run-.*)$/.test(id);
  const jobs = isTurnId ? [] : await withQueue((queue) => retryJobs(queue, id, thisUser()));
  const turns = isTurnId || dead === true ? await retryFailedTurns(id) : [];
  if (json)
    return printJson([
      ...jobs.map(({ id: job, key, topic }) => ({ job, run_id: topic === 'runs' ? key : null })),
      ...turns.map(({ message, thread, workspace }) => ({ message, thread, workspace })),
    ]);
  const { formatCount } = await import('../../../core/index.ts');
  const count = jobs.length + turns.length;
  await print(
    count === 0
      ? 'There is no failed job.'
      : `${formatCount(count, 'failed job')} ${count === 1 ? 'was' : 'were'} queued again.`,
  );
}

async function retryFailedTurns(message: string | undefined): Promise<readonly QueuedTurn[]> {
  const { retryTurns } = await import('../../worker/queued-turns.ts');
  const { loadConfiguration, processEnvironment, thisUser } = await import('../../config/index.ts');
  return retryTurns(loadConfiguration({ environment: processEnvironment() }), message, thisUser());
}

const addRuleScopeOptions = (command: Command): Command =>
  command
    .option('--team <name>', 'apply this only to jobs of this team (default: all)')
    .addOption(
      new Option('--shape <kind>', 'apply this only to runs of this kind (default: all)').choices([
        'ask',
        'investigate',
      ]),
    );

export function queueCommand(): Command {
  const idHelp = 'the number of the job, or the id of its run';
  return new Command('queue')
    .description(
      'manage the queue of jobs for a team’s workers (sonde worker): a job is a run, a group of alerts, or a turn of a conversation; needs a shared store',
    )
    .addCommand(
      addLimitOptions(
        new Command('add')
          .description('queue a question about a repository; a worker that has the repository answers it')
          .argument('<question>', 'what you want to know')
          .argument('<repository>', 'the name of the repository, as given to sonde worker --repositories')
          .addOption(
            new Option('--kind <kind>', 'the kind of run: ask, investigate').choices(['ask', 'investigate']),
          )
          .option('--commit <commit>', 'a commit, branch or tag (default: HEAD)')
          .option('--scope <glob>', 'only paths that match these globs, comma-separated')
          .option('--team <name>', 'the team whose limits and budget apply to the run')
          .option('--priority <n>', 'jobs with a lower number run first (default: 0)'),
        'the run',
        { max_tokens: 'as for the kind of run', max_time: 'as for the kind of run' },
      )
        .addOption(settingOption('model', 'name'))
        .addOption(jsonOption('print {job, run_id}'))
        .action(add),
    )
    .addCommand(
      new Command('ls')
        .description('list jobs that wait or run, and why they wait; also the limits and the workers')
        .option('--dead', 'list failed jobs instead')
        .addOption(
          jsonOption(
            'print {jobs, more, counts, rules, workers, turns, alerts}; more: number of jobs that are not listed',
          ),
        )
        .action(list),
    )
    .addCommand(
      new Command('show')
        .description('show one job')
        .argument('<id>', idHelp)
        .addOption(jsonOption('print the job as JSON'))
        .action(show),
    )
    .addCommand(
      addRuleScopeOptions(new Command('pause').description('start no more jobs; running jobs continue'))
        .addOption(jsonOption('print the changed rule (paused, limit) as JSON'))
        .action((flags: Scope & JsonFlag) => changeQueueRule(flags, { paused: true }, 'paused')),
    )
    .addCommand(
      addRuleScopeOptions(new Command('resume').description('start jobs again after a pause'))
        .addOption(jsonOption('print the changed rule (paused, limit) as JSON'))
        .action((flags: Scope & JsonFlag) => changeQueueRule(flags, { paused: false }, 'resumed')),
    )
    .addCommand(
      addRuleScopeOptions(
        new Command('limit')
          .description('limit how many jobs run at the same time, over all workers')
          .argument('<n>', 'the maximum number of jobs, or the word none to remove the limit'),
      )
        .addOption(jsonOption('print the changed rule (paused, limit) as JSON'))
        .action(setLimit),
    )
    .addCommand(
      new Command('cancel')
        .description('cancel a job; a worker that runs it stops')
        .argument('<id>', idHelp)
        .addOption(jsonOption('print {job, run_id, state}'))
        .action(cancel),
    )
    .addCommand(
      new Command('retry')
        .description('queue a failed job again: a run, a group of alerts, or a turn of a conversation')
        .argument('[id]', 'the id in the first column of sonde queue ls --dead, or the id of the run')
        .option('--dead', 'queue all failed jobs again')
        .addOption(
          jsonOption(
            'print an array of {job, run_id} (run_id is null for alerts) and {message, thread, workspace}',
          ),
        )
        .action(retry),
    );
}
