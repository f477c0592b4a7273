/**
 * A worker that tests kill: it advances a thread step by step, and prints each step that it begins as a JSON line.
 * Started as `node crash-worker.contract.ts MODE PATH STEPS DURABILITY`.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { isSondeError } from '../core/index.ts';
import { openDatabase, openSessionsIn } from '../store/index.ts';
import { ThreadCheckpointer } from './checkpoints/checkpointer.ts';

const [mode, path, steps, durability] = process.argv.slice(2);

const pausedLeaseMs = 400;
/**
 * At this step a worker that a test pauses waits for a line on standard input. A worker that is paused during a write
 * would lock out all others.
 */
export const pauseStep = 20;

function printLine(line: Record<string, unknown>): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const Channels = Annotation.Root({
  items: Annotation<readonly { readonly step: number; readonly text: string }[]>({
    reducer: (items, more) => items.concat(more),
    default: () => [],
  }),
  step: Annotation<number>(),
});

async function work(database: string, last: number): Promise<void> {
  const db = openDatabase({ path: database, schemas: [], busyMs: 10_000 });
  const sessions = openSessionsIn(db, mode === 'pause' ? { leaseMs: pausedLeaseMs } : {});
  if (!(await sessions.threads.has('thread'))) await sessions.threads.create({ id: 'thread' });
  const lease = await sessions.threads.acquire('thread');
  printLine({ fence: lease.fence });
  const checkpointer = new ThreadCheckpointer({
    checkpoints: sessions.checkpoints,
    leaseOf: () => lease,
    // What is left after a kill must not depend on it.
    unsynced: durability === 'async',
  });
  const graph = new StateGraph(Channels)
    .addNode('work', async ({ step }) => {
      printLine({ step });
      // Some steps wait for something, some don't.
      if (mode === 'pause' && step === pauseStep) await once(process.stdin, 'data');
      else if (step % 3 === 0) await sleep(2);
      return { items: [{ step, text: `${step} `.repeat(step % 7 === 0 ? 2000 : 20) }], step: step + 1 };
    })
    .addEdge(START, 'work')
    .addConditionalEdges('work', ({ step }) => (step < last ? 'work' : END), ['work', END])
    .compile({ checkpointer });
  const config = {
    configurable: { thread_id: 'thread' },
    recursionLimit: last + 10,
    durability: durability as 'sync' | 'async',
  };
  const { values, next } = await graph.getState(config);
  const begun = values['step'] !== undefined;
  if (begun && next.length === 0) printLine({ done: true });
  else {
    await graph.invoke(begun ? null : { items: [], step: 0 }, config);
    printLine({ done: true });
  }
  sessions.close();
  db.close();
}

if (path !== undefined) {
  try {
    await work(path, Number(steps));
  } catch (error) {
    printLine({ failed: isSondeError(error) ? error.code : String(error) });
  }
}
