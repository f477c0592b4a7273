/**
 * Who hands requests to the agent: each is kept before it is taken, sent again to the next agent where one dies, and
 * done once. One at a time for a thread. It knows the channel, and of graphs and schedules nothing.
 */
import { messageOf, SondeError } from '../../core/index.ts';
import type { AgentEvent, AgentReply } from './channel.ts';
import type { AgentClient, AgentRequest, Heard } from './channel-client.ts';
import type { DeskOutcome, DeskRow, DeskRows } from './desk-rows.ts';

export interface Pass {
  readonly tools: { readonly url: string; readonly token: string };
  revoke(): void;
}

export interface DeskOptions {
  readonly rows: DeskRows;
  /** Lets the agent to the tools for one turn of this thread. */
  readonly issue: (row: DeskRow) => Pass;
  readonly tell: (line: string) => void;
  /** How much of a thread's work is kept: it grows where a life came further than the one before. */
  readonly progress: (thread: string) => number;
}

export interface Desk {
  /** Kept when this returns. The same id again is the same request. */
  post(row: Pick<DeskRow, 'id' | 'thread' | 'request'>): DeskRow;
  /** Null: it was never posted. */
  sent(id: string): DeskRow | null;
  /** Resolves when it is done. */
  done(id: string, signal?: AbortSignal): Promise<DeskOutcome>;
  /** Whether anything was ever asked in it. */
  knows(thread: string): boolean;
  /** As the agent says: `details.cancelled` is whether anything ran. Throws as `observe` does. */
  cancel(thread: string): Promise<AgentReply>;
  /** The turn is given up, and the thread takes a message again; as the agent says. Throws as `observe` does. */
  drop(thread: string): Promise<AgentReply>;
  /** How a thread stands, as the agent says. Throws `tool_failed` while there is none. */
  observe(thread: string): Promise<AgentReply>;
  onEvent(heard: Heard): () => void;
  up(client: AgentClient): void;
  /** The agent has died, or this host `ended` it: then what it was at counts no death. */
  down(how?: 'died' | 'ended'): void;
}

/** While another process works on a thread. Milliseconds. */
const lookAgain = 1_000;
/** Of deaths in a row, and of all: a request that ended so many agents is not sent to another one. */
export const mostDeaths = { withoutProgress: 5, inAll: 50 } as const;

