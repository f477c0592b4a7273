/**
 * A worker of `bench/team-faults.ts`: it takes runs from the queue and makes ten steps of each. A step reserves 100 tokens,
 * asks a model that takes a moment and writes down what it bills, and settles 70. A run draws its part of its team's
 * pool before it begins, and settles it when it has ended. A line of JSON of each thing that is worth telling.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, openPostgresQueue, openPostgresStore, workOff, writerOf } from '../../src/bench.ts';

export const topic = 'bench faults';
export const stepsOfRun = 10;

/** What is asked of a worker, beside where: how long its leases are, and what of a resource a run and a step take. */
export interface WorkerTerms {
  readonly leaseMs: number;
  readonly resource: 'tokens' | 'usd';
  readonly share: number;
  readonly asked: number;
  readonly billed: number;
}

const [url, effects, slots, given] = process.argv.slice(2);
if (url !== undefined && given !== undefined && process.argv[1] === import.meta.filename)
  await work(url, effects!, Number(slots), JSON.parse(given));

async function work(
  address: string,
  bills: string,
  places: number,
  { leaseMs, resource, share, asked, billed }: WorkerTerms,
): Promise<void> {
  const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`);
  const options = { url: address, leaseMs, maxConnections: 4 };
  const store = openPostgresStore(options);
  const queue = openPostgresQueue(options);
  const codeOf = (thrown: unknown): string =>
    thrown instanceof Refused ? 'run_state' : String((thrown as { code?: unknown }).code ?? thrown);

  async function carryOn(run: string, signal: AbortSignal): Promise<void> {
    if ((await store.runs.get(run)).status !== 'finished') await live(run, signal);
    // Whoever comes to it after its end settles its part, once.
    const { spent } = await store.accounts.balance(run);
    await store.accounts
      .settle(`${run}.part/part#1`, { [resource]: spent[resource] })
      .catch((thrown: unknown) => {
        if (codeOf(thrown) !== 'pool_misuse') throw thrown;
      });
  }

  async function live(run: string, signal: AbortSignal): Promise<void> {
    const drawn = await store.accounts
      .reserve({
        account: 'team',
        key: { run: `${run}.part`, step: 'part', fence: 1 },
        amounts: { [resource]: share },
      })
      .catch((thrown: unknown) => {
        // Another ended the run and settled its part since this one looked.
        if (codeOf(thrown) === 'pool_misuse') throw new Refused(true);
        throw thrown;
      });
    if (drawn.kind !== 'reserved') throw new Refused(drawn.held > 0);
    const lease = await store.runs.acquire(run);
    const lost = new AbortController();
    const heart = setInterval(() => {
      lease.renew().catch((thrown: unknown) => codeOf(thrown) === 'lease_lost' && lost.abort(thrown));
    }, leaseMs / 3);
    try {
      const { fence } = lease;
      const writer = writerOf(store, lease);
      const limits = { [resource]: share };
      const started = { kind: 'run_started', shape: 'research', question: run, params: {}, limits } as const;
      writer.begin(started);
      const pool = openPool(store.ledger(lease), { account: run, run, fence, limits });
      const commit = async (): Promise<void> => void (await writer.commit());
      const step = writer.steps({ pool, signal: AbortSignal.any([signal, lost.signal]), commit });
      for (let n = 0; n < stepsOfRun; n += 1) {
        await step(`step-${n}`, {
          cost: { [resource]: asked },
          async run() {
            appendFileSync(bills, `${run} ${n} ${fence}\n`);
            await sleep(80);
            const event = { kind: 'step_started', step: n, left: { tokens: 1 } } as const;
            return {
              value: { n, text: 'x'.repeat(2_000) },
              spent: { [resource]: billed },
              events: [[`told-${n}`, event]],
            };
          },
        });
        lost.signal.throwIfAborted();
        signal.throwIfAborted();
        say({ step: `${run}/${n}` });
      }
      writer.finish({ kind: 'run_resumed', fence, recovered: 0 });
      await commit();
      pool.close();
    } finally {
      clearInterval(heart);
      await lease.release().catch(() => {});
    }
  }

  const off = workOff({
    queue,
    topic,
    slots: places,
    renewMs: leaseMs / 3,
    pollMs: 100,
    tell: () => {},
    async work(claim, signal) {
      say({ took: claim.job.key, deaths: claim.job.deaths });
      try {
        await carryOn(claim.job.key, signal);
        return { kind: 'done' };
      } catch (thrown) {
        // What others give back may be enough for it.
        if (thrown instanceof Refused && !thrown.mayPass)
          return { kind: 'failed', error: { code: 'exhausted', message: 'the pool of the team' } };
        say({ left: claim.job.key, code: codeOf(thrown), message: String(thrown).slice(0, 200) });
        return { kind: 'release', afterMs: 200 };
      }
    },
  });
  say({ ready: true });
  await off.take();
}

class Refused extends Error {
  readonly mayPass: boolean;
  constructor(mayPass: boolean) {
    super('the pool of the team is too small');
    this.mayPass = mayPass;
  }
}
