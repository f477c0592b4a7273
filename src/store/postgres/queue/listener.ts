/** A connection that receives notices. If it breaks, it is opened again, and listeners get `missed`. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { HostNotice } from '../../host-channel.ts';
import { type PostgresOptions, poolOptions } from '../connection.ts';

export interface Listener {
  listen(listener: (said: HostNotice) => void): () => void;
  close(): Promise<void>;
}

/** Milliseconds between checks of the connection, since a broken network is not reported. */
const checkMs = 5_000;
const pauseMs = 500;

/** Connects at the first `listen`. */
export function openListener(options: PostgresOptions): Listener {
  const { schema = 'sonde' } = options;
  const listeners = new Set<(said: HostNotice) => void>();
  const closed = new AbortController();
  let connecting: Promise<void> | null = null;

  function notifyListeners(hostNotice: HostNotice): void {
    for (const listener of listeners) listener(hostNotice);
  }

  /** Opens one connection, and resolves when it has ended. */
  async function connectOnce(): Promise<void> {
    const client = new pg.Client(poolOptions(options));
    const connectionEnd = Promise.withResolvers<void>();
    client.on('error', () => connectionEnd.resolve());
    client.on('end', () => connectionEnd.resolve());
    client.on('notification', ({ payload = '' }) => {
      try {
        notifyListeners(JSON.parse(payload) as HostNotice);
      } catch {
        // Another version of Sonde sent it: ignored.
      }
    });
    const end = (): void => connectionEnd.resolve();
    closed.signal.addEventListener('abort', end, { once: true });
    let checkTimer: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(schema)}`);
      notifyListeners({ kind: 'missed' });
      checkTimer = setInterval(() => client.query('SELECT 1').catch(end), checkMs);
      await connectionEnd.promise;
    } catch {
      // `reconnect` tries again.
    } finally {
      clearInterval(checkTimer);
      closed.signal.removeEventListener('abort', end);
      await client.end().catch(() => {});
    }
  }

  async function reconnect(): Promise<void> {
    while (!closed.signal.aborted) {
      await connectOnce();
      await sleep(pauseMs, undefined, { signal: closed.signal }).catch(() => {});
    }
  }

  return {
    listen(listener) {
      listeners.add(listener);
      connecting ??= reconnect();
      return () => void listeners.delete(listener);
    },
    async close() {
      closed.abort();
      await connecting;
    },
  };
}
