import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../database.ts';
import { thisProcess } from '../holder.ts';
import { queueContract } from '../queue/queue.contract.ts';
import { openQueueIn } from './sqlite-queue.ts';

queueContract('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-queue-'));
  const opened: Database[] = [];
  return {
    open({ dead = false, ...options }) {
      const db = openDatabase({ path: join(folder, 'sonde.db'), schemas: [], busyMs: 1000 });
      opened.push(db);
      // A process of this number that started at another time.
      return openQueueIn(db, { ...options, ...(dead && { holder: { ...thisProcess(), started: '1' } }) });
    },
    remove() {
      for (const db of opened) db.close();
      rmSync(folder, { recursive: true });
    },
  };
});
