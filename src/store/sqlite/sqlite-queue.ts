import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import { type Holder, thisProcess } from '../holder.ts';
import type { StoreOptions } from '../open-store.ts';
import { jobStates, type Queue } from '../queue/queue.ts';
import { type QueueRows, queueRows } from '../queue/queue-rows.ts';
import { queueSchema } from '../queue/queue-schema.ts';

export interface QueueOptions extends Pick<StoreOptions, 'clock' | 'leaseMs'> {
  /** The holder's name; by default this process. */
  readonly holder?: Holder;
}

/** Opens a queue in a database that may have other tables too. Throws what `Database.include` throws. */
export function openQueueIn(db: Database, options: QueueOptions = {}): Queue {
  return createQueue(openQueueRows(db, options));
}

export function openQueueRows(
  db: Database,
  { clock = systemClock, leaseMs = 30_000, holder = thisProcess() }: QueueOptions,
): QueueRows {
  db.include(queueSchema);
  return queueRows(db, { clock, leaseMs, holder, name: randomUUID() });
}

export function createQueue(rows: QueueRows): Queue {
  return Object.freeze({
    enqueue: async (jobs, terms) => rows.enqueue(jobs, terms),
    claim: async (request) => rows.claim(request),
    renew: async (claim, kept) => rows.renew(claim, kept),
    settle: async (claim, settlement) => rows.settle(claim, settlement),
    cancel: async (id, by) => rows.cancel(id, by),
    reopen: async (id, by) => rows.reopen(id, by),
    hasten: async (of) => rows.hasten(of),
    get: async (topic, key) => rows.findNewest(topic, key),
    find: async (id) => rows.find(id),
    list: async (query) => rows.list(query),
    async counts(topic) {
      const counts = rows.counts(topic);
      const entries = jobStates.map((state) => [state, counts.get(state) ?? 0]);
      return Object.fromEntries(entries) as Awaited<ReturnType<Queue['counts']>>;
    },
    nextDue: async (topic) => rows.nextDue(topic),
    setRule: async (rule, by) => rows.setRule(rule, by),
    rules: async (topic) => rows.rules(topic),
    announce: async (worker, forMs) => rows.announce(worker, forMs),
    workers: async () => rows.workers(),
    close: async () => rows.releaseAll(),
  } satisfies Queue);
}
