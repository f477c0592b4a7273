/** Submits the writes of several files and stores their records, in one transaction. */
import type { AcceptedWrite, RefusedWrite, WorldWrite } from '../world-write.ts';
import type { Workspace } from './vault.ts';

/** Maximum number of files in one transaction. */
export const maxFiles = 200;

export function* slices<Value>(values: readonly Value[], size: number): Generator<readonly Value[]> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size);
}

export interface BatchItem {
  /** Null: there is nothing to write, and only `remember` is called. */
  readonly write: WorldWrite | null;
  /** Called in the transaction. False if the input has changed: the item is then skipped. */
  isCurrent?(): boolean;
  /** Called after the transaction if the item was skipped. */
  onOutdated?(): void;
  /** Called in the transaction, with the result of the write; null if there was no write. */
  remember(result: AcceptedWrite | null): void;
  /** Called with the refusal of this item, after its transaction was rolled back. */
  onRefused(why: RefusedWrite): void;
}

/** Thrown to roll back a transaction because of a refusal. */
class RollBack extends Error {
  readonly refused: RefusedWrite;

  constructor(refused: RefusedWrite) {
    super(refused.message);
    this.refused = refused;
  }
}

/** Submits all writes in one transaction. If one is refused, submits them one by one, so that the others succeed. */
export function submitBatch(workspace: Workspace, items: readonly BatchItem[]): void {
  if (items.length === 0 || trySubmit(workspace, items) === null) return;
  for (const item of items) {
    const refused = trySubmit(workspace, [item]);
    if (refused !== null) item.onRefused(refused);
  }
}

function trySubmit({ world, database }: Workspace, items: readonly BatchItem[]): RefusedWrite | null {
  try {
    const outdated = database.atomic(() => {
      const current = items.filter((item) => item.isCurrent?.() !== false);
      const writes = current.flatMap(({ write }) => (write === null ? [] : [write]));
      const results = writes.length === 0 ? [] : world.submitAll(writes);
      if ('kind' in results) throw new RollBack(results);
      let nextResult = 0;
      for (const item of current) {
        const result = item.write === null ? null : results[nextResult++]!;
        if (result?.kind === 'refused') throw new RollBack(result);
        item.remember(result);
      }
      return items.filter((item) => !current.includes(item));
    });
    for (const item of outdated) item.onOutdated?.();
    return null;
  } catch (error) {
    if (error instanceof RollBack) return error.refused;
    throw error;
  }
}
