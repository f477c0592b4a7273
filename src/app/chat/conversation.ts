/** A conversation, line by line: each line is a message, an answer to a question, or a command. */
import { randomUUID } from 'node:crypto';
import { type Amounts, isSondeError } from '../../core/index.ts';
import {
  type AgentEvent,
  type AgentQuestion,
  type AgentReply,
  type AgentWaiting,
  threadNote,
} from '../agent/channel/channel.ts';
import type { AgentClient, TurnEndedEvent, TurnRequest } from '../agent/channel/channel-client.ts';
import { type CommandPorts, runCommand } from './commands.ts';
import type { Lines } from './lines.ts';
import { budgetText, questionText } from './screen.ts';

/** The parts of the agent that a conversation uses. They can change between two lines, when a server takes over. */
export interface ConversationPorts extends CommandPorts {
  readonly client: AgentClient;
  /** Call it before a turn: if a server has opened the workspace, its agent is used. Throws if that agent cannot be used. */
  handOver(): Promise<void>;
  readonly lines: Lines;
  /** The limits of each turn; null: those of the agent. */
  readonly limits: Amounts | null;
  /** If aborted, the turn is cancelled and the conversation ends. */
  readonly signal: AbortSignal;
}

/** Why a turn of this conversation cannot begin or continue. */
const waitText: Readonly<Record<Exclude<AgentWaiting['behind'], 'question'>, string>> = {
  another:
    'Another turn of this conversation is running: yours comes after it. /cancel withdraws your message.',
  agent: 'The agent is being started again. Your message is stored, and the agent continues with it.',
  server: 'The server of the agent is gone. Your message is stored; waiting for the server to come back.',
};

/** Commands that the agent carries out. */
const agentCommands: ReadonlySet<string> = new Set(['continue', 'drop', 'edit']);

