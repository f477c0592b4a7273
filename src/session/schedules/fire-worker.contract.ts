/**
 * A runner to be killed: it starts a turn by writing a line to a file, unless the fire has one there already, and
 * takes a while over it. Started as `node fire-worker.contract.ts DATABASE STARTED`.
 */
import { appendFileSync, existsSync, linkSync, mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../core/index.ts';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { scheduleRunner } from './runner.ts';

const [database, started] = process.argv.slice(2);

if (database !== undefined && started !== undefined) {
  const db = openDatabase({ path: database, schemas: [], busyMs: 10_000 });
  const { schedules, queue } = openSessionsIn(db);
  mkdirSync(started, { recursive: true });
  const runner = scheduleRunner({
    schedules,
    queue,
    clock: systemClock,
    signal: new AbortController().signal,
    async deliver({ fire }) {
      appendFileSync(`${started}.delivered`, `${fire.id} ${process.pid}\n`);
      const mark = join(started, fire.id.replaceAll('/', '-'));
      // A turn's id is the fire's: it is started once, and found by whoever comes after.
      if (!existsSync(mark)) {
        // Whole or not at all, whenever this process is killed; throws where another one was faster.
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
