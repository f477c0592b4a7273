/** The tests that every engine of alerts must pass. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../core/index.ts';
import { manualClock } from '../core/index.ts';
import { type AlertRecords, deliveryMemoryMs, type NewAlert, type NewDelivery } from './alert-records.ts';

export interface RecordsFixture {
  readonly records: AlertRecords;
  /** The same records, opened through another connection. */
  again(): AlertRecords;
  close(): Promise<void>;
}

const firingAlert = (fingerprint: string, group: number | null = 1): NewAlert => ({
  ...{ group, fingerprint, sent: `{"a":"${fingerprint} \\u0000 ä😀"}`, state: 'firing' },
});
const createResolvedAlert = (fingerprint: string, group: number | null = 1): NewAlert => ({
  ...firingAlert(fingerprint, group),
  state: 'resolved',
});
const deliveryOf = (delivery: string | null, ...alerts: readonly NewAlert[]): NewDelivery => ({
  alerts,
  delivery,
  remember: (kept) => ({ kept }),
});

export function alertRecordsContract(open: (clock: Clock) => Promise<RecordsFixture>): void {
  const check = (
    what: string,
    work: (opened: RecordsFixture, clock: ReturnType<typeof manualClock>) => Promise<void>,
  ) =>
    it(what, async () => {
      const clock = manualClock(1_000_000);
      const opened = await open(clock);
      try {
        await work(opened, clock);
      } finally {
        await opened.close();
      }
    });

  describe('alerts', () => {
    check('are kept with numbers that grow, and are there for another', async ({ records, again }) => {
      const [one, two] = await records.keep([
        deliveryOf(null, firingAlert('a'), firingAlert('b')),
        deliveryOf(null, firingAlert('c', 2)),
      ]);
      const ids = [one, two].flatMap((kept) => (kept?.kind === 'kept' ? (kept.alerts as number[]) : []));
      expect(ids).toHaveLength(3);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect(await again().countAlerts()).toBe(3);
      expect((await again().summarizeGroups([1, 2, 3])).get(1)).toEqual({ alerts: 2, closed: false });
      expect((await records.summarizeGroups([3])).get(3)).toEqual({ alerts: 0, closed: false });
    });

    check('close their group once each has ended since it fired last', async ({ records }) => {
      const isClosed = async () => (await records.summarizeGroups([1])).get(1)!.closed;
      await records.keep([deliveryOf(null, firingAlert('a'), firingAlert('b'), createResolvedAlert('a'))]);
      expect(await isClosed()).toBe(false);
      await records.keep([deliveryOf(null, createResolvedAlert('b'))]);
      expect(await isClosed()).toBe(true);
      await records.keep([deliveryOf(null, firingAlert('a'))]);
      expect(await isClosed()).toBe(false);
    });

    check('are found by their fingerprint, the newest with a group', async ({ records }) => {
      const strange = 'x\u0000y\u001a0';
      await records.keep([
        deliveryOf(
          null,
          firingAlert(strange, 1),
          firingAlert(strange, 2),
          createResolvedAlert(strange, null),
        ),
      ]);
      expect([...(await records.findGroups([strange, 'none']))]).toEqual([[strange, 2]]);
      expect((await records.findGroups([])).size).toBe(0);
    });
  });

  describe('a delivery', () => {
    check('that comes again is answered as before, and nothing is kept', async ({ records, again }) => {
      const [first] = await records.keep([deliveryOf('d', firingAlert('a'))]);
      expect(await again().findKnown(['d', 'e'])).toEqual(new Set(['d']));
      const [second, third] = await again().keep([
        deliveryOf('d', firingAlert('a')),
        deliveryOf('e', firingAlert('b')),
      ]);
      expect(second).toEqual({ kind: 'repeated', answer: { kept: (first as { alerts: unknown }).alerts } });
      expect(third).toMatchObject({ kind: 'kept' });
      expect(await records.countAlerts()).toBe(2);
    });

    check('twice in one batch, and at once from two sides, counts once', async ({ records, again }) => {
      const twice = [deliveryOf('d', firingAlert('a')), deliveryOf('d', firingAlert('a'))];
      expect((await records.keep(twice)).map(({ kind }) => kind)).toEqual(['kept', 'repeated']);
      const sides = [records, again()];
      for (let round = 0; round < 10; round += 1) {
        const both = await Promise.all(
          sides.map((side) => side.keep([deliveryOf(`r${round}`, firingAlert('b'))])),
        );
        expect(both.map(([kept]) => kept!.kind).toSorted()).toEqual(['kept', 'repeated']);
      }
      expect(await records.countAlerts()).toBe(11);
    });

    check('whose answer is not remembered counts again', async ({ records }) => {
      const refused = { ...deliveryOf('d', firingAlert('a')), remember: () => null };
      for (let nth = 0; nth < 2; nth += 1)
        expect((await records.keep([refused]))[0]).toMatchObject({ kind: 'kept' });
      expect(await records.countAlerts()).toBe(2);
    });

    check('is forgotten after longer than any sender tries', async ({ records }, clock) => {
      await records.keep([deliveryOf('d', firingAlert('a'))]);
      clock.advance(deliveryMemoryMs + 1);
      await records.keep([deliveryOf('e', firingAlert('a'))]);
      expect(await records.findKnown(['d', 'e'])).toEqual(new Set(['e']));
    });
  });

  check('says that it can write', async ({ records }) => {
    await records.check();
    await records.check();
    expect(await records.countAlerts()).toBe(0);
  });
}
