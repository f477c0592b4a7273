/**
 * A process for crash tests: writes into a world, one write or one batch at a time, until it is killed, and prints each
 * acknowledged step as a line of JSON. `node crash-worker.contract.ts PATH NAME FROM`.
 */
import { writeSync } from 'node:fs';
import type { Caller } from '../core/index.ts';
import { openDatabase } from '../store/index.ts';
import { openWorld } from './open-world.ts';
import type { World } from './world.ts';
import type { WorldOperation, WorldWrite } from './world-write.ts';
import { worldWrite } from './write/make-write.ts';

export const batchSize = 5;
export const sourcePath = 'Source';

export interface AcknowledgedStep {
  readonly step: number;
  readonly keys: readonly string[];
  readonly write_ids: readonly string[];
  readonly repeated: boolean;
}

/**
 * The writes of a step, which are the same whenever the step runs. Every fifth step is a batch, every fifth is held.
 */
function writesOf(world: World, name: string, step: number): readonly WorldWrite[] {
  const caller: Caller = {
    kind: 'agent',
    name,
    device: `${process.pid}`,
    thread: null,
    channel: null,
  };
  const source = world.page(sourcePath)!.id;
  const write = (operation: WorldOperation, part = '') =>
    worldWrite({
      operation,
      caller,
      source: 'worker',
      idempotencyKey: `${name}-${step}${part}`,
      derivedFrom: [source],
    });
  const page = (path: string): WorldOperation => ({
    op: 'create_page',
    path,
    text: `---\ntags: [t]\n---\n# ${path}\n\nSee [[${sourcePath}]].\n\nThird.\n`,
  });
  const first = world.page(`${name}/${step - (step % 5)}`);
  switch (step % 5) {
    case 0:
      return [write(page(`${name}/${step}`))];
    case 1:
      return [write({ op: 'set_properties', page: first!.id, set: { step } })];
    case 2:
      return [write({ op: 'add_block', page: first!.id, text: `Step ${step} #u.` })];
    case 3:
      return Array.from({ length: batchSize }, (_, part) =>
        write(page(`${name}/${step}/${part}`), `/${part}`),
      );
    default:
      return [write({ op: 'set_properties', page: source, set: { [name]: step } })];
  }
}

function work(path: string, name: string, from: number): void {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const world = openWorld(db);
  for (let step = from; ; step += 1) {
    const writes = writesOf(world, name, step);
    const results = writes.length === 1 ? [world.submit(writes[0]!)] : world.submitAll(writes);
    if ('kind' in results) throw new Error(results.message);
    const accepted = results.map((result) => {
      if (result.kind === 'refused') throw new Error(`step ${step}: ${result.message}`);
      return result;
    });
    const acknowledged: AcknowledgedStep = {
      step,
      keys: writes.map(({ idempotency_key }) => idempotency_key!),
      write_ids: accepted.map(({ write_id }) => write_id),
      repeated: accepted.every(({ repeated }) => repeated),
    };
    writeSync(1, `${JSON.stringify(acknowledged)}\n`);
  }
}

const [path, name, from] = process.argv.slice(2);
if (path !== undefined && name !== undefined) work(path, name, Number(from));
