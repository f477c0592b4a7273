import { describe, expect, it } from 'vitest';
import { manualClock } from '../clock.ts';
import { type Limits, zeroAmounts } from './budget.ts';
import { memoryLedger } from './memory-ledger.ts';
import { openPool, type PoolOptions, type Reservation } from './pool.ts';

function setUp(options: Partial<PoolOptions> = {}) {
  const ledger = memoryLedger();
  const clock = manualClock(1_000_000);
  const all = { account: 'run-1', run: 'run-1', fence: 1, clock, ...options };
  return { ledger, clock, open: (more: Partial<PoolOptions> = {}) => openPool(ledger, { ...all, ...more }) };
}

function taken(reply: ReturnType<ReturnType<typeof openPool>['reserve']>): Reservation {
  if (reply.kind === 'reserved') return reply;
  throw new Error(JSON.stringify(reply));
}

const unlimited = {
  tokens: Infinity,
  usd: Infinity,
  wall_ms: Infinity,
  fuel: Infinity,
  calls: Infinity,
  steps: Infinity,
};

describe('what remains', () => {
  it('is Infinity where nothing limits it, and zero where nothing is left', () => {
    const pool = setUp({ limits: { tokens: 10, usd: 0 } }).open();
    expect(pool.remaining()).toEqual({ ...unlimited, tokens: 10, usd: 0 });
    taken(pool.reserve('a', { tokens: 4 })).settle({ tokens: 30 });
    expect(pool.remaining().tokens).toBe(0);
    expect(pool.spent()).toEqual({ ...zeroAmounts, tokens: 30 });
    expect(pool.reserve('b', { tokens: 1 })).toMatchObject({ kind: 'exhausted', limit: 10, spent: 30 });
  });

  it('keeps the reserve for the final answer', () => {
    const pool = setUp({ limits: { tokens: 10, steps: 3 }, reserve: { tokens: 4, steps: 1 } }).open();
    expect(pool.remaining()).toMatchObject({ tokens: 6, steps: 2 });
    expect(pool.remaining({ final: true })).toMatchObject({ tokens: 10, steps: 3 });
    taken(pool.reserve('a', { tokens: 6, steps: 2 })).settle('unknown');
    expect(pool.reserve('b', { steps: 1 }).kind).toBe('exhausted');
    taken(pool.reserve('final', { tokens: 4, steps: 1 }, { final: true })).settle({ tokens: 4, steps: 1 });
    expect(pool.remaining({ final: true })).toMatchObject({ tokens: 0, steps: 0 });
  });

  it('is exact in money', () => {
    const pool = setUp({ limits: { usd: 0.3 } }).open();
    taken(pool.reserve('a', { usd: 0.1 })).settle({ usd: 0.1 });
    expect(pool.remaining().usd).toBe(0.2);
    taken(pool.reserve('b', { usd: 0.2 })).settle({ usd: 0.2 });
    expect(pool.remaining().usd).toBe(0);
  });
});

describe('children', () => {
  it('draw on their parent and are clipped by it', () => {
    const parent = setUp({ limits: { tokens: 100 } }).open();
    const child = parent.child('search', { limits: { tokens: 1000, calls: 2 } });
    expect(child.account).toBe('run-1/search');
    expect(child.remaining()).toMatchObject({ tokens: 100, calls: 2 });
    taken(child.reserve('a', { tokens: 60, calls: 1 })).settle({ tokens: 50, calls: 1 });
    expect([parent.spent().tokens, child.spent().tokens]).toEqual([50, 50]);
    expect(parent.remaining()).toMatchObject({ tokens: 50, calls: Infinity });
    expect(child.reserve('b', { tokens: 51 })).toMatchObject({ account: 'run-1', spent: 50 });
    expect(child.reserve('c', { calls: 2 })).toMatchObject({ account: 'run-1/search', resource: 'calls' });
  });

  it('never overspend together', async () => {
    const parent = setUp({ limits: { tokens: 1000 } }).open();
    const spend = async (i: number) => {
      const child = parent.child(`c${i}`);
      const reply = child.reserve('call', { tokens: 30 });
      await Promise.resolve();
      return reply.kind === 'reserved' ? (reply.settle({ tokens: 30 }).amounts.tokens ?? 0) : 0;
    };
    const steps = Array.from({ length: 100 }, (_, i) => spend(i));
    const bill = (await Promise.all(steps)).reduce((sum, tokens) => sum + tokens, 0);
    expect(bill).toBe(990);
    expect(parent.spent().tokens).toBe(990);
  });
});

