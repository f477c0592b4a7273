/**
 * A command's end of the port of a server. The command uses the server's agent through the same contract as an agent in
 * its own process.
 */
import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../../../core/index.ts';
import type { AgentMessage, AgentOutput } from '../channel/channel.ts';
import { type AgentClient, agentClient } from '../channel/channel-client.ts';
import { onJsonLine, sendLine } from './lines-wire.ts';
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
  /** Aborting it ends the wait for a server that is gone. */
  readonly signal?: AbortSignal;
  /** How long to wait for a server that is gone. Milliseconds. */
  readonly patienceMs?: number;
}

// Milliseconds.
const defaultPatienceMs = 10_000;
const greetingPatienceMs = 5_000;
const retryMs = 100;

const isTurn = ({ type }: AgentMessage): boolean =>
  type === 'start_run' || type === 'workspace_event' || type === 'resume';

/** Null: no server has the workspace. Throws `run_state` for a server that cannot be talked with. */
export async function connectPort(request: PortRequest): Promise<PortClient | null> {
  const { patienceMs = defaultPatienceMs } = request;
  const first = await connectToServer(request, patienceMs);
  if (first === null) return null;
  let socket: Socket | null = null;
  let closed = false;
  let lost: SondeError | null = null;
  let onOutput: (output: unknown) => void = () => {};
  /** Requests without a reply, and turns without an end. They are sent again to the next server. */
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

  function receive(value: unknown): void {
    const output = value as AgentOutput;
    if (output?.type === 'reply' && output.id !== null) {
      const message = open.get(output.id);
      if (message !== undefined && (output.status === 'error' || !isTurn(message))) open.delete(output.id);
    }
    if (output?.type === 'event' && output.event?.kind === 'turn_ended') open.delete(output.request);
    onOutput(value);
  }

  function attach({ socket: newSocket }: PortConnection): void {
    socket = newSocket;
    onJsonLine(newSocket, receive);
    const onLost = (): void => {
      if (closed || socket !== newSocket) return;
      socket = null;
      void reconnect();
    };
    newSocket.on('close', onLost);
    for (const message of open.values()) sendLine(newSocket, message);
    newSocket.resume();
    if (newSocket.destroyed) onLost();
  }

  async function reconnect(): Promise<void> {
    for (const message of open.values())
      if (isTurn(message) && 'thread_id' in message)
        onOutput({
          ...{ type: 'waiting', thread_id: message.thread_id, request: message.id },
          ...{ behind: 'server', questions: [] },
        });
    try {
      const next = await connectToServer({ ...request, hadServer: true }, patienceMs);
      if (closed) next?.socket.destroy();
      else if (next !== null) attach(next);
    } catch (thrown) {
      lost = thrown as SondeError;
      client.endAll(lost);
    }
  }
  attach(first);
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

/** `hadServer`: a connection was lost, so this waits for the next server. */
async function connectToServer(
  { workspace, version, signal, hadServer = false }: PortRequest & { readonly hadServer?: boolean },
  patienceMs: number,
): Promise<PortConnection | null> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = await readGreeting(portPath(workspace));
    if (found !== null && found.greeting.version === version) return found;
    if (found !== null) {
      found.socket.destroy();
      throw versionError(workspace, found.greeting.version, version);
    }
    if (!hadServer && !isServed(workspace)) return null;
    if (signal?.aborted === true)
      throw new SondeError('cancelled', { message: 'The wait for the server was cancelled' });
    if (performance.now() > until)
      throw hadServer && !isServed(workspace) ? serverGoneError() : silentServerError(workspace);
    await sleep(retryMs);
  }
}

/** Connects and reads the greeting. Null: no server listens. */
async function readGreeting(path: string): Promise<PortConnection | null> {
  if (!findOwnSocket(path)) return null;
  const socket = connect(path);
  const greeting = Promise.withResolvers<PortConnection | null>();
  const timer = setTimeout(() => greeting.resolve(null), greetingPatienceMs);
  socket.once('error', () => greeting.resolve(null));
  socket.once('close', () => greeting.resolve(null));
  onJsonLine(socket, (value) => {
    const read = portGreeting.safeParse(value);
    if (!read.success) return greeting.resolve(null);
    // Data after the greeting is left for the next reader of the socket.
    socket.pause();
    socket.removeAllListeners('data');
    greeting.resolve({ socket, greeting: read.data });
  });
  const found = await greeting.promise;
  clearTimeout(timer);
  if (found === null) socket.destroy();
  return found;
}

/** Throws if the socket belongs to another user, who could read everything that is sent. */
function findOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return true;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isSocket() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return true;
  throw new SondeError('run_state', {
    message: `${path} is not a socket that only you can use`,
    remedy: 'Talk with the server as the user who started it; if none runs, remove it.',
  });
}

const versionError = (workspace: string, theirs: string, ours: string): SondeError =>
  new SondeError('run_state', {
    message: `The server of ${workspace} is Sonde ${theirs.slice(0, 40)}, and this is ${ours}`,
    remedy: 'End it and start it with this version, or use its version for this command.',
  });

const silentServerError = (workspace: string): SondeError =>
  new SondeError('run_state', {
    message: `A server has ${workspace} open, but does not answer commands`,
    remedy: 'It hangs, or is of an older version: end it and start it again.',
  });

const serverGoneError = (): SondeError =>
  new SondeError('tool_failed', {
    message: 'The server that had the agent is gone',
    remedy:
      'What you said is kept. sonde serve goes on with it; without a server, sonde chat --thread THREAD and /continue go on with a turn that had begun.',
  });
