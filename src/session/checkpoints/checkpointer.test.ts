import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openSessionsIn } from '../../store/index.ts';
import { ThreadCheckpointer } from './checkpointer.ts';

// LangGraph's suite expects them as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { deltaChannelHistoryTests, validate } = await import('@langchain/langgraph-checkpoint-validation');

function checkpointer(): ThreadCheckpointer {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  const { threads, checkpoints } = openSessionsIn(db);
  const leases = new Map<string, ReturnType<typeof threads.acquire>>();
  async function take(thread: string) {
    if (!(await threads.has(thread))) await threads.create({ id: thread });
    return threads.acquire(thread);
  }
  function leaseOf(thread: string) {
    const lease = leases.get(thread) ?? take(thread);
    leases.set(thread, lease);
    return lease;
  }
  return new ThreadCheckpointer({ checkpoints, leaseOf });
}

const initializer = { checkpointerName: 'ThreadCheckpointer', createCheckpointer: checkpointer };
validate(initializer);
deltaChannelHistoryTests(initializer);
