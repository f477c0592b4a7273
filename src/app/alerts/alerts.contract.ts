/** Fixtures for tests of the alert intake: a database with its queue, records and groups. */
import { manualClock, type SystemMask } from '../../core/index.ts';
import {
  type Claim,
  type Database,
  type Holder,
  openDatabase,
  openQueueIn,
  thisProcess,
} from '../../store/index.ts';
import { fileRecords } from './file-records.ts';
import { alertGroups, groupTopic } from './groups.ts';
import { alertQueue, type Receipt } from './queue.ts';
import { alertsSchema } from './schema.ts';

export const quietMs = 60_000;

/** The holder of a dead process: this process's id with another start time. */
export const deadHolder: Holder = { ...thisProcess(), started: '1' };

export const alert = (name: string, more: object = {}): string =>
  JSON.stringify({ alertname: name, service: 'orders', ...more });

export function openIntake({ max = 1_000, path = ':memory:' }: { max?: number; path?: string } = {}) {
  const db = openDatabase({ path, schemas: [alertsSchema], busyMs: 5_000 });
  return { ...openIntakeIn(db, { max }), db };
}

export function openIntakeIn(
  db: Database,
  { max = 1_000, holder = thisProcess(), mask }: { max?: number; holder?: Holder; mask?: SystemMask } = {},
) {
  const clock = manualClock(1_000_000);
  const jobs = openQueueIn(db, { clock, holder });
  const records = fileRecords(db, clock);
  const queue = alertQueue({ records, queue: jobs, max, quietMs: quietMs, ...(mask && { mask }) });
  const groups = alertGroups(records, jobs);
  const receive = async (sent: string): Promise<Receipt> => (await queue.receive([queue.prepare(sent)]))[0]!;
  /** Claims the oldest waiting group, as a worker that starts its investigation. */
  async function start(run: string): Promise<Claim> {
    const [claim] = await jobs.claim({ topic: groupTopic, max: 1 });
    await jobs.renew(claim!, { run });
    return claim!;
  }
  const fail = (claim: Claim, message: string) =>
    jobs.settle(claim, { kind: 'failed', error: { code: 'tool_failed', message } });
  return { queue, jobs, records, groups, clock, receive, start, fail };
}
