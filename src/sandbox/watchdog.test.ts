import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Message, MessageKind, RunReport } from './inside/protocol.ts';
import { defaultLimits, mergeLimits } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { Watchdog } from './watchdog.ts';
import type { WorkerConnection } from './worker-host.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a watchdog', () => {
  test('fires once after its time', () => {
    const fire = vi.fn();
    new Watchdog(fire).start(100);
    vi.advanceTimersByTime(99);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(fire).toHaveBeenCalledOnce();
  });
  test('does not count while it is paused, and starts anew', () => {
    const fire = vi.fn();
    const watchdog = new Watchdog(fire);
    watchdog.start(100);
    vi.advanceTimersByTime(90);
    watchdog.pause();
    vi.advanceTimersByTime(10_000);
    watchdog.resume();
    vi.advanceTimersByTime(99);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledOnce();
  });
  test('stopped, it never fires', () => {
    const fire = vi.fn();
    const watchdog = new Watchdog(fire);
    watchdog.start(100);
    watchdog.stop();
    vi.advanceTimersByTime(1000);
    expect(fire).not.toHaveBeenCalled();
  });
});

/** A worker that opens sessions and then does as `answer` says, or says nothing. */
class StubWorker implements WorkerConnection {
  readonly ended: Promise<string>;
  readonly processNumber = 0;
  ends = 0;
  #listener: (message: Message) => void = () => {};
  #resolve: (reason: string) => void;
  readonly #answer: (kind: MessageKind) => Message | null;

  constructor(answer: (kind: MessageKind) => Message | null) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#answer = answer;
  }

  send(kind: MessageKind): void {
    const message = kind === 'open' ? done({ ok: true }) : this.#answer(kind);
    if (message) queueMicrotask(() => this.#listener(message));
  }
  listen(listener: (message: Message) => void): void {
    this.#listener = listener;
  }
  nextSerial = () => 1;
  cancel(): void {}
  async end(): Promise<void> {
    this.ends++;
    this.#resolve('the stub was ended');
  }
}

const done = (report: object, reply?: object): Message => ({
  kind: 'done',
  text: JSON.stringify(report),
  bytes: Buffer.from(reply ? JSON.stringify(reply) : ''),
});
const report: Omit<RunReport, 'excesses'> & { excesses: [] } = {
  killed: null,
  excesses: [],
  stdout: { head: '', tail: '', bytes: 0, leftOut: 0 },
  stderr: { head: '', tail: '', bytes: 0, leftOut: 0 },
  fuel: 1,
  wallMs: 1,
  hostMs: 0,
  calls: 0,
  memoryBytes: 1,
  clock: null,
};
const limits = mergeLimits(defaultLimits, { wall_ms: 1000 });
const image = { interpreter: 'i', library: 'l', snapshot: 's' };

async function open(worker: StubWorker, operations = {}): Promise<LiveSession> {
  const session = new LiveSession(worker, image, { operations }, limits, async () => {});
  await session.begin('stub');
  return session;
}

describe('a worker that does not answer', () => {
  test('is ended some time after the limit, and the cell fails', async () => {
    const worker = new StubWorker(() => null);
    const session = await open(worker);
    const cell = session.execute('1');
    const outcome = expect(cell).rejects.toMatchObject({
      code: 'sandbox_ended',
      message: expect.stringContaining('stopped answering'),
    });
    await vi.advanceTimersByTimeAsync(limits.wall_ms);
    expect(worker.ends).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    await outcome;
    expect(worker.ends).toBe(1);
  });

  test('waiting for an operation of the host is not counted', async () => {
    const { promise, resolve } = Promise.withResolvers<null>();
    const worker = new StubWorker((kind) => {
      if (kind === 'run') return { kind: 'call', text: '', bytes: Buffer.from('["slow",{}]') };
      return kind === 'answer' ? done({ ok: true, run: report }, { status: 'ok' }) : null;
    });
    const session = await open(worker, { slow: () => promise });
    const cell = session.execute('call_host("slow")');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(worker.ends).toBe(0);
    resolve(null);
    expect(await cell).toMatchObject({ kind: 'ok' });
  });

  test('closing does not wait for it for ever', async () => {
    const session = await open(new StubWorker(() => null));
    const closed = session.close();
    await vi.advanceTimersByTimeAsync(60_000);
    await closed;
  });
});
