import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../database.ts';
import { openSessionsIn } from '../sessions/open-sessions.ts';
import { sessionsContract } from '../sessions/sessions.contract.ts';

sessionsContract('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-sessions-'));
  const opened: Database[] = [];
  return {
    open(options) {
      const db = openDatabase({ path: join(folder, 'sonde.db'), schemas: [], busyMs: 1000 });
      opened.push(db);
      return openSessionsIn(db, options);
    },
    remove() {
      for (const db of opened) db.close();
      rmSync(folder, { recursive: true });
    },
  };
});
