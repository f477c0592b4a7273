/**
 * What every ledger must do. An engine's own test calls `ledgerContract` with a factory of an empty ledger.
 */
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Account,
  type Amounts,
  type Ledger,
  type Reserved,
  type Resource,
  resources,
  zero,
} from './budget.ts';
import { type ErrorCode, isSondeError } from './errors.ts';
import { randomWalk } from './ledger-walk.contract.ts';

export interface LedgerHandle {
  readonly ledger: Ledger;
  close?(): void;
}

export function ledgerContract(name: string, open: () => LedgerHandle): void {
  let handles: LedgerHandle[] = [];

  function fresh(...accounts: readonly Partial<Account>[]): Ledger {
    const handle = open();
    handles.push(handle);
    for (const account of accounts) {
      handle.ledger.open({ id: 'root', parent: null, limits: {}, reserve: {}, ...account });
    }
    return handle.ledger;
  }

  afterEach(() => {
    for (const handle of handles) handle.close?.();
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
        ['nothing of what is used up is granted', { tokens: 0 }, {}, { tokens: 0 }, false, null],
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
      it.each(cases)('%s', (_title, limits, reserve, amounts, final, met) => {
        const ledger = fresh({ limits, reserve });
        const reply = ledger.reserve({ account: 'root', key: key('a'), amounts, final });
        expect(reply.kind === 'exhausted' ? reply.resource : null).toBe(met);
        if (reply.kind === 'reserved') expect(reply.amounts).toEqual(amounts);
        else expect(ledger.balance('root').reserved).toEqual(zero);
      });

      it('carries the numbers', () => {
        const ledger = fresh({ limits: { usd: 1 }, reserve: { usd: 0.25 } });
        ledger.charge('root', { usd: 0.2 });
        grant(ledger, 'a', { usd: 0.3 });
        expect(ledger.reserve({ account: 'root', key: key('b'), amounts: { usd: 0.5 } })).toEqual({
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

    describe('settling', () => {
      it('replaces the reservation by what was spent', () => {
        const ledger = fresh({ limits: { tokens: 100, usd: 1 } });
        const { id } = grant(ledger, 'a', { tokens: 50, usd: 0.5 });
        expect(ledger.balance('root').reserved).toEqual({ ...zero, tokens: 50, usd: 0.5 });
        expect(ledger.settle(id, { tokens: 20, usd: 0.1 })).toEqual({
          kind: 'settled',
          amounts: { tokens: 20, usd: 0.1 },
          unknown: false,
          over: {},
        });
        expect(ledger.balance('root')).toMatchObject({
          reserved: zero,
          spent: { ...zero, tokens: 20, usd: 0.1 },
        });
        grant(ledger, 'b', { tokens: 80 });
      });

      it('counts an unknown cost at the size of the reservation, and marks it', () => {
        const ledger = fresh({});
        const { id } = grant(ledger, 'a', { tokens: 50 });
        expect(ledger.settle(id, 'unknown')).toMatchObject({ amounts: { tokens: 50 }, unknown: true });
        expect(ledger.balance('root')).toMatchObject({ spent: { tokens: 50 }, unknown: { tokens: 50 } });
      });

      it('records in full what a call cost over its reservation', () => {
        const ledger = fresh({ limits: { tokens: 50 } });
        const { id } = grant(ledger, 'a', { tokens: 50 });
        expect(ledger.settle(id, { tokens: 70, fuel: 3 })).toMatchObject({ over: { tokens: 20, fuel: 3 } });
        expect(ledger.balance('root').spent).toMatchObject({ tokens: 70, fuel: 3 });
        expect(ledger.reserve({ account: 'root', key: key('b'), amounts: { tokens: 1 } }).kind).toBe(
          'exhausted',
        );
      });

      it('gives a released reservation back whole', () => {
        const ledger = fresh({ limits: { tokens: 50 } });
        ledger.release(grant(ledger, 'a', { tokens: 50 }).id);
        expect(ledger.balance('root')).toMatchObject({ reserved: zero, spent: zero });
        grant(ledger, 'a', { tokens: 50 });
      });

      it('happens once', () => {
        const ledger = fresh({});
        const settled = grant(ledger, 'a', { tokens: 1 }).id;
        ledger.settle(settled, { tokens: 1 });
        const released = grant(ledger, 'b', { tokens: 1 }).id;
        ledger.release(released);
        for (const id of [settled, released, 'nobody']) {
          refused('pool_misuse', () => ledger.settle(id, { tokens: 1 }));
          refused('pool_misuse', () => ledger.release(id));
        }
        expect(ledger.balance('root')).toMatchObject({ reserved: zero, spent: { tokens: 1 } });
      });

      it('does not let money drift', () => {
        const ledger = fresh({ limits: { usd: 1 } });
        for (let i = 0; i < 100; i += 1)
          ledger.settle(grant(ledger, `s${i}`, { usd: 0.01 }).id, { usd: 0.01 });
        expect(ledger.balance('root').spent.usd).toBe(1);
        expect(ledger.reserve({ account: 'root', key: key('z'), amounts: { usd: 1e-9 } }).kind).toBe(
          'exhausted',
        );
      });
    });

    describe('a key', () => {
      it('asked for twice is one reservation', () => {
        const ledger = fresh({ limits: { tokens: 50 } });
        expect(grant(ledger, 'a', { tokens: 50 }).id).toBe(grant(ledger, 'a', { tokens: 50 }).id);
        expect(ledger.balance('root').reserved.tokens).toBe(50);
      });

      it('is refused for other amounts, and after settling', () => {
        const ledger = fresh({});
        const { id } = grant(ledger, 'a', { tokens: 50 });
        refused('pool_misuse', () => grant(ledger, 'a', { tokens: 51 }));
        ledger.settle(id, { tokens: 1 });
        refused('pool_misuse', () => grant(ledger, 'a', { tokens: 50 }));
      });

      it('differs by run, step and fence', () => {
        const ledger = fresh({});
        const keys = [key('a'), key('b'), { ...key('a'), run: 'other' }, { ...key('a'), fence: 2 }];
        const slashed = [
          { run: 'a/b', step: 'c', fence: 1 },
          { run: 'a', step: 'b/c', fence: 1 },
        ];
        const ids = [...keys, ...slashed].map((each) => {
          const reply = ledger.reserve({ account: 'root', key: each, amounts: { tokens: 1 } });
          return reply.kind === 'reserved' && reply.id;
        });
        expect(new Set(ids).size).toBe(6);
        expect(ledger.balance('root').reserved.tokens).toBe(6);
      });
    });

    describe('a tree of accounts', () => {
      const tree = [
        { id: 'root', limits: { tokens: 100 } },
        { id: 'left', parent: 'root', limits: { tokens: 80 } },
        { id: 'right', parent: 'root', limits: { tokens: 80 } },
        { id: 'leaf', parent: 'left' },
      ];

      it('checks every ancestor and names the one that refused', () => {
        const ledger = fresh(...tree);
        grant(ledger, 'a', { tokens: 70 }, 'leaf');
        const at = (account: string, tokens: number) => {
          const reply = ledger.reserve({ account, key: key(`${account}-${tokens}`), amounts: { tokens } });
          return reply.kind === 'exhausted' ? reply.account : null;
        };
        expect(at('leaf', 11)).toBe('left');
        expect(at('right', 31)).toBe('root');
        expect(at('right', 30)).toBe(null);
        expect(at('leaf', 1)).toBe('root');
        expect(ledger.balance('root').reserved.tokens).toBe(100);
        expect(ledger.balance('left').reserved.tokens).toBe(70);
      });

      it('counts what is spent below at every level above', () => {
        const ledger = fresh(...tree);
        ledger.settle(grant(ledger, 'a', { tokens: 70 }, 'leaf').id, { tokens: 60 });
        ledger.charge('right', { tokens: 5 });
        const spent = ['leaf', 'left', 'right', 'root'].map((id) => ledger.balance(id).spent.tokens);
        expect(spent).toEqual([60, 60, 5, 65]);
      });

      it('does not add up the time of workers side by side', () => {
        const ledger = fresh(
          { limits: { wall_ms: 100 } },
          { id: 'left', parent: 'root' },
          { id: 'right', parent: 'root' },
        );
        const left = grant(ledger, 'a', { wall_ms: 80 }, 'left');
        grant(ledger, 'b', { wall_ms: 80 }, 'right');
        expect(ledger.balance('root').reserved.wall_ms).toBe(0);
        expect(ledger.settle(left.id, { wall_ms: 70 }).amounts).toEqual({});
        ledger.charge('left', { wall_ms: 70 });
        expect(ledger.balance('root').spent.wall_ms).toBe(0);
        ledger.charge('root', { wall_ms: 70 });
        expect(ledger.balance('left').spent.wall_ms).toBe(70);
        const late = ledger.reserve({ account: 'right', key: key('c'), amounts: { wall_ms: 31 } });
        expect(late).toMatchObject({ kind: 'exhausted', account: 'root', spent: 70, held: 0 });
      });
    });

    describe('an account', () => {
      it('can be opened again on the same terms and keeps what it has', () => {
        const ledger = fresh({ limits: { tokens: 5 } });
        ledger.charge('root', { tokens: 3 });
        ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: {} });
        expect(ledger.balance('root').spent.tokens).toBe(3);
      });

      it('keeps back what it first did, though a later version would keep another part', () => {
        const ledger = fresh({ limits: { tokens: 5 }, reserve: { tokens: 2 } });
        ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: { tokens: 1 } });
        expect(ledger.reserve({ account: 'root', key: key('a'), amounts: { tokens: 4 } }).kind).toBe(
          'exhausted',
        );
        grant(ledger, 'b', { tokens: 3 });
      });

      it('cannot change its terms that way', () => {
        const ledger = fresh({ limits: { tokens: 5 } }, { id: 'child', parent: 'root' });
        const again = (account: Partial<Account>) => () =>
          ledger.open({ id: 'root', parent: null, limits: { tokens: 5 }, reserve: {}, ...account });
        refused('pool_misuse', again({ limits: { tokens: 6 } }));
        refused('pool_misuse', again({ limits: {} }));
        refused('pool_misuse', again({ id: 'child', limits: {} }));
        refused('pool_misuse', again({ id: 'orphan', parent: 'nobody' }));
      });

      it('is relimited, one ceiling at a time, and still opens on its first terms', () => {
        const ledger = fresh({ limits: { tokens: 5, usd: 1 } });
        ledger.charge('root', { tokens: 5 });
        ledger.relimit('root', { tokens: 8 });
        expect(ledger.balance('root').limits).toEqual({ tokens: 8, usd: 1 });
        grant(ledger, 'a', { tokens: 3 });
        for (const tokens of [5, 8]) {
          ledger.open({ id: 'root', parent: null, limits: { tokens, usd: 1 }, reserve: {} });
        }
        ledger.relimit('root', { usd: Infinity, tokens: 2 });
        expect(ledger.balance('root').limits).toEqual({ tokens: 2 });
        expect(ledger.reserve({ account: 'root', key: key('b'), amounts: { tokens: 1 } }).kind).toBe(
          'exhausted',
        );
      });

      it('must be known', () => {
        const ledger = fresh();
        refused('pool_misuse', () => ledger.balance('nobody'));
        refused('pool_misuse', () => ledger.charge('nobody', { tokens: 1 }));
        refused('pool_misuse', () => ledger.relimit('nobody', { tokens: 1 }));
        refused('pool_misuse', () => grant(ledger, 'a', { tokens: 1 }, 'nobody'));
      });

      it.each([
        ['less than nothing', { tokens: -1 }],
        ['not a number', { usd: Number.NaN }],
        ['without end', { fuel: Infinity }],
        ['too large to count', { fuel: 2 ** 60 }],
        ['of something else', { euros: 1 } as Amounts],
      ])('takes no amount that is %s', (_title, amounts) => {
        const ledger = fresh({});
        refused('bad_argument', () => grant(ledger, 'a', amounts));
        refused('bad_argument', () => ledger.charge('root', amounts));
        expect(ledger.balance('root')).toMatchObject({ spent: zero, reserved: zero });
      });
    });

    describe('recovery', () => {
      it('closes what older fences left open, as spent and unknown', () => {
        const ledger = fresh({ limits: { tokens: 100 } }, { id: 'child', parent: 'root' });
        const stale = grant(ledger, 'a', { tokens: 30 }, 'child', 1);
        grant(ledger, 'b', { tokens: 20 }, 'root', 2);
        ledger.settle(grant(ledger, 'c', { tokens: 10 }, 'root', 1).id, { tokens: 5 });
        const mine = grant(ledger, 'd', { tokens: 7 }, 'root', 3);
        ledger.reserve({
          account: 'root',
          key: { run: 'other', step: 'e', fence: 1 },
          amounts: { tokens: 1 },
        });
        expect(ledger.recover('run', 3)).toBe(2);
        expect(ledger.recover('run', 3)).toBe(0);
        expect(ledger.balance('root')).toMatchObject({
          spent: { tokens: 55 },
          reserved: { tokens: 8 },
          unknown: { tokens: 50 },
        });
        expect(ledger.balance('child')).toMatchObject({ spent: { tokens: 30 }, reserved: zero });
        refused('lease_lost', () => ledger.settle(stale.id, { tokens: 1 }));
        refused('lease_lost', () => ledger.release(stale.id));
        ledger.settle(mine.id, { tokens: 7 });
      });

      it('leaves older fences nothing to reserve', () => {
        const ledger = fresh({});
        ledger.recover('run', 3);
        refused('lease_lost', () => grant(ledger, 'a', { tokens: 1 }, 'root', 2));
        refused('lease_lost', () => ledger.recover('run', 2));
        grant(ledger, 'a', { tokens: 1 }, 'root', 3);
      });
    });

    describe('random trees of accounts', () => {
      it.each([1, 2, 3])('hold every ceiling and equal their bill (seed %i)', async (seed) => {
        const ledger = fresh();
        const { ids, bill, broken, granted, refused: refusals } = await randomWalk(ledger, seed);
        expect(broken).toEqual([]);
        // Both ways were walked, or the test says nothing.
        expect(Math.min(granted, refusals)).toBeGreaterThan(20);
        for (const id of ids) {
          const balance = ledger.balance(id);
          expect(balance.reserved).toEqual(zero);
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

function grant(ledger: Ledger, step: string, amounts: Amounts, account = 'root', fence = 1): Reserved {
  const reply = ledger.reserve({ account, key: key(step, fence), amounts });
  if (reply.kind === 'reserved') return reply;
  throw new Error(`${step}: ${JSON.stringify(reply)}`);
}

function refused(code: ErrorCode, act: () => unknown): void {
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  expect(isSondeError(thrown) ? thrown.code : thrown).toBe(code);
}
