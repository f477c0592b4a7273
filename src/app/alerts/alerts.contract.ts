/** A database for the tests of the alert intake, and who looks at it. */
import { manualClock, type SystemMask } from '../../core/index.ts';
import { type Database, type Holder, openDatabase, thisProcess } from '../../store/index.ts';
import { alertGroups } from './groups.ts';
import { alertQueue, type Receipt } from './queue.ts';

export const quiet = 60_000;

/** A process of this machine that is gone: its start was another one's. */
export const dead: Holder = { ...thisProcess(), started: '1' };

export const alert = (name: string, more: object = {}): string =>
  JSON.stringify({ alertname: name, service: 'orders', ...more });

export function intake({ most = 1_000, path = ':memory:' }: { most?: number; path?: string } = {}) {
  const db = openDatabase({ path, schemas: [], busyMs: 5_000 });
  return { ...intakeIn(db, { most }), db };
}

export function intakeIn(
  db: Database,
  { most = 1_000, holder = thisProcess(), mask }: { most?: number; holder?: Holder; mask?: SystemMask } = {},
) {
  const clock = manualClock(1_000_000);
  const queue = alertQueue({ db, clock, most, quietMs: quiet, ...(mask && { mask }) });
  /** Runs that somebody works on. */
  const held = new Set<string>();
  const groups = alertGroups({ db, clock, holder, isHeld: (run) => held.has(run) });
  const receive = (sent: string): Receipt => queue.receive([queue.prepare(sent)])[0]!;
  return { queue, groups, clock, held, receive };
}
