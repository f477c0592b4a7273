import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Message, MessageKind } from './inside/protocol.ts';
import type { WorkerConnection, WorkerHost } from './worker-host.ts';
import { WorkerPool } from './worker-pool.ts';

const done: Message = { kind: 'done', text: '', bytes: Buffer.from('{"ok":true}') };

/** A host whose workers start when they are let, and note what they are told. */
class StubHost implements WorkerHost {
  readonly starting: (() => void)[] = [];
  readonly started: (WorkerConnection & { readonly told: readonly MessageKind[] })[] = [];
  ended = 0;
  /** Its workers never come to their end. */
  slow = false;
  ending = 0;
  /** Of the workers that are started from now on. */
  processNumber = 1;

  connect(): Promise<WorkerConnection> {
    const told: MessageKind[] = [];
    let listener: (message: Message) => void = () => {};
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const connection = {
      told,
      ended,
      processNumber: this.processNumber,
      send: (kind: MessageKind) => {
        told.push(kind);
        if (kind === 'warm') queueMicrotask(() => listener(done));
      },
      listen: (next: typeof listener) => {
        listener = next;
      },
      nextSerial: () => 1,
      cancel: () => {},
      end: async () => {
        this.ending++;
        if (this.slow) await new Promise(() => {});
        this.ended++;
        resolve('ended');
      },
    };
    return new Promise((resolved) => {
      this.starting.push(() => {
        this.started.push(connection);
        resolved(connection);
      });
    });
  }
  async letStart(): Promise<void> {
    for (const start of this.starting.splice(0)) start();
    for (let i = 0; i < 3; i++) await turn();
  }
  facts = () => [];
  close = async () => {};
}

/** Of those that have come by now. */
const settledOf = async <Value>(all: readonly Promise<Value>[]): Promise<readonly Value[]> => {
  const values: Value[] = [];
  for (const each of all) void each.then((value) => values.push(value));
  await turn();
  return values;
};

describe('a pool of workers', () => {
  test('the first session gets the first worker as it is; another is warmed meanwhile', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 2);
    const first = pool.take();
    await host.letStart();
    expect(await first).toBe(host.started[0]);
    expect(host.started[0]?.told).toEqual([]);
    await host.letStart();
    expect(host.started[1]?.told).toEqual(['warm']);
    expect(await pool.take()).toBe(host.started[1]);
  });

  test('sessions one after another use one worker, and start none besides', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 2);
    for (let i = 0; i < 10; i++) {
      const taken = pool.take();
      await host.letStart();
      await host.letStart();
      await pool.giveBack(await taken, true);
    }
    expect([host.started.length, host.ended]).toEqual([2, 0]);
  });

  test('more at once than are kept: those beyond are ended, and so is one that is worn', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 2);
    const taken = Array.from({ length: 5 }, () => pool.take());
    for (let i = 0; i < 3; i++) await host.letStart();
    const connections = await Promise.all(taken);
    expect(new Set(connections).size).toBe(5);
    await pool.giveBack(connections[0]!, false);
    for (const connection of connections.slice(1)) await pool.giveBack(connection, true);
    // Two wait: the one that was made ready besides, and one of the five.
    expect([host.started.length, host.ended]).toEqual([6, 4]);
  });

  test('those of the first process are kept, so that the others can end', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 2);
    const taken: Promise<WorkerConnection>[] = [];
    for (const processNumber of [1, 2, 3]) {
      host.processNumber = processNumber;
      taken.push(pool.take(), pool.take());
    }
    for (let i = 0; i < 3; i++) await host.letStart();
    const connections = await Promise.all(taken);
    for (const connection of connections.toReversed()) await pool.giveBack(connection, true);
    expect([(await pool.take()).processNumber, (await pool.take()).processNumber]).toEqual([1, 1]);
  });

  test('none is kept, or made besides, where none is wanted', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 0);
    const taken = pool.take();
    await host.letStart();
    await pool.giveBack(await taken, true);
    expect([host.started.length, host.ended]).toEqual([1, 1]);
  });

  test('one that fails to start fails whoever waits for it; the next tries again', async () => {
    const host = new StubHost();
    const connect = host.connect.bind(host);
    host.connect = () => Promise.reject(new Error('no room'));
    const pool = new WorkerPool(host, 2);
    await expect(pool.take()).rejects.toThrow('no room');
    host.connect = connect;
    const taken = pool.take();
    await host.letStart();
    expect(await taken).toBe(host.started[0]);
  });

  test('one that ends while it waits is not handed out', async () => {
    const host = new StubHost();
    const pool = new WorkerPool(host, 2);
    await host.letStart();
    await host.started[0]?.end();
    await turn();
    const taken = pool.take();
    await host.letStart();
    expect(await taken).toBe(host.started[1]);
  });

  test('who asks while one too many ends does not wait for that one', async () => {
    const host = new StubHost();
    host.slow = true;
    const pool = new WorkerPool(host, 2);
    const first = pool.take();
    await host.letStart();
    const [second, third] = [pool.take(), pool.take()];
    await host.letStart();
    await pool.giveBack(await first, true);
    await pool.giveBack(await second, true);
    await third;
    // One more is made ready meanwhile. It is one too many, and takes its time to end.
    const begun = host.starting.length;
    await host.letStart();
    expect([begun, host.ending]).toEqual([1, 1]);
    const again = Array.from({ length: 4 }, () => pool.take());
    for (let i = 0; i < 3; i++) await host.letStart();
    expect(new Set(await settledOf(again)).size).toBe(4);
  });
});
