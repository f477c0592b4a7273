import { Command, Option } from 'commander';
import { plainLine, SondeError } from '../../../core/index.ts';
import type { SettingKey } from '../../config/index.ts';
import { currentProcess } from '../../current-process.ts';
import { addLimitOptions, jsonOption, settingOption } from '../flags.ts';

interface ChatFlags {
  readonly workspace?: string;
  readonly thread?: string;
  readonly run?: string;
  readonly fork?: string;
  readonly code?: string;
  readonly model?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly maxTime?: string;
  readonly json?: true;
}

const toSettings = ({ workspace, model, maxTokens, maxUsd, maxTime }: ChatFlags) =>
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
  return addLimitOptions(
    new Command('chat')
      .description(
        'talk with the agent of a workspace: it searches, reads, proposes pages, and asks you questions',
      )
      .addOption(settingOption('workspace', 'name'))
      .addOption(new Option('--thread <id>', 'continue this conversation, or start it with this id'))
      .addOption(
        new Option(
          '--run <id>',
          'talk about an incident instead of a workspace: the id of a run of the command sonde incident; the agent knows only what that run recorded',
        ).conflicts(['workspace', 'thread', 'code']),
      )
      .addOption(
        new Option(
          '--fork <thread@checkpoint>',
          'start a new conversation as a copy of another: THREAD@CHECKPOINT copies it up to a checkpoint (the command /checkpoints lists them), THREAD copies all of it',
        ).conflicts(['run']),
      )
      .addOption(new Option('--code <folder>', 'let the agent read the code in this folder'))
      .addOption(settingOption('model', 'name')),
    'each turn',
    { max_time: '10m' },
  )
    .addOption(jsonOption('print every event as a line of JSON: {thread_id, event}'))
    .action(startChat);
}

/** A readable, unique id. */
const newThreadId = (): string =>
  `chat-${new Date().toISOString().slice(0, 10)}-${Math.random().toString(36).slice(2, 8)}`;

async function startChat(flags: ChatFlags): Promise<void> {
  if (flags.run !== undefined) return chatAboutIncident(flags.run, flags);
  const [{ threadId }, { openChat }, { listenForInterrupt }] = await Promise.all([
    import('../../agent/channel/channel.ts'),
    import('../../chat/open-chat.ts'),
    import('../interrupt.ts'),
  ]);
  const thread = flags.thread ?? newThreadId();
  if (!threadId.safeParse(thread).success)
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(thread)} is not a valid thread id`,
      remedy: 'Give up to 100 letters, digits, and _ . : -.',
    });
  const interrupt = listenForInterrupt();
  try {
    const status = await openChat({
      thread,
      settings: toSettings(flags),
      json: flags.json === true,
      signal: interrupt.signal,
      ...(flags.fork !== undefined && { fork: flags.fork }),
      ...(flags.code !== undefined && { root: flags.code }),
    });
    // The same exit codes as for a run: 4 if the model failed, 130 after Ctrl-C.
    if (status === 'failed') currentProcess().exitCode = 4;
    if (status === 'cancelled' && interrupt.signal.aborted) currentProcess().exitCode = 130;
  } finally {
    interrupt.dispose();
  }
}

/** Answers each question in a separate run, whose citations are checked against the records of the incident. */
async function chatAboutIncident(run: string, flags: ChatFlags): Promise<void> {
  const [
    { chatAboutIncident },
    { openLines: linesFrom },
    { listenForInterrupt },
    { resultText },
    terminal,
    exitCodes,
  ] = await Promise.all([
    import('../../incident/chat.ts'),
    import('../../chat/lines.ts'),
    import('../interrupt.ts'),
    import('../runs/result-text.ts'),
    import('../terminal.ts'),
    import('../exit-codes.ts'),
  ]);
  const interrupt = listenForInterrupt();
  const { stdin, stdout } = currentProcess();
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true && flags.json !== true;
  const lines = linesFrom(stdin, stdout, isInteractive);
  interrupt.signal.addEventListener('abort', () => lines.close());
  lines.onInterrupt(() => lines.close());
  try {
    const lastResult = await chatAboutIncident({
      run,
      settings: toSettings(flags),
      signal: interrupt.signal,
      next: () => lines.next('› '),
      onOpen: (runId, summary) => void terminal.tell(`${runId} ${summary}`),
      onNote: (note) => void terminal.tell(`note: ${plainLine(note)}`),
      onAnswer: (result, root) =>
        flags.json === true
          ? terminal.print(JSON.stringify(result))
          : terminal.print(`${resultText(result, root, process.cwd())}\n`),
    });
    if (lastResult !== null) currentProcess().exitCode = exitCodes.exitCodeOfResult(lastResult);
  } finally {
    lines.close();
    interrupt.dispose();
  }
}
