/**
 * A command's end of the port of a server. It gives the agent of the server the same contract as an agent of the
 * command's own.
 */
import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../../../core/index.ts';
import type { AgentMessage, AgentOutput } from '../channel/channel.ts';
import { type AgentClient, agentClient } from '../channel/channel-client.ts';
import { onLine, sendLine } from './lines-wire.ts';
import { isServed, type PortGreeting, portGreeting, portPath } from './port.ts';

export interface PortClient {
  readonly client: AgentClient;
  readonly greeting: PortGreeting;
  close(): void;
}

export interface PortRequest {
  /** The file of the workspace. */
  readonly workspace: string;
  /** The version of this program. A server of another version is refused. */
  readonly version: string;
  /** Once it is aborted, nobody waits for a server that is gone. */
  readonly signal?: AbortSignal;
  /** How long to wait for a server that is gone. Milliseconds. */
  readonly patience?: number;
}

/** Milliseconds. */
const usualPatience = 10_000;
const greetingPatience = 5_000;
const retryEvery = 100;

const isTurn = ({ type }: AgentMessage): boolean =>
  type === 'start_run' || type === 'workspace_event' || type === 'resume';

/** Null: no server has the workspace. Throws `run_state` for a server that cannot be talked with. */
export async function connectPort(request: PortRequest): Promise<PortClient | null> {
  const { patience = usualPatience } = request;
  const first = await reach(request, patience);
  if (first === null) return null;
  let socket: Socket | null = null;
  let closed = false;
  let lost: SondeError | null = null;
  let onOutput: (output: unknown) => void = () => {};
  /** Requests without a reply, and turns without an end. The next server is sent them again. */
  const open = new Map<string, AgentMessage>();

  const client = agentClient({
    send(value) {
      const message = value as AgentMessage;
      if (typeof message?.id === 'string') open.set(message.id, message);
      if (lost !== null) queueMicrotask(() => client.endAll(lost!));
      else if (socket !== null) sendLine(socket, value);
    },
    onMessage(listener) {
      onOutput = listener;
    },
  });

  function hear(value: unknown): void {
    const output = value as AgentOutput;
    if (output?.type === 'reply' && output.id !== null) {
      const asked = open.get(output.id);
      if (asked !== undefined && (output.status === 'error' || !isTurn(asked))) open.delete(output.id);
    }
    if (output?.type === 'event' && output.event?.kind === 'turn_ended') open.delete(output.request);
    onOutput(value);
  }

  function use({ socket: now }: PortConnection): void {
    socket = now;
    onLine(now, hear);
    const leave = (): void => {
      if (closed || socket !== now) return;
      socket = null;
      void reconnect();
    };
    now.on('close', leave);
    for (const message of open.values()) sendLine(now, message);
    now.resume();
    if (now.destroyed) leave();
  }

  async function reconnect(): Promise<void> {
    for (const message of open.values())
      if (isTurn(message) && 'thread_id' in message)
        onOutput({
          ...{ type: 'waiting', thread_id: message.thread_id, request: message.id },
          ...{ behind: 'server', questions: [] },
        });
    try {
      const next = await reach({ ...request, isBack: true }, patience);
      if (closed) next?.socket.destroy();
      else if (next !== null) use(next);
    } catch (thrown) {
      lost = thrown as SondeError;
      client.endAll(lost);
    }
  }
  use(first);
  onOutput({ type: 'lifecycle', state: 'ready', message: '' });
  return {
    client,
    greeting: first.greeting,
    close() {
      closed = true;
      socket?.destroy();
    },
  };
}

interface PortConnection {
  readonly socket: Socket;
  readonly greeting: PortGreeting;
}

/** `isBack`: there was a server before, so this waits for the next one. */
async function reach(
  { workspace, version, signal, isBack = false }: PortRequest & { readonly isBack?: boolean },
  patience: number,
): Promise<PortConnection | null> {
  const until = performance.now() + patience;
  for (;;) {
    const found = await greet(portPath(workspace));
    if (found !== null && found.greeting.version === version) return found;
    if (found !== null) {
      found.socket.destroy();
      throw otherVersion(workspace, found.greeting.version, version);
    }
    if (!isBack && !isServed(workspace)) return null;
    if (signal?.aborted === true) throw new SondeError('cancelled', { message: 'Nobody waits any more' });
    if (performance.now() > until) throw isBack && !isServed(workspace) ? goneError() : silent(workspace);
    await sleep(retryEvery);
  }
}

/** Null: nobody listens there. */
async function greet(path: string): Promise<PortConnection | null> {
  if (!isThere(path)) return null;
  const socket = connect(path);
  const greeted = Promise.withResolvers<PortConnection | null>();
  const late = setTimeout(() => greeted.resolve(null), greetingPatience);
  socket.once('error', () => greeted.resolve(null));
  socket.once('close', () => greeted.resolve(null));
  onLine(socket, (value) => {
    const read = portGreeting.safeParse(value);
    if (!read.success) return greeted.resolve(null);
    // Data after the greeting is left for the next reader of the socket.
    socket.pause();
    socket.removeAllListeners('data');
    greeted.resolve({ socket, greeting: read.data });
  });
  const found = await greeted.promise;
  clearTimeout(late);
  if (found === null) socket.destroy();
  return found;
}

/** Throws if the socket belongs to another user, who could read everything that is sent. */
function isThere(path: string): boolean {
  if (process.platform === 'win32') return true;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isSocket() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return true;
  throw new SondeError('run_state', {
    message: `${path} is not a socket of yours alone`,
    remedy: 'Talk with the server as the user who started it; if none runs, remove it.',
  });
}

const otherVersion = (workspace: string, theirs: string, ours: string): SondeError =>
  new SondeError('run_state', {
    message: `The server of ${workspace} is Sonde ${theirs.slice(0, 40)}, and this is ${ours}`,
    remedy: 'End it and start it with this version, or use its version for this command.',
  });

const silent = (workspace: string): SondeError =>
  new SondeError('run_state', {
    message: `A server has ${workspace}, and does not let commands talk with its agent`,
    remedy: 'It hangs, or is of an older version: end it and start it anew.',
  });

const goneError = (): SondeError =>
  new SondeError('tool_failed', {
    message: 'The server that had the agent is gone',
    remedy:
      'What you said is kept. sonde serve goes on with it; without a server, sonde chat --thread THREAD and /continue go on with a turn that had begun.',
  });
