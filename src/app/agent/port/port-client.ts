/**
 * The client of a server's port. A command uses the server's agent through it in the same way as an agent in its own
 * process.
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
  /** How long to wait for a new server after the last one ended. Milliseconds. */
  readonly patienceMs?: number;
}

// Milliseconds.
const defaultPatienceMs = 10_000;
const greetingPatienceMs = 5_000;
const retryMs = 100;

const isTurn = ({ type }: AgentMessage): boolean =>
  type === 'start_run' || type === 'workspace_event' || type === 'resume';

/** Null: no server has the workspace open. Throws `run_state` if the server is silent or of another version. */
export async function connectPort(request: PortRequest): Promise<PortClient | null> {
  const { patienceMs = defaultPatienceMs } = request;
  const firstConnection = await connectToServer(request, patienceMs);
  if (firstConnection === null) return null;
  let socket: Socket | null = null;
  let isClosed = false;
  let lostError: SondeError | null = null;
  let onOutput: (output: unknown) => void = () => {};
  /** Messages that got no reply, or whose turn has not ended. They are sent again to the next server. */
  const openMessages = new Map<string, AgentMessage>();

  const client = agentClient({
    send(value) {
      const message = value as AgentMessage;
      if (typeof message?.id === 'string') openMessages.set(message.id, message);
      if (lostError !== null) queueMicrotask(() => client.endAll(lostError!));
      else if (socket !== null) sendLine(socket, value);
    },
    onMessage(listener) {
      onOutput = listener;
    },
  });

  function receive(value: unknown): void {
    const output = value as AgentOutput;
    if (output?.type === 'reply' && output.id !== null) {
      const message = openMessages.get(output.id);
      if (message !== undefined && (output.status === 'error' || !isTurn(message)))
        openMessages.delete(output.id);
    }
    if (output?.type === 'event' && output.event?.kind === 'turn_ended') openMessages.delete(output.request);
    onOutput(value);
  }

  function attach({ socket: newSocket }: PortConnection): void {
    socket = newSocket;
    onJsonLine(newSocket, receive);
    const onLost = (): void => {
      if (isClosed || socket !== newSocket) return;
      socket = null;
      void reconnect();
    };
    newSocket.on('close', onLost);
    for (const message of openMessages.values()) sendLine(newSocket, message);
    newSocket.resume();
    if (newSocket.destroyed) onLost();
  }

  async function reconnect(): Promise<void> {
    for (const message of openMessages.values())
      if (isTurn(message) && 'thread_id' in message)
        onOutput({
          ...{ type: 'waiting', thread_id: message.thread_id, request: message.id },
          ...{ behind: 'server', questions: [] },
        });
    try {
      const nextConnection = await connectToServer({ ...request, hadServer: true }, patienceMs);
      if (isClosed) nextConnection?.socket.destroy();
      else if (nextConnection !== null) attach(nextConnection);
    } catch (thrown) {
      lostError = thrown as SondeError;
      client.endAll(lostError);
    }
  }
  attach(firstConnection);
  onOutput({ type: 'lifecycle', state: 'ready', message: '' });
  return {
    client,
    greeting: firstConnection.greeting,
    close() {
      isClosed = true;
      socket?.destroy();
    },
  };
}

interface PortConnection {
  readonly socket: Socket;
  readonly greeting: PortGreeting;
}

/** `hadServer`: a connection was lost before, so it waits until the next server listens. */
async function connectToServer(
  { workspace, version, signal, hadServer = false }: PortRequest & { readonly hadServer?: boolean },
  patienceMs: number,
): Promise<PortConnection | null> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const connection = await readGreeting(portPath(workspace));
    if (connection !== null && connection.greeting.version === version) return connection;
    if (connection !== null) {
      connection.socket.destroy();
      throw versionError(workspace, connection.greeting.version, version);
    }
    if (!hadServer && !isServed(workspace)) return null;
    if (signal?.aborted === true)
      throw new SondeError('cancelled', { message: 'The wait for the server was cancelled' });
    if (performance.now() > deadline)
      throw hadServer && !isServed(workspace) ? serverGoneError() : silentServerError(workspace);
    await sleep(retryMs);
  }
}

/** Connects and reads the greeting. Null: no server listens, or it sent no valid greeting in time. */
async function readGreeting(path: string): Promise<PortConnection | null> {
  if (!findOwnSocket(path)) return null;
  const socket = connect(path);
  const greeting = Promise.withResolvers<PortConnection | null>();
  const timer = setTimeout(() => greeting.resolve(null), greetingPatienceMs);
  socket.once('error', () => greeting.resolve(null));
  socket.once('close', () => greeting.resolve(null));
  onJsonLine(socket, (value) => {
    const parsedGreeting = portGreeting.safeParse(value);
    if (!parsedGreeting.success) return greeting.resolve(null);
    // The connection's own listener reads what follows the greeting.
    socket.pause();
    socket.removeAllListeners('data');
    greeting.resolve({ socket, greeting: parsedGreeting.data });
  });
  const portConnection = await greeting.promise;
  clearTimeout(timer);
  if (portConnection === null) socket.destroy();
  return portConnection;
}

/** Whether the socket exists. Throws if other users can open it, since they could read everything that is sent. */
function findOwnSocket(path: string): boolean {
  if (process.platform === 'win32') return true;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stats.isSocket() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0) return true;
  throw new SondeError('run_state', {
    message: `${path} is not a socket that only you can use`,
    remedy: 'Talk with the server as the user who started it; if none runs, remove it.',
  });
}

const versionError = (workspace: string, serverVersion: string, ownVersion: string): SondeError =>
  new SondeError('run_state', {
    message: `The server of ${workspace} is Sonde ${serverVersion.slice(0, 40)}, and this is ${ownVersion}`,
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
