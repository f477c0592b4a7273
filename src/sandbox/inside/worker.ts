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
import { warmUp } from './warm-up.ts';

/** One thread, which holds one session at a time and takes one command after another, without an event loop. */

/** A report whose reply is still text. */
type Done = DoneReport & { readonly reply?: string | null };

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

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const json = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
const done = ({ reply, ...report }: Done) => {
  const text = JSON.stringify(report);
  // The reply is JSON already.
  channel.send('done', encoder.encode(reply == null ? text : `{"reply":${reply},${text.slice(1)}`));
};
const noSession = (): Done => ({ ok: false, problem: lost ?? '', lost: true });

const session = new GuestSession(start, host);
/** Why no session is open; null while one is. */
let lost: string | null = 'no session is open';
let quitting = false;

/** Obeys a command; what is to be reported when it is done. */
function obey(message: Message): Done {
  switch (message.kind) {
    case 'open': {
      const { seed, first } = json(message.bytes) as OpenCommand;
      session.begin(seed);
      lost = null;
      return { ok: true, ...session.run(first) };
    }
    case 'restore': {
      const restored = session.restore(message.bytes);
      if ('problem' in restored) return { ok: false, lost: false, ...restored };
      lost = null;
      return { ok: true, ...restored };
    }
    case 'run':
      if (lost !== null) return noSession();
      return { ok: true, ...session.run(json(message.bytes) as RunCommand) };
    case 'checkpoint':
      if (lost !== null) return noSession();
      channel.send('image', session.checkpoint(decoder.decode(message.bytes)));
      return { ok: true };
    case 'warm':
      if (lost === null) return { ok: false, problem: 'a session is open', lost: false };
      warmUp(session);
      return { ok: true };
    case 'close':
      lost = 'the session was closed';
      return { ok: true };
    default:
      return { ok: false, problem: `a worker takes no ${message.kind}`, lost: false };
  }
}

/** What is done after a report was sent, so that nobody waits for it. */
function tidy(kind: Message['kind']): void {
  if (kind === 'close') session.end();
  else if (lost === null) session.settle();
}

/** False where the session was lost. */
function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    lost = thrown instanceof SessionLost ? text : `the worker failed: ${text}`;
    return false;
  }
}

channel.send('ready', new Uint8Array(0));
while (!quitting) {
  const message = channel.receive();
  if (!message || message.kind === 'quit') break;
  if (!attempt(() => done(obey(message)))) done(noSession());
  attempt(() => tidy(message.kind));
}
