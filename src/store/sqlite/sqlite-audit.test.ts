import { auditContract } from '../audit.contract.ts';
import { openDatabase } from '../database.ts';
import { openStoreIn } from '../open-store.ts';
import { openSessionsIn } from '../sessions/open-sessions.ts';
import { openAuditIn } from './sqlite-audit.ts';

auditContract('SQLite', async () => {
  const db = openDatabase({ path: ':memory:', schemas: [] });
  const [store, sessions] = [openStoreIn(db), openSessionsIn(db)];
  return {
    ...{ store, sessions, audit: openAuditIn(db) },
    async tryRawSql(sql) {
      db.run(sql);
    },
    async close() {
      await sessions.close();
      await store.close();
      db.close();
    },
  };
});
