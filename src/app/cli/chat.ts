import { Command, Option } from 'commander';
import { SondeError } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { jsonOption, settingOption } from './flags.ts';

interface ChatFlags {
  readonly workspace?: string;
  readonly thread?: string;
  readonly code?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
  readonly json?: true;
}

const settingsOf = ({ workspace, model, maxTokens, maxUsd, maxTime }: ChatFlags) =>
  Object.fromEntries(
    Object.entries({
      workspace,
      model,
      max_tokens: maxTokens,
      max_usd: maxUsd,
      max_time: maxTime,
    }).filter(([, value]) => value !== undefined),
  ) as Partial<Record<SettingKey, string>>;

export function chatCommand(): Command {
  return new Command('chat')
    .description('talk with the agent about a workspace: it searches, reads, proposes pages, asks you')
    .addOption(settingOption('workspace', 'name'))
    .addOption(new Option('--thread <id>', 'go on with this conversation, or begin it under this name'))
    .addOption(new Option('--code <folder>', 'let it read the code of this folder, too'))
    .addOption(settingOption('model', 'name'))
    .addOption(settingOption('max_tokens', 'n'))
    .addOption(settingOption('max_usd', 'amount'))
    .addOption(settingOption('max_time', 'duration'))
    .addOption(jsonOption('print every event as a line of JSON: {thread_id, event}'))
    .action(chat);
}

/** Readable, and different for every conversation of a day. */
const newThread = (): string =>
  `chat-${new Date().toISOString().slice(0, 10)}-${Math.random().toString(36).slice(2, 8)}`;

async function chat(flags: ChatFlags): Promise<void> {
  const [{ threadId }, { openChat }, { listenForInterrupt }] = await Promise.all([
    import('../agent/channel.ts'),
    import('../chat/open-chat.ts'),
    import('./interrupt.ts'),
  ]);
  const thread = flags.thread ?? newThread();
  if (!threadId.safeParse(thread).success)
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(thread)} is no name of a thread`,
      remedy: 'Give up to 100 letters, digits, and _ . : -.',
    });
  const interrupt = listenForInterrupt();
  try {
    const status = await openChat({
      thread,
      settings: settingsOf(flags),
      json: flags.json === true,
      signal: interrupt.signal,
      ...(flags.code !== undefined && { root: flags.code }),
    });
    // As of a run: 4 where the model failed, 130 where the person ended it.
    if (status === 'failed') process.exitCode = 4;
    if (status === 'cancelled' && interrupt.signal.aborted) process.exitCode = 130;
  } finally {
    interrupt.dispose();
  }
}
