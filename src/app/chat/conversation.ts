/** A conversation, line by line: each line is a message, an answer to a question, or a command. */
import { randomUUID } from 'node:crypto';
import { isSondeError } from '../../core/index.ts';
import { type AgentEvent, type AgentQuestion, type AgentReply, threadNote } from '../agent/channel.ts';
import type { AgentClient, AgentRequest, Ended } from '../agent/channel-client.ts';
import { type CommandPorts, runCommand } from './commands.ts';
import type { Lines } from './lines.ts';
import { budgetText, questionText } from './screen.ts';

export interface ConversationPorts extends CommandPorts {
  readonly client: AgentClient;
  readonly lines: Lines;
  /** Aborted: the turn is cancelled, and the conversation left. */
  readonly signal: AbortSignal;
}

/** How the last turn ended; null where there was none. */
export async function converse(ports: ConversationPorts): Promise<Ended['status'] | null> {
  const { client, lines, screen, thread, signal, sessions } = ports;
  /** Said while a turn ran, and not known to be with it; by the ids of the messages. */
  const untaken = new Map<string, string>();
  let questions: readonly AgentQuestion[] = [];
  let last: Ended['status'] | null = null;
  let running = false;
  let cancelled = false;

  const cancel = (): void => {
    cancelled = true;
    void client.request({ type: 'cancel', thread_id: thread }).catch(() => {});
  };
  signal.addEventListener('abort', () => {
    if (running) cancel();
    lines.close();
  });
  lines.onInterrupt(() => (running ? cancel() : lines.close()));
  lines.onAside((line) => {
    if (line.trim() === '/cancel') {
      cancel();
      return true;
    }
    if (line.trim() === '' || line.trim().startsWith('/')) return line.trim() === '';
    steer(line);
    return true;
  });

  /** What comes too late for the turn is the next message. */
  function steer(line: string): void {
    const message_id = `m-${randomUUID()}`;
    untaken.set(message_id, line.trim());
    screen.note('The agent is told at its next step; /cancel ends this turn now.');
    client.request({ type: 'steer', thread_id: thread, message_id, prompt: line.trim() }).catch(() => {});
  }

  /** Null: the agent refused, and said why. */
  async function turn(request: AgentRequest): Promise<void> {
    const end = Promise.withResolvers<Ended>();
    let budget: Extract<AgentEvent, { kind: 'budget' }> | undefined;
    const off = client.onEvent((of, event) => {
      if (of !== thread) return;
      screen.event(of, event);
      if (event.kind === 'budget') budget = event;
      if (event.kind === 'steered') untaken.delete(event.message_id);
      if (event.kind === 'turn_ended') end.resolve(event);
    });
    running = true;
    try {
      const reply = await client.request(request);
      if (reply.status === 'error') {
        showRefusal(reply);
        return;
      }
      const ended = await end.promise;
      last = ended.status;
      questions = ended.questions;
      if (budget !== undefined && (budget.spent.calls ?? 0) > 0) screen.note(`  ${budgetText(budget)}`);
    } finally {
      running = false;
      off();
    }
  }

  /** Also takes back what the line asked. */
  async function drop(): Promise<void> {
    const off = client.onEvent((of, event) => of === thread && screen.event(of, event));
    const reply = await client.request({ type: 'cancel', thread_id: thread, drop: true }).finally(off);
    if (reply.status === 'error') return showRefusal(reply);
    questions = [];
    screen.note('Dropped: what it did stays, and it goes on no more.');
  }

  function showRefusal({ error_code, message, details }: AgentReply): void {
    const { remedy } = details;
    screen.problem(error_code ?? 'internal', message, typeof remedy === 'string' ? remedy : undefined);
  }

  /** Takes the place of a message, with all that came after it; what was written in the workspace stays. */
  async function edit(given: string): Promise<void> {
    const [, nth, text = ''] = /^(?:@(\d{1,5})\s+)?(.*)$/s.exec(given) ?? [];
    const { stateOf } = await import('../agent/turns.ts');
    const said = (await stateOf(sessions, thread)).messages.filter(({ kind }) => kind === 'user');
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
    await turn({ type: 'start_run', thread_id: thread, message_id: id, prompt: text, ...edits });
  }

  const observe = async () =>
    threadNote.parse((await client.request({ type: 'observe', thread_id: thread })).details);

  /** False: it was the wish to leave. */
  async function obey(line: string): Promise<boolean> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    if (name === 'quit' || name === 'exit') return false;
    if (name === 'continue') await turn({ type: 'resume', thread_id: thread });
    else if (name === 'drop') await drop();
    else if (name === 'edit') await edit(rest.trim());
    else if (name === 'cancel') screen.note('Nothing is running; /drop gives up a turn that was left.');
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
      'The last turn did not come to its end. /continue goes on with it; a message begins the next one.',
    );
  for (;;) {
    const [late] = questions.length === 0 && !signal.aborted ? untaken : [];
    if (late !== undefined) {
      untaken.delete(late[0]);
      await say(late[1], { id: late[0] });
      continue;
    }
    const line = signal.aborted ? null : await lines.next(questions.length > 0 ? 'answer › ' : '› ');
    if (line === null) break;
    const text = line.trim();
    if (text === '') continue;
    if (text.startsWith('/')) {
      if (!(await obey(text))) break;
      continue;
    }
    const [question] = questions;
    if (question === undefined) await say(text);
    else {
      cancelled = false;
      await turn({ type: 'resume', thread_id: thread, answer: { question: question.id, value: text } });
    }
  }
  if (questions.length > 0) screen.note('It waits for your answer, for as long as it takes.');
  return cancelled && last === null ? 'cancelled' : last;
}
