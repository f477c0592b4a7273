/** A random walk over a random tree of accounts: 100 workers side by side that reserve, settle and release. */
import { setImmediate } from 'node:timers/promises';
import { type Amounts, type BudgetEnd, type Resource, resources } from './budget.ts';
import type { AnyLedger } from './ledger.contract.ts';

const workers = 100;
const turns = 6;

export interface Walk {
  readonly ids: readonly string[];
  /** The sum settled or charged on the account and on all below it, added up independently of the ledger. */
  bill(account: string, resource: Resource): number;
  /** Accounts whose spent and held amounts exceeded their ceiling; must be empty. */
  readonly broken: readonly string[];
  readonly granted: number;
  readonly refused: number;
}

export async function randomWalk(ledger: AnyLedger, seed: number): Promise<Walk> {
  const random = randomGenerator(seed);
  const parents = new Map<string, string | null>();
  const limits = new Map<string, Amounts>();
  for (let i = 0; i < 12; i += 1) {
    const ids = [...parents.keys()];
    const parent = i === 0 ? null : ids[Math.floor(random() * ids.length)]!;
    const limit = randomLimits(random, parent === null);
    const reserve = random() < 0.3 ? { tokens: 50 } : {};
    parents.set(`a${i}`, parent);
    limits.set(`a${i}`, limit);
    await ledger.open({ id: `a${i}`, parent, limits: limit, reserve });
  }
  const ids = [...parents.keys()];
  /** In whole units: money in micro-dollars. */
  const bills = new Map(ids.map((id) => [id, new Map<Resource, number>()]));
  const broken: string[] = [];
  let granted = 0;
  let refused = 0;

  function addToBills(account: string, amounts: Amounts): void {
    for (let at: string | null = account; at !== null; at = parents.get(at)!) {
      const bill = bills.get(at)!;
      for (const resource of resources) {
        bill.set(resource, (bill.get(resource) ?? 0) + toWholeUnits(resource, amounts[resource] ?? 0));
      }
    }
  }

  async function inspect(): Promise<void> {
    for (const id of ids) {
      const { spent, reserved } = await ledger.balance(id);
      for (const resource of resources) {
        const limit = limits.get(id)![resource];
        if (
          limit !== undefined &&
          toWholeUnits(resource, spent[resource]) + toWholeUnits(resource, reserved[resource]) >
            toWholeUnits(resource, limit)
        ) {
          broken.push(`${id} ${resource}`);
        }
      }
    }
  }

  async function work(worker: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      const account = ids[Math.floor(random() * ids.length)]!;
      const amounts = {
        tokens: Math.floor(random() * 60),
        usd: Math.floor(random() * 5000) / 1e6,
        calls: 1,
        fuel: Math.floor(random() * 1000),
      };
      const key = { run: 'walk', step: `${worker}/${turn}`, fence: 1 };
      const reply = await ledger.reserve({ account, key, amounts, final: random() < 0.1 });
      await setImmediate();
      if (reply.kind === 'exhausted') {
        checkRefusal(reply);
        refused += 1;
        continue;
      }
      granted += 1;
      const choice = random();
      if (choice < 0.2) await ledger.release(reply.id);
      else if (choice < 0.4) {
        await ledger.settle(reply.id, 'unknown');
        addToBills(account, amounts);
      } else {
        const part = random();
        const actual = {
          tokens: Math.floor(amounts.tokens * part),
          usd: Math.floor(amounts.usd * 1e6 * part) / 1e6,
          calls: 1,
          fuel: Math.floor(amounts.fuel * part),
        };
        await ledger.settle(reply.id, actual);
        addToBills(account, actual);
      }
      if (random() < 0.05) await inspect();
    }
  }

  function checkRefusal({ account, resource, limit, spent, held, requested }: BudgetEnd): void {
    if (spent + held + requested <= limit) broken.push(`${account} refused ${resource} for nothing`);
  }

  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  await inspect();
  const bill = (account: string, resource: Resource) =>
    (bills.get(account)!.get(resource) ?? 0) / (resource === 'usd' ? 1e6 : 1);
  return { ids, bill, broken, granted, refused };
}

function toWholeUnits(resource: Resource, amount: number): number {
  return Math.round(amount * (resource === 'usd' ? 1e6 : 1));
}

function randomLimits(random: () => number, root: boolean): Amounts {
  const limits: { -readonly [Name in Resource]?: number } = {};
  if (root || random() < 0.5) limits.tokens = 1000 + Math.floor(random() * 4000);
  if (random() < 0.5) limits.usd = Math.floor(random() * 600_000) / 1e6;
  if (random() < 0.3) limits.calls = Math.floor(random() * 200);
  if (random() < 0.3) limits.fuel = Math.floor(random() * 90_000);
  return limits;
}

/** Numbers from 0 to 1, determined by the seed (the linear congruential generator of Numerical Recipes). */
function randomGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
