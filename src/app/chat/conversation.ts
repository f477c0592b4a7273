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

/** The parts of the agent that a conversation uses. They change if a server opens the workspace between two lines. */
export interface ConversationPorts extends CommandPorts {
  readonly client: AgentClient;
  /** Switches to the agent of a server that has opened the workspace. Call it before a turn. Throws if it can't be used. */
  switchAgent(): Promise<void>;
  readonly lines: Lines;
  /** The limits of each turn; null: those of the agent. */
  readonly limits: Amounts | null;
  /** If aborted, the turn is cancelled and the conversation ends. */
  readonly signal: AbortSignal;
}

/** Why a turn of this conversation cannot begin or continue. */
const waitTexts: Readonly<Record<Exclude<AgentWaiting['behind'], 'question'>, string>> = {
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
  const unreadMessages = new Map<string, string>();
  let questions: readonly AgentQuestion[] = [];
  let lastStatus: TurnEndedEvent['status'] | null = null;
  /** The message whose turn is being waited for; null: none. */
  let runningTurn: string | null = null;
  let wasCancelled = false;
  /** True: the input ended while a turn was waiting for an answer. */
  let inputEnded = false;

  const cancel = (): void => {
    wasCancelled = true;
    const target = runningTurn === null ? {} : { of: runningTurn };
    void ports.client.request({ type: 'cancel', thread_id: thread, ...target }).catch(() => {});
  };
  signal.addEventListener('abort', () => {
    if (runningTurn !== null) cancel();
    lines.close();
  });
  lines.onInterrupt(() => (runningTurn !== null ? cancel() : lines.close()));
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
    unreadMessages.set(message_id, line.trim());
    screen.note('This reaches the agent at its next step; /cancel ends the turn now.');
    const target = runningTurn === null ? {} : { of: runningTurn };
    ports.client
      .request({ type: 'steer', thread_id: thread, message_id, prompt: line.trim(), ...target })
      .catch(() => {});
  }

  /** Runs one turn and waits for its end, whatever else happens in the thread. */
  async function runTurn(request: TurnRequest): Promise<void> {
    const id = randomUUID();
    let questionAsked = Promise.withResolvers<AgentWaiting>();
    const stopListening = ports.client.onWaiting((waiting) => {
      if (waiting.request !== id) return;
      if (waiting.behind === 'question') questionAsked.resolve(waiting);
      else screen.note(waitTexts[waiting.behind]);
    });
    runningTurn = id;
    try {
      const turnEnd = ports.client.turn(request, eventListener(), id);
      for (;;) {
        const outcome = await Promise.race([turnEnd, questionAsked.promise]);
        if (!('behind' in outcome)) return showEnd(outcome);
        questionAsked = Promise.withResolvers();
        await answerEarlierQuestion(outcome.questions, turnEnd);
        if (inputEnded) return;
        runningTurn = id;
      }
    } finally {
      runningTurn = null;
      stopListening();
    }
  }

  /** A listener that shows events, and notes which messages reached the turn. It shows the cost at the end. */
  function eventListener(): (event: AgentEvent) => void {
    let budget: Extract<AgentEvent, { kind: 'budget' }> | undefined;
    return (event) => {
      screen.event(thread, event);
      if (event.kind === 'budget') budget = event;
      if (event.kind === 'steered') unreadMessages.delete(event.message_id);
      if (event.kind === 'turn_ended' && (budget?.spent.calls ?? 0) > 0)
        screen.note(`  ${budgetText(budget!)}`);
    };
  }

  function showEnd(outcome: TurnEndedEvent | AgentReply): void {
    if ('type' in outcome) showRefusal(outcome);
    else {
      lastStatus = outcome.status;
      questions = outcome.questions;
    }
  }

  /** Asks the question of an earlier turn of the thread, which the message waits for. */
  async function answerEarlierQuestion(
    [question]: readonly AgentQuestion[],
    ending: Promise<TurnEndedEvent | AgentReply>,
  ): Promise<void> {
    if (question === undefined) return;
    screen.note(`An earlier turn asks:\n? ${questionText(question.value)}`);
    runningTurn = null;
    const line = await Promise.race([
      lines.next('answer › '),
      ending.then(
        () => undefined,
        () => undefined,
      ),
    ]);
    // The turn went on, since somebody else has answered the question.
    if (line === undefined) return;
    inputEnded = line === null;
    if (inputEnded) return screen.note('Your message is stored, and waits until that question is answered.');
    const value = line?.trim() ?? '';
    const id = randomUUID();
    const answer = { question: question.id, value };
    runningTurn = id;
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
    const stopListening = ports.client.onEvent(
      (eventThread, event, request) => request === id && screen.event(eventThread, event),
    );
    const reply = await ports.client
      .request({ type: 'cancel', thread_id: thread, drop: true }, id)
      .finally(stopListening);
    if (reply.status === 'error') return showRefusal(reply);
    questions = [];
    screen.note('The turn was dropped. What it did is kept.');
  }

  function showRefusal({ error_code, message, details }: AgentReply): void {
    const { remedy } = details;
    screen.problem(error_code ?? 'internal', message, typeof remedy === 'string' ? remedy : undefined);
  }

  /** Replaces a message, and removes everything after it from the conversation. Writes to the workspace are kept. */
  async function edit(args: string): Promise<void> {
    const [, nth, text = ''] = /^(?:@(\d{1,5})\s+)?(.*)$/s.exec(args) ?? [];
    const { stateOf } = await import('../agent/turns.ts');
    const ownMessages = (await stateOf(ports.sessions, thread)).messages.filter(
      ({ kind }) => kind === 'user',
    );
    const messageNumber = nth === undefined ? ownMessages.length : Number(nth);
    const editedId = ownMessages[messageNumber - 1]?.id;
    if (text === '')
      return screen.problem(
        'bad_argument',
        'There is no new text',
        '/edit TEXT, or /edit @N TEXT for your Nth message.',
      );
    if (editedId === undefined)
      return screen.problem(
        'bad_argument',
        `There is no message ${messageNumber} in ${thread}`,
        `It has ${ownMessages.length}.`,
      );
    questions = [];
    await sendMessage(text, { edits: editedId });
  }

  async function sendMessage(
    text: string,
    extraFields: { readonly edits?: string; readonly id?: string } = {},
  ): Promise<void> {
    const { id = `m-${randomUUID()}`, ...edits } = extraFields;
    wasCancelled = false;
    const limits = ports.limits === null ? {} : { limits: ports.limits };
    await runTurn({
      type: 'start_run',
      thread_id: thread,
      message_id: id,
      prompt: text,
      ...edits,
      ...limits,
    });
  }

  /** False: a server has opened the workspace, but its agent cannot be used, so no turn may begin. */
  async function trySwitchAgent(): Promise<boolean> {
    try {
      await ports.switchAgent();
      return true;
    } catch (error) {
      if (!isSondeError(error)) throw error;
      screen.problem(error.code, error.message, error.remedy);
      return false;
    }
  }

  const observeThread = async () =>
    threadNote.parse((await ports.client.request({ type: 'observe', thread_id: thread })).details);

  /** Handles one line of input. False: the conversation ends. */
  async function runLine(line: string): Promise<boolean> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    if (name === 'quit' || name === 'exit') return false;
    if (agentCommands.has(name) && !(await trySwitchAgent())) return true;
    if (name === 'continue') await runTurn({ type: 'resume', thread_id: thread });
    else if (name === 'drop') await drop();
    else if (name === 'edit') await edit(rest.trim());
    else if (name === 'cancel') screen.note('Nothing is running; /drop drops an unfinished turn.');
    else if (!(await tryCommand(name, rest.trim())))
      screen.problem('bad_argument', `There is no command /${name}`, '/help lists them.');
    return true;
  }

  async function tryCommand(name: string, rest: string): Promise<boolean> {
    try {
      return await runCommand(ports, name, rest);
    } catch (error) {
      if (!isSondeError(error)) throw error;
      screen.problem(error.code, error.message, error.remedy);
      return true;
    }
  }

  const { state, questions: openQuestions, last: lastMessage } = await observeThread();
  questions = openQuestions;
  if (lastMessage !== null)
    screen.note(
      `${lastMessage.by === 'person' ? 'You' : 'The agent'} said last: ${lastMessage.text.slice(0, 300)}`,
    );
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
    const [unreadMessage] = questions.length === 0 && !signal.aborted ? unreadMessages : [];
    if (unreadMessage !== undefined) {
      unreadMessages.delete(unreadMessage[0]);
      if (await trySwitchAgent()) await sendMessage(unreadMessage[1], { id: unreadMessage[0] });
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
    if (!(await trySwitchAgent())) continue;
    const [question] = questions;
    if (question === undefined) await sendMessage(text);
    else {
      wasCancelled = false;
      await runTurn({ type: 'resume', thread_id: thread, answer: { question: question.id, value: text } });
    }
  }
  if (inputEnded) return 'interrupted';
  if (questions.length > 0) screen.note('The conversation waits for your answer, without a time limit.');
  return wasCancelled && lastStatus === null ? 'cancelled' : lastStatus;
}
