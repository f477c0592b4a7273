/**
 * The contract tests of ledgers. An engine's own test calls `ledgerContract` with a factory of an empty ledger.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type ErrorCode, isSondeError } from '../errors.ts';
import {
  type Account,
  type Amounts,
  type Ledger,
  type ReservedAmounts,
  type Resource,
  resources,
  zeroAmounts,
} from './budget.ts';
import { randomWalk } from './ledger-walk.contract.ts';

/** A ledger whose methods may also be async. */
export type AnyLedger = {
  readonly [Verb in keyof Ledger]: (
    ...args: Parameters<Ledger[Verb]>
  ) => ReturnType<Ledger[Verb]> | Promise<ReturnType<Ledger[Verb]>>;
};

export interface LedgerHandle {
  readonly ledger: AnyLedger;
  close?(): unknown;
}

export function ledgerContract(name: string, open: () => LedgerHandle): void {
  let handles: LedgerHandle[] = [];

  async function openFresh(...accounts: readonly Partial<Account>[]): Promise<AnyLedger> {
    const handle = open();
    handles.push(handle);
    for (const account of accounts) {
      await handle.ledger.open({ id: 'root', parent: null, limits: {}, reserve: {}, ...account });
    }
    return handle.ledger;
  }

  afterEach(async () => {
    for (const handle of handles) await handle.close?.();
    handles = [];
  });

  describe(`ledger: ${name}`, () => {
    describe('a request against one ceiling', () => {
      type Case = [
        title: string,
        limits: Amounts,
        reserve: Amounts,
        ask: Amounts,
        final: boolean,
        met: Resource | null,
      ];
      const cases: readonly Case[] = [
        ['all that is left is granted', { tokens: 10 }, {}, { tokens: 10 }, false, null],
        ['one more is not', { tokens: 10 }, {}, { tokens: 11 }, false, 'tokens'],
        ['a ceiling of zero is zero', { tokens: 0 }, {}, { tokens: 1 }, false, 'tokens'],
        ['a resource without any left grants not even zero', { tokens: 0 }, {}, { tokens: 0 }, false, null],
        ['no ceiling is no ceiling', { tokens: 1 }, {}, { fuel: 1e12 }, false, null],
        ['Infinity is no ceiling', { tokens: Infinity }, {}, { tokens: 1e12 }, false, null],
        ['the reserve is kept back', { tokens: 10 }, { tokens: 4 }, { tokens: 7 }, false, 'tokens'],
        ['up to the reserve', { tokens: 10 }, { tokens: 4 }, { tokens: 6 }, false, null],
        ['the final answer draws on the reserve', { tokens: 10 }, { tokens: 4 }, { tokens: 10 }, true, null],
        ['but on no more', { tokens: 10 }, { tokens: 4 }, { tokens: 11 }, true, 'tokens'],
        ['money to the micro-dollar', { usd: 0.3 }, {}, { usd: 0.1 + 0.2 }, false, null],
        ['and not one more', { usd: 0.3 }, {}, { usd: 0.300001 }, false, 'usd'],
        ['each resource on its own', { tokens: 9, calls: 1 }, {}, { tokens: 9, calls: 2 }, false, 'calls'],
        ['time that is left', { wall_ms: 100 }, {}, { wall_ms: 100 }, false, null],
        ['time that is not', { wall_ms: 100 }, { wall_ms: 20 }, { wall_ms: 81 }, false, 'wall_ms'],
      ];
      it.each(cases)('%s', async (_title, limits, reserve, amounts, final, refusedBy) => {
        const ledger = await openFresh({ limits, reserve });
        const reply = await ledger.reserve({ account: 'root', key: key('a'), amounts, final });
        expect(reply.kind === 'exhausted' ? reply.resource : null).toBe(refusedBy);
        if (reply.kind === 'reserved') expect(reply.amounts).toEqual(amounts);
        else expect((await ledger.balance('root')).reserved).toEqual(zeroAmounts);
      });

      it('carries the numbers', async () => {
        const ledger = await openFresh({ limits: { usd: 1 }, reserve: { usd: 0.25 } });
        await ledger.charge('root', { usd: 0.2 });
        await grant(ledger, 'a', { usd: 0.3 });
        expect(await ledger.reserve({ account: 'root', key: key('b'), amounts: { usd: 0.5 } })).toEqual({
          kind: 'exhausted',
          resource: 'usd',
          account: 'root',
          limit: 1,
          spent: 0.2,
          held: 0.55,
          requested: 0.5,
        });
      });
    });

    describe('a call whose price is unknown', () => {
      it('is refused once dollars were spent, and are used up', async () => {
        const ledger = await openFresh({ limits: { usd: 0.01 } });
        const call = { tokens: 100, calls: 1 };
        await ledger.settle((await grant(ledger, 'a', call)).id, { ...call, usd: 0.009 });
        await ledger.settle((await grant(ledger, 'b', call)).id, { ...call, usd: 0.009 });
        const refused = await ledger.reserve({ account: 'root', key: key('c'), amounts: call });
        expect(refused).toMatchObject({ kind: 'exhausted', resource: 'usd', limit: 0.01, spent: 0.018 });
        // What calls no model costs no dollars.
        await grant(ledger, 'd', { steps: 1 });
      });

      it('is granted under a limit of no dollars, while none were spent', async () => {
        const ledger = await openFresh({ limits: { usd: 0 } });
        const call = { tokens: 100, calls: 1 };
        await ledger.settle((await grant(ledger, 'a', call)).id, call);
        await grant(ledger, 'b', call);
      });
    });

    describe('settling', () => {
      it('replaces the reservation by what was spent', async () => {
        const ledger = await openFresh({ limits: { tokens: 100, usd: 1 } });
        const { id } = await grant(ledger, 'a', { tokens: 50, usd: 0.5 });
        expect((await ledger.balance('root')).reserved).toEqual({ ...zeroAmounts, tokens: 50, usd: 0.5 });
        expect(await ledger.settle(id, { tokens: 20, usd: 0.1 })).toEqual({
          kind: 'settled',
          amounts: { tokens: 20, usd: 0.1 },
          unknown: false,
          over: {},
        });
        expect(await ledger.balance('root')).toMatchObject({
          reserved: zeroAmounts,
          spent: { ...zeroAmounts, tokens: 20, usd: 0.1 },
        });
        await grant(ledger, 'b', { tokens: 80 });
      });

      it('counts an unknown cost at the size of the reservation, and marks it', async () => {
        const ledger = await openFresh({});
        const { id } = await grant(ledger, 'a', { tokens: 50 });
        expect(await ledger.settle(id, 'unknown')).toMatchObject({ amounts: { tokens: 50 }, unknown: true });
        expect(await ledger.balance('root')).toMatchObject({
          spent: { tokens: 50 },
          unknown: { tokens: 50 },
        });
      });

      it('records in full what a call cost over its reservation', async () => {
        const ledger = await openFresh({ limits: { tokens: 50 } });
        const { id } = await grant(ledger, 'a', { tokens: 50 });
        expect(await ledger.settle(id, { tokens: 70, fuel: 3 })).toMatchObject({
          over: { tokens: 20, fuel: 3 },
        });
        expect((await ledger.balance('root')).spent).toMatchObject({ tokens: 70, fuel: 3 });
        expect((await ledger.reserve({ account: 'root', key: key('b'), amounts: { tokens: 1 } })).kind).toBe(
          'exhausted',
        );
      });

      it('gives a released reservation back whole', async () => {
        const ledger = await openFresh({ limits: { tokens: 50 } });
        await ledger.release((await grant(ledger, 'a', { tokens: 50 })).id);
        expect(await ledger.balance('root')).toMatchObject({ reserved: zeroAmounts, spent: zeroAmounts });
        await grant(ledger, 'a', { tokens: 50 });
      });

      it('happens once', async () => {
        const ledger = await openFresh({});
        const settled = (await grant(ledger, 'a', { tokens: 1 })).id;
        await ledger.settle(settled, { tokens: 1 });
        const released = (await grant(ledger, 'b', { tokens: 1 })).id;
        await ledger.release(released);
        for (const id of [settled, released, 'nobody']) {
          await expectRefusal('pool_misuse', () => ledger.settle(id, { tokens: 1 }));
          await expectRefusal('pool_misuse', () => ledger.release(id));
        }
        expect(await ledger.balance('root')).toMatchObject({ reserved: zeroAmounts, spent: { tokens: 1 } });
      });

      it('does not let money drift', async () => {
        const ledger = await openFresh({ limits: { usd: 1 } });
        for (let i = 0; i < 100; i += 1)
          await ledger.settle((await grant(ledger, `s${i}`, { usd: 0.01 })).id, { usd: 0.01 });
        expect((await ledger.balance('root')).spent.usd).toBe(1);
        expect((await ledger.reserve({ account: 'root', key: key('z'), amounts: { usd: 1e-9 } })).kind).toBe(
          'exhausted',
        );
      });
    });

    describe('a key', () => {
      it('asked for twice is one reservation', async () => {
        const ledger = await openFresh({ limits: { tokens: 50 } });
        expect((await grant(ledger, 'a', { tokens: 50 })).id).toBe(
          (await grant(ledger, 'a', { tokens: 50 })).id,
        );
        expect((await ledger.balance('root')).reserved.tokens).toBe(50);
      });

      it('is refused for other amounts, and after settling', async () => {
        const ledger = await openFresh({});
        const { id } = await grant(ledger, 'a', { tokens: 50 });
        await expectRefusal('pool_misuse', () => grant(ledger, 'a', { tokens: 51 }));
        await ledger.settle(id, { tokens: 1 });
        await expectRefusal('pool_misuse', () => grant(ledger, 'a', { tokens: 50 }));
      });

      it('differs by run, step and fence', async () => {
        const ledger = await openFresh({});
        const keys = [key('a'), key('b'), { ...key('a'), run: 'other' }, { ...key('a'), fence: 2 }];
        const slashed = [
          { run: 'a/b', step: 'c', fence: 1 },
          { run: 'a', step: 'b/c', fence: 1 },
        ];
        const ids = [...keys, ...slashed].map(async (each) => {
          const reply = await ledger.reserve({ account: 'root', key: each, amounts: { tokens: 1 } });
          return reply.kind === 'reserved' && reply.id;
        });
        expect(new Set(await Promise.all(ids)).size).toBe(6);
        expect((await ledger.balance('root')).reserved.tokens).toBe(6);
      });
    });

    describe('a tree of accounts', () => {
      const tree = [
        { id: 'root', limits: { tokens: 100 } },
        { id: 'left', parent: 'root', limits: { tokens: 80 } },
        { id: 'right', parent: 'root', limits: { tokens: 80 } },
        { id: 'leaf', parent: 'left' },
      ];

      it('checks every ancestor and names the one that refused', async () => {
        const ledger = await openFresh(...tree);
        await grant(ledger, 'a', { tokens: 70 }, 'leaf');
        const reserveAt = async (account: string, tokens: number) => {
          const reply = await ledger.reserve({
            account,
            key: key(`${account}-${tokens}`),
            amounts: { tokens },
          });
          return reply.kind === 'exhausted' ? reply.account : null;
        };
        expect(await reserveAt('leaf', 11)).toBe('left');
        expect(await reserveAt('right', 31)).toBe('root');
        expect(await reserveAt('right', 30)).toBe(null);
        expect(await reserveAt('leaf', 1)).toBe('root');
        expect((await ledger.balance('root')).reserved.tokens).toBe(100);
        expect((await ledger.balance('left')).reserved.tokens).toBe(70);
      });

      it('counts what is spent below at every level above', async () => {
        const ledger = await openFresh(...tree);
        await ledger.settle((await grant(ledger, 'a', { tokens: 70 }, 'leaf')).id, { tokens: 60 });
        await ledger.charge('right', { tokens: 5 });
        const spent = ['leaf', 'left', 'right', 'root'].map(
          async (id) => (await ledger.balance(id)).spent.tokens,
        );
        expect(await Promise.all(spent)).toEqual([60, 60, 5, 65]);
      });

      it('does not add up the time of workers side by side', async () => {
        const ledger = await openFresh(
          { limits: { wall_ms: 100 } },
          { id: 'left', parent: 'root' },
          { id: 'right', parent: 'root' },
        );
        const left = await grant(ledger, 'a', { wall_ms: 80 }, 'left');
        await grant(ledger, 'b', { wall_ms: 80 }, 'right');
        expect((await ledger.balance('root')).reserved.wall_ms).toBe(0);
        expect((await ledger.settle(left.id, { wall_ms: 70 })).amounts).toEqual({});
        await ledger.charge('left', { wall_ms: 70 });
        expect((await ledger.balance('root')).spent.wall_ms).toBe(0);
        await ledger.charge('root', { wall_ms: 70 });
        expect((await ledger.balance('left')).spent.wall_ms).toBe(70);
        const late = await ledger.reserve({ account: 'right', key: key('c'), amounts: { wall_ms: 31 } });
        expect(late).toMatchObject({ kind: 'exhausted', account: 'root', spent: 70, held: 0 });
      });
    });

    describe('an account', () => {
      it('can be opened again on the same terms and keeps what it has', async () => {
        const ledger = await openFresh({ limits: { tokens: 5 } });
        await ledger.charge('root', { tokens: 3 });
        await ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: {} });
        expect((await ledger.balance('root')).spent.tokens).toBe(3);
      });

      it('keeps back what it first did, though a later version would keep another part', async () => {
        const ledger = await openFresh({ limits: { tokens: 5 }, reserve: { tokens: 2 } });
        await ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: { tokens: 1 } });
        expect((await ledger.reserve({ account: 'root', key: key('a'), amounts: { tokens: 4 } })).kind).toBe(
          'exhausted',
        );
        await grant(ledger, 'b', { tokens: 3 });
      });

      it('cannot change its terms that way', async () => {
        const ledger = await openFresh({ limits: { tokens: 5 } }, { id: 'child', parent: 'root' });
        const again = (account: Partial<Account>) => () =>
          ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: {}, ...account });
        await expectRefusal('pool_misuse', again({ limits: { tokens: 6 } }));
        await expectRefusal('pool_misuse', again({ limits: {} }));
        await expectRefusal('pool_misuse', again({ id: 'child', limits: {} }));
        await expectRefusal('pool_misuse', again({ id: 'orphan', parent: 'nobody' }));
      });

      it('is relimited, one ceiling at a time, and still opens on its first terms', async () => {
        const ledger = await openFresh({ limits: { tokens: 5, usd: 1 } });
        await ledger.charge('root', { tokens: 5 });
        await ledger.relimit('root', { tokens: 8 });
        expect((await ledger.balance('root')).limits).toEqual({ tokens: 8, usd: 1 });
        await grant(ledger, 'a', { tokens: 3 });
        for (const tokens of [5, 8]) {
          await ledger.open({ id: 'root', parent: null, limits: { tokens, usd: 1 }, reserve: {} });
        }
        await ledger.relimit('root', { usd: Infinity, tokens: 2 });
        expect((await ledger.balance('root')).limits).toEqual({ tokens: 2 });
        expect((await ledger.reserve({ account: 'root', key: key('b'), amounts: { tokens: 1 } })).kind).toBe(
          'exhausted',
        );
      });

      it('must be known', async () => {
        const ledger = await openFresh();
        await expectRefusal('pool_misuse', () => ledger.balance('nobody'));
        await expectRefusal('pool_misuse', () => ledger.charge('nobody', { tokens: 1 }));
        await expectRefusal('pool_misuse', () => ledger.relimit('nobody', { tokens: 1 }));
        await expectRefusal('pool_misuse', () => grant(ledger, 'a', { tokens: 1 }, 'nobody'));
      });

      it.each([
        ['less than nothing', { tokens: -1 }],
        ['not a number', { usd: Number.NaN }],
        ['without end', { fuel: Infinity }],
        ['too large to count', { fuel: 2 ** 60 }],
        ['of something else', { euros: 1 } as Amounts],
      ])('takes no amount that is %s', async (_title, amounts) => {
        const ledger = await openFresh({});
        await expectRefusal('bad_argument', () => grant(ledger, 'a', amounts));
        await expectRefusal('bad_argument', () => ledger.charge('root', amounts));
        expect(await ledger.balance('root')).toMatchObject({ spent: zeroAmounts, reserved: zeroAmounts });
      });
    });

    describe('recovery', () => {
      it('closes what older fences left open, as spent and unknown', async () => {
        const ledger = await openFresh({ limits: { tokens: 100 } }, { id: 'child', parent: 'root' });
        const stale = await grant(ledger, 'a', { tokens: 30 }, 'child', 1);
        await grant(ledger, 'b', { tokens: 20 }, 'root', 2);
        await ledger.settle((await grant(ledger, 'c', { tokens: 10 }, 'root', 1)).id, { tokens: 5 });
        const mine = await grant(ledger, 'd', { tokens: 7 }, 'root', 3);
        await ledger.reserve({
          account: 'root',
          key: { run: 'other', step: 'e', fence: 1 },
          amounts: { tokens: 1 },
        });
        expect(await ledger.recover('run', 3)).toBe(2);
        expect(await ledger.recover('run', 3)).toBe(0);
        expect(await ledger.balance('root')).toMatchObject({
          spent: { tokens: 55 },
          reserved: { tokens: 8 },
          unknown: { tokens: 50 },
        });
        expect(await ledger.balance('child')).toMatchObject({ spent: { tokens: 30 }, reserved: zeroAmounts });
        await expectRefusal('lease_lost', () => ledger.settle(stale.id, { tokens: 1 }));
        await expectRefusal('lease_lost', () => ledger.release(stale.id));
        await ledger.settle(mine.id, { tokens: 7 });
      });

      it('leaves older fences nothing to reserve', async () => {
        const ledger = await openFresh({});
        await ledger.recover('run', 3);
        await expectRefusal('lease_lost', () => grant(ledger, 'a', { tokens: 1 }, 'root', 2));
        await expectRefusal('lease_lost', () => ledger.recover('run', 2));
        await grant(ledger, 'a', { tokens: 1 }, 'root', 3);
      });
    });

    describe('random trees of accounts', () => {
      it.each([1, 2, 3])('hold every ceiling and equal their bill (seed %i)', async (seed) => {
        const ledger = await openFresh();
        const { ids, bill, broken, granted, refused: refusals } = await randomWalk(ledger, seed);
        expect(broken).toEqual([]);
        // Both ways were walked, or the test says nothing.
        expect(Math.min(granted, refusals)).toBeGreaterThan(20);
        for (const id of ids) {
          const balance = await ledger.balance(id);
          expect(balance.reserved).toEqual(zeroAmounts);
          for (const resource of resources) {
            expect(balance.spent[resource], `${resource} of ${id}`).toBe(bill(id, resource));
          }
        }
      });
    });
  });
}

function key(step: string, fence = 1) {
  return { run: 'run', step, fence };
}

async function grant(
  ledger: AnyLedger,
  step: string,
  amounts: Amounts,
  account = 'root',
  fence = 1,
): Promise<ReservedAmounts> {
  const reply = await ledger.reserve({ account, key: key(step, fence), amounts });
  if (reply.kind === 'reserved') return reply;
  throw new Error(`${step}: ${JSON.stringify(reply)}`);
}

async function expectRefusal(code: ErrorCode, act: () => unknown): Promise<void> {
  let thrown: unknown;
  try {
    await act();
  } catch (error) {
    thrown = error;
  }
  expect(isSondeError(thrown) ? thrown.code : thrown).toBe(code);
}
