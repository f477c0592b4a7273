import { workerData } from 'node:worker_threads';
import { GuestSession, SessionLost } from './guest-session.ts';
import { pipeChannel } from './pipe-channel.ts';
import { portChannel } from './port-channel.ts';
import {
  type Channel,
  type DoneReport,
  type Message,
  type OpenCommand,
  type RunCommand,
  signalWord,
  type WorkerStart,
} from './protocol.ts';

/** One thread, which holds one session at a time and takes one command after another, without an event loop. */

const start = workerData as WorkerStart;
const channel: Channel =
  'port' in start.connection
    ? portChannel(start.connection.port, start.signals)
    : pipeChannel(start.connection.descriptor);

const host = {
  call: (request: Uint8Array) => {
    channel.send('call', request);
    const message = channel.receive();
    if (!message || message.kind === 'quit') quitting = true;
    return message?.kind === 'answer' ? message.bytes : ('stop' as const);
  },
  cancelled: (serial: number) => Atomics.load(start.signals, signalWord.cancel) === serial,
};

const json = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
const done = (report: DoneReport) => channel.send('done', new TextEncoder().encode(JSON.stringify(report)));
const noSession: DoneReport = { ok: false, problem: 'no session is open', lost: true };

let session = null as GuestSession | null;
let quitting = false;

/** Obeys a command; what is to be reported when it is done. */
function obey(message: Message): DoneReport {
  switch (message.kind) {
    case 'open':
      session = new GuestSession(start, host, (json(message.bytes) as OpenCommand).seed);
      return { ok: true };
    case 'restore': {
      const restored = GuestSession.restore(start, host, message.bytes);
      if (typeof restored === 'string') return { ok: false, problem: restored, lost: false };
      session = restored.session;
      return { ok: true, note: restored.note };
    }
    case 'run':
      if (!session) return noSession;
      return { ok: true, run: session.run(json(message.bytes) as RunCommand) };
    case 'checkpoint':
      if (!session) return noSession;
      channel.send('image', session.checkpoint(new TextDecoder().decode(message.bytes)));
      return { ok: true };
    case 'close':
      session = null;
      return { ok: true };
    default:
      return { ok: false, problem: `a worker takes no ${message.kind}`, lost: false };
  }
}

channel.send('ready', new Uint8Array(0));
while (!quitting) {
  const message = channel.receive();
  if (!message || message.kind === 'quit') break;
  try {
    done(obey(message));
    // After the report, so that nobody waits for it.
    session?.settle();
  } catch (thrown) {
    session = null;
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    const problem = thrown instanceof SessionLost ? text : `the worker failed: ${text}`;
    done({ ok: false, problem, lost: true });
  }
}