export function openDesk({ rows, issue, tell, progress }: DeskOptions): Desk {
  let agent: AgentClient | null = null;
  let hadOne = false;
  const active = new Map<string, { readonly row: DeskRow; readonly pass: Pass }>();
  const listeners = new Set<Heard>();
  const waiting = new Map<string, Set<(outcome: DeskOutcome) => void>>();
  recover();

  /** Of requests that were with an agent that is gone, those that ended too many are over. */
  function recover(): void {
    for (const row of rows.recover(progress))
      if (row.stuck >= mostDeaths.withoutProgress || row.deaths >= mostDeaths.inAll) {
        tell(`${row.id} is given up: the agent died ${row.deaths} times while it was at it`);
        finish(row, givenUp(row));
      }
  }

  /** Of several that an agent died over one alone may be to blame: they are sent one after another. */
  function suspects(): boolean {
    return [...active.values()].some(({ row }) => row.deaths > 0);
  }

  function present(): AgentClient {
    if (agent !== null) return agent;
    throw new SondeError('tool_failed', {
      message: hadOne ? 'The agent is being started again' : 'The agent is being started',
      remedy: 'Ask again in a moment.',
    });
  }

  function finish(row: DeskRow, outcome: DeskOutcome): void {
    rows.mark(row.id, 'done', outcome);
    for (const give of waiting.get(row.id) ?? []) give(outcome);
    waiting.delete(row.id);
  }

  function leave(thread: string): DeskRow | undefined {
    const was = active.get(thread);
    active.delete(thread);
    was?.pass.revoke();
    return was?.row;
  }

  function heard(thread: string, event: AgentEvent): void {
    if (event.kind === 'turn_ended') {
      const row = leave(thread);
      const { status, text } = event;
      if (row !== undefined) {
        finish(row, { status, text });
        if (row.deaths > 0) setImmediate(pumpAll);
      }
    }
    for (const listener of listeners) listener(thread, event);
    if (event.kind === 'turn_ended') setImmediate(pump, thread);
  }

  function pumpAll(): void {
    for (const thread of rows.waiting()) pump(thread);
  }

  function pump(thread: string): void {
    const client = agent;
    if (client === null || active.has(thread)) return;
    const row = rows.next(thread);
    if (row === null || (row.deaths > 0 && suspects())) return;
    const pass = issue(row);
    active.set(thread, { row, pass });
    rows.mark(row.id, 'running');
    client
      .request(requestOf(row, pass.tools))
      .then((reply) => {
        if (reply.status === 'error') refused(row, reply);
      })
      .catch((error: unknown) => {
        // The agent is gone; the next one is sent it again.
        if (agent === client) tell(`${row.id}: ${messageOf(error)}`);
      });
  }

  function refused(row: DeskRow, { error_code, message, details }: AgentReply): void {
    leave(row.thread);
    if (row.deaths > 0) setImmediate(pumpAll);
    if (details['busy'] === true) {
      rows.mark(row.id, 'waiting');
      setTimeout(pump, lookAgain, row.thread).unref();
      return;
    }
    // Behind an open question, and behind a turn that was left, it waits until that is over.
    const behind = details['questions'] !== undefined || details['unfinished'] === true;
    if (behind && row.request.kind === 'message' && row.request.schedule === null) {
      rows.mark(row.id, 'waiting');
      return;
    }
    finish(row, { status: 'refused', text: `${error_code}: ${message}` });
    setImmediate(pump, row.thread);
  }

  return {
    post(given) {
      rows.add(given);
      const row = rows.get(given.id);
      if (row === null) throw new SondeError('internal', { message: `The request ${given.id} was not kept` });
      setImmediate(pump, row.thread);
      return row;
    },
    sent: (id) => rows.get(id),
    done(id, signal) {
      const row = rows.get(id);
      if (row?.state === 'done' && row.outcome !== null) return Promise.resolve(row.outcome);
      return new Promise((give, stop) => {
        const set = waiting.get(id) ?? new Set();
        waiting.set(id, set.add(give));
        signal?.addEventListener(
          'abort',
          () => {
            set.delete(give);
            stop(new SondeError('cancelled', { message: `Nobody waits for ${id} any more` }));
          },
          { once: true },
        );
      });
    },
    knows: (thread) => rows.knows(thread),
    cancel: async (thread) => present().request({ type: 'cancel', thread_id: thread }),
    drop: async (thread) => present().request({ type: 'cancel', thread_id: thread, drop: true }),
    observe: async (thread) => present().request({ type: 'observe', thread_id: thread }),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    up(client) {
      agent = client;
      hadOne = true;
      client.onEvent(heard);
      pumpAll();
    },
    down(how = 'died') {
      agent = null;
      for (const thread of [...active.keys()]) leave(thread);
      if (how === 'ended') rows.release();
      else recover();
    },
  };
}

function givenUp({ thread, deaths, stuck }: DeskRow): DeskOutcome {
  const lately = stuck < deaths && stuck >= mostDeaths.withoutProgress;
  const last = lately ? `, the last ${stuck} times without coming any further` : '';
  return {
    status: 'failed',
    text: `The agent died ${deaths} times over this${last}, so that it is not tried again.`,
    error: {
      code: 'tool_failed',
      remedy: `What is left of the turn in ${thread} can be continued, or dropped.`,
      deaths,
    },
  };
}

function requestOf({ id, thread, request }: DeskRow, tools: Pass['tools']): AgentRequest {
  switch (request.kind) {
    case 'continue':
      return { type: 'resume', thread_id: thread, tools };
    case 'answer':
      return {
        type: 'resume',
        thread_id: thread,
        answer: { question: request.question, value: request.value as never },
        tools,
      };
    case 'message': {
      const { text, event, limits } = request;
      const turn = {
        thread_id: thread,
        message_id: id,
        prompt: text,
        tools,
        ...(limits !== null && { limits }),
      };
      return event === null
        ? { type: 'start_run', ...turn }
        : { type: 'workspace_event', ...turn, event: { id, ...event, payload: event.payload as never } };
    }
  }
}