describe('time', () => {
  it('runs while the pool is open, and only then', () => {
    const { clock, open } = setUp({ limits: { wall_ms: 1000 } });
    const first = open();
    clock.advance(300);
    expect([first.timeLeft(), first.deadlineMs() - clock.now(), first.spent().wall_ms]).toEqual([
      700, 700, 300,
    ]);
    first.close();
    clock.advance(86_400_000);
    const resumed = open({ fence: 2 });
    expect(resumed.timeLeft()).toBe(700);
    clock.advance(700);
    expect(resumed.timeLeft()).toBe(0);
    expect(resumed.reserve('a', { tokens: 1 })).toEqual({
      kind: 'exhausted',
      resource: 'wall_ms',
      account: 'run-1',
      limit: 1000,
      spent: 1000,
      held: 0,
      requested: 0,
    });
  });

  it('is remembered up to the last tick when the worker is killed', () => {
    const { clock, open } = setUp({ limits: { wall_ms: 1000 } });
    const first = open();
    clock.advance(200);
    first.recordTime();
    clock.advance(100);
    expect(open({ fence: 2 }).timeLeft()).toBe(800);
  });

  it('is written down along with the reservations', () => {
    const { clock, open, ledger } = setUp({ limits: { wall_ms: 10_000 } });
    const pool = open();
    clock.advance(400);
    pool.reserve('a', { tokens: 1 });
    expect(ledger.balance('run-1').spent.wall_ms).toBe(400);
  });

  it('asked for is compared with what is left, not added up over workers side by side', () => {
    const { clock, open } = setUp({ limits: { wall_ms: 1000 }, reserve: { wall_ms: 100 } });
    const pool = open();
    const workers = ['a', 'b', 'c'].map((name) => pool.child(name).reserve(name, { wall_ms: 900 }));
    expect(workers.map((reply) => reply.kind)).toEqual(['reserved', 'reserved', 'reserved']);
    clock.advance(1);
    expect(pool.reserve('d', { wall_ms: 900 })).toMatchObject({ kind: 'exhausted', spent: 1, held: 100 });
    expect(pool.timeLeft({ final: true })).toBe(999);
    taken(workers[0]!).settle({ wall_ms: 900 });
    expect(pool.spent().wall_ms).toBe(1);
  });

  it('of a child is its own, within its parent', () => {
    const { clock, open } = setUp({ limits: { wall_ms: 1000 } });
    const pool = open();
    clock.advance(500);
    const child = pool.child('c', { limits: { wall_ms: 600 } });
    expect(child.timeLeft()).toBe(500);
    clock.advance(200);
    expect([child.timeLeft(), child.spent().wall_ms, pool.spent().wall_ms]).toEqual([300, 200, 700]);
    child.close();
    expect(pool.spent().wall_ms).toBe(700);
  });

  it('does not run backwards with the clock', () => {
    const { clock, open } = setUp({ limits: { wall_ms: 1000 } });
    const pool = open();
    clock.advance(-5000);
    expect(pool.timeLeft()).toBe(1000);
  });
});

describe('misuse', () => {
  it.each<[string, (pool: ReturnType<typeof openPool>) => unknown]>([
    ['settling twice', (pool) => [0, 1].map(() => same(pool).settle({ tokens: 1 }))],
    ['reserving after the end', (pool) => [pool.close(), pool.reserve('b', { tokens: 1 })]],
    ['a child on other terms', (pool) => [1, 2].map((tokens) => pool.child('c', { limits: { tokens } }))],
  ])('%s is refused', (_title, act) => {
    const pool = setUp({ limits: { tokens: 9 } as Limits }).open();
    expect(() => act(pool)).toThrow(expect.objectContaining({ code: 'pool_misuse' }));
  });

  function same(pool: ReturnType<typeof openPool>): Reservation {
    return taken(pool.reserve('a', { tokens: 1 }));
  }
});
