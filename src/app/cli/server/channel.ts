import { Command } from 'commander';
import type { ChannelRow } from '../../../store/index.ts';
import { jsonOption, settingOption } from '../flags.ts';

interface ChannelFlags {
  readonly workspace?: string;
  readonly title?: string;
  readonly json?: true;
}

async function load() {
  const { withSessions } = await import('../../conversations.ts');
  const terminal = await import('../terminal.ts');
  const { formatCount, plainLine } = await import('../../../core/index.ts');
  return { withSessions, formatCount, plainLine, ...terminal };
}

const addWorkspaceOption = (command: Command): Command =>
  command.addOption(settingOption('workspace', 'name'));

async function checkId(id: string): Promise<string> {
  const { threadId } = await import('../../agent/channel/channel.ts');
  const { SondeError } = await import('../../../core/index.ts');
  if (threadId.safeParse(id).success) return id;
  throw new SondeError('bad_argument', {
    message: `${JSON.stringify(id)} is not a valid id`,
    remedy: 'Give up to 100 letters, digits, and _ . : -.',
  });
}

async function add(requestedId: string, { workspace, title = '', json }: ChannelFlags): Promise<void> {
  const { withSessions, print, printJson } = await load();
  const id = await checkId(requestedId);
  const channelRow = await withSessions(workspace, ({ channels }) => channels.create({ id, title }));
  await (json ? printJson(channelRow) : print(`The channel ${id} exists now.`));
}

async function list({ workspace, json }: ChannelFlags): Promise<void> {
  const { formatCount, withSessions, plainLine, print, printJson, tell } = await load();
  const channelsWithThreads = await withSessions(workspace, async ({ channels, threads }) => {
    const pendingRows = (await channels.list()).map(async (channel) => {
      const channelThreads = await threads.list({ channel: channel.id, limit: 1000 });
      return { ...channel, threads: channelThreads.map(({ id }) => id) };
    });
    return Promise.all(pendingRows);
  });
  if (json) return printJson(channelsWithThreads);
  if (channelsWithThreads.length === 0) return tell('There is no channel.');
  const formatChannel = ({
    id,
    title,
    threads,
  }: ChannelRow & { readonly threads: readonly string[] }): string =>
    `${id}${title === '' ? '' : `  ${plainLine(title)}`}  ${formatCount(threads.length, 'conversation')}${threads.length === 0 ? '' : `: ${threads.slice(0, 5).join(', ')}${threads.length > 5 ? ', …' : ''}`}`;
  await print(channelsWithThreads.map(formatChannel).join('\n'));
}

async function remove(id: string, { workspace, json }: ChannelFlags): Promise<void> {
  const { withSessions, print, printJson } = await load();
  await withSessions(workspace, ({ channels }) => channels.remove(id));
  await (json
    ? printJson({ removed: id })
    : print(`The channel ${id} was removed; its conversations are in no channel now.`));
}

async function assign(
  threadText: string,
  channel: string | undefined,
  { workspace, json }: ChannelFlags,
): Promise<void> {
  const { withSessions, print, printJson } = await load();
  const thread = await checkId(threadText);
  const row = await withSessions(workspace, async ({ threads, channels }) => {
    if (channel !== undefined) await channels.get(channel);
    if (!(await threads.has(thread))) return threads.create({ id: thread, channel: channel ?? null });
    const lease = await threads.acquire(thread);
    try {
      return await threads.touch(lease, { channel: channel ?? null });
    } finally {
      await lease.release();
    }
  });
  if (json) return printJson(row);
  await print(channel === undefined ? `${thread} is in no channel.` : `${thread} is in ${channel}.`);
}

export function channelCommand(): Command {
  const json = (noun: string) => jsonOption(`print ${noun} as JSON`);
  return new Command('channel')
    .description(
      'manage channels: conversations in one channel share memory and a role (instructions for the agent)',
    )
    .addCommand(
      addWorkspaceOption(
        new Command('add')
          .description(
            'make a channel: conversations in it share memory and a role (instructions for the agent)',
          )
          .argument('<id>', 'an id of your choice'),
      )
        .option('--title <text>', 'a title to show')
        .addOption(json('the channel'))
        .action(add),
    )
    .addCommand(
      addWorkspaceOption(new Command('ls').description('list channels'))
        .addOption(json('the channels'))
        .action(list),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('rm')
          .description('remove a channel; its conversations are kept')
          .argument('<id>', 'the id of the channel'),
      )
        .addOption(json('what was removed'))
        .action(remove),
    )
    .addCommand(
      addWorkspaceOption(
        new Command('assign')
          .description('move a conversation (a thread) into a channel, or out of one')
          .argument('<thread>', 'the id of the conversation')
          .argument('[channel]', 'leave it out to move the conversation out of its channel'),
      )
        .addOption(json('the conversation'))
        .action(assign),
    );
}
