/** `sonde chat`: a conversation with the agent of a workspace, in this process or in the server that has it open. */
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
  /** Where to fork: `THREAD@CHECKPOINT`, or `THREAD` for its current state. */
  readonly fork?: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}

export async function openChat({ thread, settings, root, fork, json, signal }: ChatRequest) {
  let agent = await openAgent({ settings, signal, ...(root !== undefined && { root }) });
  const { stdin, stdout, stderr } = currentProcess();
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && !json;
  const streams = { out: stdout, err: stderr, terminal: isTerminal };
  const screen = json ? jsonScreen(streams) : textScreen(streams);
  const lines = openLines(stdin, stdout, isTerminal);
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
        const successor = await agent.successor();
        if (successor === null) return;
        const previousAgent = agent;
        agent = successor;
        await previousAgent.close();
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

/** Minimum characters of an id to complete. */
const minPart = 6;

/** Completes the beginning of an id if exactly one checkpoint matches; otherwise returns it unchanged. */
async function completeId(
  { checkpoints }: Pick<Sessions, 'checkpoints'>,
  thread: string,
  idPrefix: string,
): Promise<string> {
  const ids = (await checkpoints.heads({ thread, namespace: '' })).map(({ id }) => id);
  const [match, other] = idPrefix.length < minPart ? [] : ids.filter((id) => id.includes(idPrefix));
  return match !== undefined && other === undefined ? match : idPrefix;
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
