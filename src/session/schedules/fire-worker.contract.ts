/**
 * A runner that tests kill: it starts a turn by writing a line to a file, unless the fire has a line there already, and
 * works on it for a while. Started as `node fire-worker.contract.ts DATABASE STARTED`.
 */
import { appendFileSync, existsSync, linkSync, mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../core/index.ts';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { createScheduleRunner } from './runner.ts';

const [database, started] = process.argv.slice(2);

if (database !== undefined && started !== undefined) {
  const db = openDatabase({ path: database, schemas: [], busyMs: 10_000 });
  const { schedules, queue } = openSessionsIn(db);
  mkdirSync(started, { recursive: true });
  const runner = createScheduleRunner({
    schedules,
    queue,
    clock: systemClock,
    signal: new AbortController().signal,
    async deliver({ fire }) {
      appendFileSync(`${started}.delivered`, `${fire.id} ${process.pid}\n`);
      const mark = join(started, fire.id.replaceAll('/', '-'));
      // The id of the turn is that of the fire: it is started once, and later runners find it.
      if (!existsSync(mark)) {
        // Written as a whole or not at all, whenever this process is killed; throws if another process was faster.
        const whole = `${started}.${process.pid}`;
        writeFileSync(whole, 'started\n');
        linkSync(whole, mark);
      }
      await sleep(20);
    },
  });
  writeSync(1, 'ready\n');
  await runner.run((ms, signal) => sleep(Math.min(ms, 20), undefined, { signal }));
}
