import { describe, expect, it } from 'vitest';
import type { WorldEvent } from '../../world/index.ts';
import { importBursts } from './import-bursts.ts';

const write = (seq: number, op: string, source: string, caller_kind = 'import') =>
  ({ seq, op, caller_kind, origin_source_id: source, content_ids: [`pg-${seq}`] }) as unknown as WorldEvent;

describe('the writes of an import', () => {
  it('are one event, told once it is over, whatever it wrote', () => {
    const bursts = importBursts();
    for (let seq = 1; seq <= 1055; seq += 1)
      expect(bursts.add(write(seq, seq % 2 ? 'create_page' : 'update_page', `imp-1:a ${seq}.md`), seq)).toBe(
        true,
      );
    expect(bursts.take(1500)).toEqual([]);
    expect(bursts.lastSettled(1055)).toBe(0);
    const told = bursts.take(5000);
    expect(told.map(({ id, name }) => [id, name])).toEqual([
      ['imp-1/1', 'create_page'],
      ['imp-1/1', 'update_page'],
    ]);
    expect(told[0]!.payload).toMatchObject({ import: 'imp-1', writes: 1055, content_ids: { length: 20 } });
    expect([bursts.take(9000), bursts.lastSettled(1055)]).toEqual([[], 1055]);
  });

  it('are told apart by run and by time, and nobody else’s are held back', () => {
    const bursts = importBursts();
    expect(bursts.add(write(1, 'create_page', 'sonde world edit', 'user'), 0)).toBe(false);
    bursts.add(write(2, 'create_page', 'imp-1:a.md'), 0);
    bursts.add(write(3, 'create_page', 'imp-2:a.md'), 1500);
    expect(bursts.take(2000).map(({ id }) => id)).toEqual(['imp-1/2']);
    expect(bursts.lastSettled(7)).toBe(2);
    bursts.add(write(8, 'delete_page', 'imp-1:a.md'), 3000);
    expect(bursts.take(6000).map(({ id }) => id)).toEqual(['imp-2/3', 'imp-1/8']);
  });
});
