import { workerData } from 'node:worker_threads';
import { GuestSession, SessionLost } from './guest-session.ts';
import { pipeChannel } from './pipe-channel.ts';
import { portChannel } from './port-channel.ts';
import {
  type Channel,
  type DoneReport,
  type Message,
  noBytes,
  type OpenCommand,
  type RunCommand,
  signalWord,
  type WorkerStart,
} from './protocol.ts';
import { warmUp } from './warm-up.ts';

/** The program of a worker thread: it serves one session at a time, command by command, without an event loop. */

/** The result of a command: a report, and the driver's reply. */
interface CommandResult {
  readonly report: DoneReport;
  readonly reply?: Uint8Array | null;
}

const start = workerData as WorkerStart;
const channel: Channel =
  'port' in start.connection
    ? portChannel(start.connection.port, start.signals)
    : pipeChannel(start.connection.descriptor);

const host = {
  call: (request: Uint8Array) => {
    channel.send('call', '', request);
    const message = channel.receive();
    if (!message || message.kind === 'quit') quitting = true;
    return message?.kind === 'answer' ? message.bytes : ('stop' as const);
  },
  isCancelled: (serial: number) => Atomics.load(start.signals, signalWord.cancel) === serial,
};

const sendDone = ({ report, reply }: CommandResult) =>
  channel.send('done', JSON.stringify(report), reply ?? noBytes);
const noSession = (): CommandResult => ({ report: { ok: false, problem: lost ?? '', lost: true } });

const session = new GuestSession(start, host);
/** Why no session is open; null while one is. */
let lost: string | null = 'no session is open';
let quitting = false;

/** Runs a command; returns what to report afterwards. */
function runMessage({ kind, text, bytes }: Message): CommandResult {
  switch (kind) {
    case 'open': {
      const { seed, first } = JSON.parse(text) as OpenCommand;
      session.begin(seed);
      lost = null;
      return runCommand(first, bytes);
    }
    case 'restore': {
      const restored = session.restore(bytes);
      if ('problem' in restored) return { report: { ok: false, lost: false, ...restored } };
      lost = null;
      return { report: { ok: true, ...restored } };
    }
    case 'run':
      if (lost !== null) return noSession();
      return runCommand(JSON.parse(text) as RunCommand, bytes);
    case 'checkpoint':
      if (lost !== null) return noSession();
      channel.send('image', '', session.checkpoint(text));
      return { report: { ok: true } };
    case 'warm':
      if (lost === null) return { report: { ok: false, problem: 'a session is open', lost: false } };
      warmUp(session);
      return { report: { ok: true } };
    case 'close':
      lost = 'the session was closed';
      return { report: { ok: true } };
    default:
      return { report: { ok: false, problem: `a worker takes no ${kind}`, lost: false } };
  }
}

function runCommand(command: RunCommand, request: Uint8Array): CommandResult {
  const { run, reply } = session.run(command, request);
  return { report: { ok: true, run }, reply };
}

/** Work after the report was sent, so that the host does not wait for it. */
function finish(kind: Message['kind']): void {
  if (kind === 'close') session.end();
  else if (lost === null) session.captureIfCostly();
}

/** Runs `work`; returns false if the session was lost. */
function runSafely(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    lost = thrown instanceof SessionLost ? text : `the worker failed: ${text}`;
    return false;
  }
}

channel.send('ready', '', noBytes);
while (!quitting) {
  const message = channel.receive();
  if (!message || message.kind === 'quit') break;
  if (!runSafely(() => sendDone(runMessage(message)))) sendDone(noSession());
  runSafely(() => finish(message.kind));
}
