import { type Caller, manualClock } from '../core/index.ts';
import { openDatabase } from '../store/index.ts';
import { openWorld } from './open-world.ts';
import type { World } from './world.ts';
import type { SubmitResult, WorldWrite } from './world-write.ts';
import { worldWrite } from './write/make-write.ts';

/** A world in memory for tests. It records the writes that were submitted. */
export interface ScriptedWorld extends World {
  /** Advances by one millisecond with each write. */
  readonly clock: ReturnType<typeof manualClock>;
  readonly submitted: readonly { readonly write: WorldWrite; readonly result: SubmitResult }[];
}

const author: Caller = Object.freeze({
  kind: 'user',
  name: 'author',
  device: 'memory',
  thread: null,
  channel: null,
});

/**
 * Opens a world in memory, with the given pages (text by path), which the author wrote. Its rules are those of every
 * world.
 */
export function memoryWorld(pages: Readonly<Record<string, string>> = {}): ScriptedWorld {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  const clock = manualClock(1_700_000_000_000);
  const world = openWorld(db, { clock, name: 'memory' });
  for (const [path, text] of Object.entries(pages)) {
    const operation = { op: 'create_page', path, text } as const;
    world.submit(worldWrite({ operation, caller: author, source: 'memory', idempotencyKey: null }));
  }
  const submitted: { write: WorldWrite; result: SubmitResult }[] = [];
  return Object.freeze({
    ...world,
    clock,
    submitted,
    submit(write: WorldWrite) {
      clock.advance(1);
      const result = world.submit(write);
      submitted.push({ write, result });
      return result;
    },
    submitAll(writes: readonly WorldWrite[]) {
      clock.advance(1);
      const results = world.submitAll(writes);
      if (!('kind' in results))
        submitted.push(...results.map((result, at) => ({ write: writes[at]!, result })));
      return results;
    },
    close() {
      world.close();
      db.close();
    },
  });
}