/** Returns how the last turn ended; null if there was none. */
export async function converse(ports: ConversationPorts): Promise<TurnEndedEvent['status'] | null> {
  const { lines, screen, thread, signal } = ports;
  /** Messages that were sent during a turn and may not have reached it, by id. */
  const unread = new Map<string, string>();
  let questions: readonly AgentQuestion[] = [];
  let last: TurnEndedEvent['status'] | null = null;
  /** The message whose turn is being waited for; null: none. */
  let running: string | null = null;
  let cancelled = false;
  /** The input has ended while a turn waits for an answer. */
  let inputEnded = false;

  const cancel = (): void => {
    cancelled = true;
    const own = running === null ? {} : { of: running };
    void ports.client.request({ type: 'cancel', thread_id: thread, ...own }).catch(() => {});
  };
  signal.addEventListener('abort', () => {
    if (running !== null) cancel();
    lines.close();
  });
  lines.onInterrupt(() => (running !== null ? cancel() : lines.close()));
  lines.onAside((line) => {
    if (line.trim() === '/cancel') {
      cancel();
      return true;
    }
    if (line.trim() === '' || line.trim().startsWith('/')) return line.trim() === '';
    steer(line);
    return true;
  });

  /** Sends a message to the running turn. If it comes too late, it becomes the next message. */
  function steer(line: string): void {
    const message_id = `m-${randomUUID()}`;
    unread.set(message_id, line.trim());
    screen.note('This reaches the agent at its next step; /cancel ends the turn now.');
    const own = running === null ? {} : { of: running };
    ports.client
      .request({ type: 'steer', thread_id: thread, message_id, prompt: line.trim(), ...own })
      .catch(() => {});
  }

  /** Waits for the end of its own turn, whatever else happens in the thread. */
  async function turn(request: TurnRequest): Promise<void> {
    const id = randomUUID();
    let asked = Promise.withResolvers<AgentWaiting>();
    const off = ports.client.onWaiting((waiting) => {
      if (waiting.request !== id) return;
      if (waiting.behind === 'question') asked.resolve(waiting);
      else screen.note(waitText[waiting.behind]);
    });
    running = id;
    try {
      const ending = ports.client.turn(request, eventListener(), id);
      for (;;) {
        const outcome = await Promise.race([ending, asked.promise]);
        if (!('behind' in outcome)) return showEnd(outcome);
        asked = Promise.withResolvers();
        await answerFirst(outcome.questions, ending);
        if (inputEnded) return;
        running = id;
      }
    } finally {
      running = null;
      off();
    }
  }

  /** A listener that shows events, and notes which messages reached the turn. It shows the cost at the end. */
  function eventListener(): (event: AgentEvent) => void {
    let budget: Extract<AgentEvent, { kind: 'budget' }> | undefined;
    return (event) => {
      screen.event(thread, event);
      if (event.kind === 'budget') budget = event;
      if (event.kind === 'steered') unread.delete(event.message_id);
      if (event.kind === 'turn_ended' && (budget?.spent.calls ?? 0) > 0)
        screen.note(`  ${budgetText(budget!)}`);
    };
  }

  function showEnd(outcome: TurnEndedEvent | AgentReply): void {
    if ('type' in outcome) showRefusal(outcome);
    else {
      last = outcome.status;
      questions = outcome.questions;
    }
  }

  /** Asks the question of an earlier turn of the thread, which the message waits for. */
  async function answerFirst(
    [question]: readonly AgentQuestion[],
    ending: Promise<TurnEndedEvent | AgentReply>,
  ): Promise<void> {
    if (question === undefined) return;
    screen.note(`An earlier turn asks:\n? ${questionText(question.value)}`);
    running = null;
    const line = await Promise.race([
      lines.next('answer › '),
      ending.then(
        () => undefined,
        () => undefined,
      ),
    ]);
    // Somebody else has answered the question.
    if (line === undefined) return;
    inputEnded = line === null;
    if (inputEnded) return screen.note('Your message is stored, and waits until that question is answered.');
    const value = line?.trim() ?? '';
    const id = randomUUID();
    const answer = { question: question.id, value };
    running = id;
    const outcome = await ports.client.turn(
      { type: 'resume', thread_id: thread, answer },
      eventListener(),
      id,
    );
    if ('type' in outcome) showRefusal(outcome);
  }

  /** Drops the unfinished turn and its question. */
  async function drop(): Promise<void> {
    const id = randomUUID();
    const off = ports.client.onEvent((of, event, request) => request === id && screen.event(of, event));
    const reply = await ports.client
      .request({ type: 'cancel', thread_id: thread, drop: true }, id)
      .finally(off);
    if (reply.status === 'error') return showRefusal(reply);
    questions = [];
    screen.note('The turn was dropped. What it did is kept.');
  }

  function showRefusal({ error_code, message, details }: AgentReply): void {
    const { remedy } = details;
    screen.problem(error_code ?? 'internal', message, typeof remedy === 'string' ? remedy : undefined);
  }

  /** Replaces a message, and removes everything after it from the conversation. Writes to the workspace are kept. */
  async function edit(given: string): Promise<void> {
    const [, nth, text = ''] = /^(?:@(\d{1,5})\s+)?(.*)$/s.exec(given) ?? [];
    const { stateOf } = await import('../agent/turns.ts');
    const said = (await stateOf(ports.sessions, thread)).messages.filter(({ kind }) => kind === 'user');
    const place = nth === undefined ? said.length : Number(nth);
    const edits = said[place - 1]?.id;
    if (text === '')
      return screen.problem(
        'bad_argument',
        'There is no new text',
        '/edit TEXT, or /edit @N TEXT for your Nth message.',
      );
    if (edits === undefined)
      return screen.problem(
        'bad_argument',
        `There is no message ${place} in ${thread}`,
        `It has ${said.length}.`,
      );
    questions = [];
    await say(text, { edits });
  }

  async function say(
    text: string,
    more: { readonly edits?: string; readonly id?: string } = {},
  ): Promise<void> {
    const { id = `m-${randomUUID()}`, ...edits } = more;
    cancelled = false;
    const limits = ports.limits === null ? {} : { limits: ports.limits };
    await turn({ type: 'start_run', thread_id: thread, message_id: id, prompt: text, ...edits, ...limits });
  }

  /** False: a server has opened the workspace, but its agent cannot be used, so no turn may begin. */
  async function isHandedOver(): Promise<boolean> {
    try {
      await ports.handOver();
      return true;
    } catch (error) {
      if (!isSondeError(error)) throw error;
      screen.problem(error.code, error.message, error.remedy);
      return false;
    }
  }

  const observe = async () =>
    threadNote.parse((await ports.client.request({ type: 'observe', thread_id: thread })).details);

  /** False: the person wants to leave. */
  async function runLine(line: string): Promise<boolean> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    if (name === 'quit' || name === 'exit') return false;
    if (agentCommands.has(name) && !(await isHandedOver())) return true;
    if (name === 'continue') await turn({ type: 'resume', thread_id: thread });
    else if (name === 'drop') await drop();
    else if (name === 'edit') await edit(rest.trim());
    else if (name === 'cancel') screen.note('Nothing is running; /drop drops an unfinished turn.');
    else if (!(await runKnown(name, rest.trim())))
      screen.problem('bad_argument', `There is no command /${name}`, '/help lists them.');
    return true;
  }

  async function runKnown(name: string, rest: string): Promise<boolean> {
    try {
      return await runCommand(ports, name, rest);
    } catch (error) {
      if (!isSondeError(error)) throw error;
      screen.problem(error.code, error.message, error.remedy);
      return true;
    }
  }

  const { state, questions: open, last: said } = await observe();
  questions = open;
  if (said !== null)
    screen.note(`${said.by === 'person' ? 'You' : 'The agent'} said last: ${said.text.slice(0, 300)}`);
  if (state === 'interrupted') for (const { value } of questions) screen.note(`? ${questionText(value)}`);
  if (state === 'unfinished')
    screen.note(
      'The last turn was not finished. /continue continues it; a message drops it and begins the next one.',
    );
  if (state === 'running')
    screen.note(
      'A turn of this conversation is running: your message comes after it. /continue waits for its end.',
    );
  while (!inputEnded) {
    const [late] = questions.length === 0 && !signal.aborted ? unread : [];
    if (late !== undefined) {
      unread.delete(late[0]);
      if (await isHandedOver()) await say(late[1], { id: late[0] });
      continue;
    }
    const line = signal.aborted ? null : await lines.next(questions.length > 0 ? 'answer › ' : '› ');
    if (line === null) break;
    const text = line.trim();
    if (text === '') continue;
    if (text.startsWith('/')) {
      if (!(await runLine(text))) break;
      continue;
    }
    if (!(await isHandedOver())) continue;
    const [question] = questions;
    if (question === undefined) await say(text);
    else {
      cancelled = false;
      await turn({ type: 'resume', thread_id: thread, answer: { question: question.id, value: text } });
    }
  }
  if (inputEnded) return 'interrupted';
  if (questions.length > 0) screen.note('The conversation waits for your answer, without a time limit.');
  return cancelled && last === null ? 'cancelled' : last;
}
