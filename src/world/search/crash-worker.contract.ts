/**
 * A worker to be killed: writes into a world and follows with the index, without end. It says on standard output
 * when it has begun. `node crash-worker.contract.ts DATABASE INDEX SEED`.
 */
import { writeSync } from 'node:fs';
import type { Caller } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../open-world.ts';
import type { WorldOperation } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { openPageSearch } from './open-page-search.ts';

export const words = ['zebra', 'okapi', 'quagga', 'walrus', 'pangolin', 'tapir'];

const caller: Caller = { kind: 'user', name: 'worker', device: 'here', thread: null, channel: null };

async function work(path: string, directory: string, seed: number): Promise<void> {
  const world = openWorld(openDatabase({ path, schemas: [], busyMs: 10_000 }));
  const search = openPageSearch({ world, directory });
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state % below;
  };
  const text = () => `${Array.from({ length: 6 }, () => words[random(words.length)]).join(' ')}.\n`;
  const write = (operation: WorldOperation): void =>
    void world.submit(worldWrite({ operation, caller, source: 'worker', idempotencyKey: null }));
  for (let step = 0; ; step++) {
    const path = `Page ${random(40)}`;
    const page = world.page(path);
    if (page === null) write({ op: 'create_page', path, text: text() });
    else {
      const kind = random(4);
      if (kind === 0) write({ op: 'delete_page', page: page.id });
      else if (kind === 1) write({ op: 'move_page', page: page.id, to: `Page ${random(40)}` });
      else write({ op: 'update_page', page: page.id, text: text() });
    }
    if (step % 3 === 0) await search.follow();
    if (step === 0) writeSync(1, 'begun\n');
  }
}

const [database, directory, seed] = process.argv.slice(2);
if (database !== undefined && directory !== undefined) await work(database, directory, Number(seed));
