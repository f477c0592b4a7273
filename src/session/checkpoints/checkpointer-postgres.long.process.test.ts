/** LangGraph's own suite, over conversations in PostgreSQL. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sessions, ThreadLease } from '../../store/index.ts';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { openPostgresSessions } from '../../store/postgres/sessions/postgres-sessions.ts';
import { ThreadCheckpointer } from './checkpointer.ts';

// LangGraph's suite expects them as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { deltaChannelHistoryTests, validate } = await import('@langchain/langgraph-checkpoint-validation');

describe.skipIf(noPostgres() !== null)('PostgreSQL', () => {
  let postgres: TestPostgres;
  const opened: Sessions[] = [];
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(async () => {
    await Promise.all(opened.map((sessions) => sessions.close()));
    await postgres?.close();
  });

  function checkpointer(): ThreadCheckpointer {
    const sessions = openPostgresSessions({ ...postgres.fresh(), maxConnections: 1 });
    opened.push(sessions);
    const { threads, checkpoints } = sessions;
    const leases = new Map<string, Promise<ThreadLease>>();
    async function take(thread: string): Promise<ThreadLease> {
      if (!(await threads.has(thread))) await threads.create({ id: thread });
      return threads.acquire(thread);
    }
    function leaseOf(thread: string): Promise<ThreadLease> {
      const lease = leases.get(thread) ?? take(thread);
      leases.set(thread, lease);
      return lease;
    }
    return new ThreadCheckpointer({ checkpoints, leaseOf });
  }

  async function destroyCheckpointer(): Promise<void> {
    for (const sessions of opened.splice(0)) await sessions.close();
  }

  const initializer = {
    checkpointerName: 'ThreadCheckpointer',
    createCheckpointer: checkpointer,
    destroyCheckpointer,
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
});
