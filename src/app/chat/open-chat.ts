/** `sonde chat`: one process that holds the host of a workspace and the agent that talks about it. */
import { plainLine, SondeError } from '../../core/index.ts';
import type { Sessions } from '../../store/index.ts';
import type { TurnEndedEvent } from '../agent/channel/channel-client.ts';
import { type OpenAgent, openAgent } from '../agent/in-process.ts';
import type { SettingKey } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { converse } from './conversation.ts';
import { openLines } from './lines.ts';
import { jsonScreen, textScreen } from './screen.ts';

export interface ChatRequest {
  readonly thread: string;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** A folder of code that the agent may read. */
  readonly root?: string;
  /** `THREAD@CHECKPOINT`, or a thread as it is now. */
  readonly fork?: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

export async function openChat({ thread, settings, root, fork, json, signal }: ChatRequest) {
  let agent = await openAgent({ settings, signal, ...(root !== undefined && { root }) });
  const { stdin, stdout, stderr } = currentProcess();
  const terminal = stdin.isTTY === true && stdout.isTTY === true && !json;
  const streams = { out: stdout, err: stderr, terminal };
  const screen = json ? jsonScreen(streams) : textScreen(streams);
  const lines = openLines(stdin, stdout, terminal);
  try {
    const { notes, sessions, world } = agent;
    for (const note of notes) screen.note(`note: ${plainLine(note)}`);
    screen.note(`${world.workspace.name}, thread ${thread}. ${introduction(agent)} /help lists commands.`);
    if (fork !== undefined) {
      const { forkThread } = await import('../agent/turns.ts');
      const [, from = '', part] = /^([^@]*)(?:@(.*))?$/s.exec(fork) ?? [];
      const checkpoint = part === undefined ? {} : { checkpoint: await completeId(sessions, from, part) };
      await forkThread({ from, to: thread, ...checkpoint }, sessions);
      screen.note(`It begins as a copy of ${fork}.`);
    }
    const status: TurnEndedEvent['status'] | null = await converse({
      thread,
      get client() {
        return agent.client;
      },
      get sessions() {
        return agent.sessions;
      },
      get store() {
        return agent.store;
      },
      get world() {
        return agent.world;
      },
      get limits() {
        return agent.limits;
      },
      otherItems: async () => (await import('../workspace/other-inbox-items.ts')).readOtherItems(agent),
      memory: async () => (await import('../host/host-memory.ts')).openHostMemory(agent),
      async switchAgent() {
        const next = await agent.successor();
        if (next === null) return;
        const previous = agent;
        agent = next;
        await previous.close();
        screen.note('A server has opened the workspace: its agent continues this conversation.');
      },
      screen,
      lines,
      signal,
    });
    if (await agent.sessions.threads.has(thread))
      screen.note(`sonde chat --thread ${thread} continues this conversation.`);
    return status;
  } catch (error) {
    if (error instanceof SondeError && signal.aborted) return 'cancelled';
    throw error;
  } finally {
    lines.close();
    await agent.close();
  }
}

/** Minimum length of a part of an id. */
const minPart = 6;

/** Completes the beginning of an id if exactly one checkpoint matches; otherwise returns it unchanged. */
async function completeId(
  { checkpoints }: Pick<Sessions, 'checkpoints'>,
  thread: string,
  part: string,
): Promise<string> {
  const ids = (await checkpoints.heads({ thread, namespace: '' })).map(({ id }) => id);
  const [match, other] = part.length < minPart ? [] : ids.filter((id) => id.includes(part));
  return match !== undefined && other === undefined ? match : part;
}

function introduction({
  about: { model, why, reasons },
  served,
}: Pick<OpenAgent, 'about' | 'served'>): string {
  const ownerText = served ? ', of the server that has the workspace open' : '';
  return reasons
    ? `The model is ${model} (${why}${ownerText}).`
    : 'There is no model: I search your pages for your words and quote what I find, but draw no conclusions. Set ANTHROPIC_API_KEY, OPENAI_API_KEY or --model to talk.';
}
