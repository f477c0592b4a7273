/** A small bakery's workspace, as a reader of the README would meet one: some pages, an agent at work, an incident. */
import { type RunEvent, zeroAmounts } from '../../../core/index.ts';
import { runTrial } from '../../../tasks/incident/incident.contract.ts';
import type { Desk } from '../testbed.contract.ts';

const answer = `A failed delivery is retried by \`Delivery.retry\`, which asks \`backoffMs\` how long to wait [ev-1f0c6d2a91].

- The wait doubles with each try, up to one minute [ev-1f0c6d2a91].
- After five tries the parcel goes to the counter [ev-7be2440c18].
- The customer is told before the first retry.`;

const evidence = (id: string, path: string, start: number, content: string) => ({
  ...{ id, file_path: path, start_line: start, end_line: start + content.split('\n').length - 1, content },
  ...{ reason: 'defines what the question names', provenance: 'hybrid', score: 0.9, hash: 'h', commit: null },
  ...{ symbol_id: null, symbol_kind: null },
});

const backoff = `/** Doubles with each try; milliseconds. */
export function backoffMs(tries: number): number {
  return Math.min(60_000, 500 * 2 ** tries);
}

export class Delivery {
  async retry(parcel: Parcel): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (await this.hand(parcel)) return;
      await sleep(backoffMs(tries));
    }
    await this.counter.keep(parcel);
  }
}`;

const counter = `/** After so many the parcel waits at the counter. */
const maxTries = 5;`;

const toSpending = (tokens: number) => ({
  ...zeroAmounts,
  tokens,
  usd: tokens * 3e-6,
  calls: 1,
  wall_ms: 900,
});

function answerEvents(): readonly RunEvent[] {
  const events: object[] = [
    {
      ...{
        kind: 'run_started',
        shape: 'research',
        params: {},
        limits: { tokens: 60_000, usd: 0.5, steps: 12 },
      },
      question: 'How is a failed delivery retried, and what stops it?',
    },
  ];
  const queries = [
    'Delivery retry',
    'backoffMs',
    'src/delivery.ts',
    'maxTries',
    'counter.keep',
    'notify customer',
  ];
  for (let step = 1; step <= 6; step += 1) {
    const model = `step-${step}/model-1`;
    events.push(
      { kind: 'step_started', step, left: { tokens: 60_000 - step * 4_000 } },
      {
        kind: 'model_called',
        step,
        call: model,
        model: 'claude-sonnet-5-5',
        signature: 'plan',
        reserved: { tokens: 6_000 },
      },
      {
        ...{
          kind: 'model_replied',
          step,
          call: model,
          spent: toSpending(3_000 + step * 310),
          unknown: false,
          wall_ms: 900,
        },
        ...{ text: `{"next": "${queries[step - 1]}"}`, cached: step === 1 ? 0 : 2_400 },
      },
    );
    const calls = [`a${step}`, `b${step}`];
    for (const call of calls)
      events.push({
        ...{ kind: 'action_started', step, call, action: call.startsWith('a') ? 'search' : 'open' },
        ...{ input: { query: queries[step - 1]! }, reasoning: 'It should name the wait between two tries.' },
      });
    if (step === 2)
      events.push({
        ...{ kind: 'evidence_registered', step },
        evidence: evidence('ev-1f0c6d2a91', 'src/delivery.ts', 12, backoff) as never,
      });
    if (step === 4)
      events.push({
        ...{ kind: 'evidence_registered', step },
        evidence: evidence('ev-7be2440c18', 'src/limits.ts', 3, counter) as never,
      });
    for (const call of calls)
      events.push({
        ...{
          kind: 'action_finished',
          step,
          call,
          action: call.startsWith('a') ? 'search' : 'open',
          outcome: 'ok',
        },
        ...{ summary: `${6 + step} spans, the best in src/delivery.ts`, fresh: 1, wall_ms: 40 },
        evidence: step === 2 ? ['ev-1f0c6d2a91'] : step === 4 ? ['ev-7be2440c18'] : [],
        completeness: { complete: true } as never,
      });
  }
  const claims = [
    {
      text: 'Delivery.retry asks backoffMs how long to wait.',
      verdict: 'shown',
      evidence: ['ev-1f0c6d2a91'],
      flags: [],
    },
    {
      text: 'The wait doubles with each try, up to one minute.',
      verdict: 'shown',
      evidence: ['ev-1f0c6d2a91'],
      flags: [],
    },
    {
      text: 'After five tries the parcel goes to the counter.',
      verdict: 'supported',
      evidence: ['ev-7be2440c18', 'ev-1f0c6d2a91'],
      flags: [],
    },
    {
      ...{
        text: 'The customer is told before the first retry.',
        verdict: 'not shown',
        evidence: [],
        flags: [],
      },
      why: 'No line that was read tells a customer anything.',
    },
  ] as const;
  const spent = { ...zeroAmounts, tokens: 24_510, usd: 0.0735, calls: 6, steps: 6, wall_ms: 9_400 };
  events.push(
    { kind: 'citation_checked', id: 'ev-1f0c6d2a91', status: 'valid' },
    { kind: 'citation_checked', id: 'ev-7be2440c18', status: 'valid' },
    { kind: 'claims_checked', claims },
    {
      ...{ kind: 'run_finished', spent },
      result: {
        ...{
          run_id: 'run-delivery',
          status: 'partial',
          answer,
          citations: [],
          unsupported: [],
          confidence: null,
        },
        ...{ stop_reason: 'finalized', model: 'claude-sonnet-5-5', spent, claims },
        coverage: {
          files: 61,
          skipped: 0,
          searches: 6,
          files_read: 4,
          evidence: 2,
          notes: [],
          completeness: {},
        },
      } as never,
    },
  );
  // Parts of events are shared here, which loses their exact types.
  return events as RunEvent[];
}

export interface Bakery {
  readonly item: string;
  readonly page: string;
  readonly run: string;
  readonly evidence: string;
  readonly incident: string;
  readonly thread: string;
}

/** `pause`: between the events of a run, so that they take some time. */
export async function fillBakery(desk: Desk, pause: (ms: number) => Promise<unknown>): Promise<Bakery> {
  const { world } = desk;
  const [ovens = ''] = desk.write('author', {
    op: 'create_page',
    path: 'Bakery/Ovens',
    text: `# Ovens

The deck oven holds **210 °C** for bread and needs forty minutes to get there. See [[Bread]] for what goes in first.

| oven | for | minutes to heat |
|---|---|---|
| deck | bread, rolls | 40 |
| rack | cakes, biscuits | 25 |

> [!warning] Steam
> Open the valve before the door.

- [x] thermometer of the deck oven changed
- [ ] order new seals
`,
  });
  desk.write('author', {
    op: 'create_page',
    path: 'Bakery/Bread',
    text: '# Bread\n\nDough rests overnight at 5 °C. It goes in when the oven is hot.\n',
  });
  desk.write('author', {
    op: 'create_page',
    path: 'Bakery/Suppliers',
    text: '# Suppliers\n\nFlour comes on Tuesdays from the mill.\n',
  });
  const blocks = world.read(ovens, 'canonical')!.blocks;
  const heat = blocks.find(({ text }) => text.includes('210'))!;
  const bread = world.page('Bakery/Bread')!;
  const rests = world.read(bread.id, 'canonical')!.blocks.find(({ text }) => text.includes('Dough'))!;
  desk.sessions.threads.create({ id: 'talk', title: 'Heating times', channel: null });
  desk.write(
    'agent',
    {
      op: 'update_block',
      block: heat.id,
      text: 'The deck oven holds **220 °C** for bread and needs fifty minutes to get there since its seals leak. See [[Bread]] for what goes in first.\n',
    },
    [rests.id],
  );
  const [plan = ''] = desk.write(
    'agent',
    {
      op: 'create_page',
      path: 'Bakery/Morning plan',
      text: '# Morning plan\n\n1. 03:10 deck oven on\n2. 04:00 rolls in\n3. 04:40 bread in\n',
    },
    [heat.id, rests.id],
  );
  desk.write('agent', {
    op: 'add_block',
    page: ovens,
    text: 'The rack oven bakes biscuits two minutes faster on its lower rails.\n',
  } as never);
  const [shift = ''] = desk.write(
    'agent',
    { op: 'create_page', path: 'Bakery/Shift notes', text: 'Flour for Wednesday is ordered.\n' },
    [rests.id],
  );
  world.shown('vera', world.inbox(100));
  desk.write('author', { op: 'promote', content: shift });
  desk.write('author', {
    op: 'update_block',
    block: rests.id,
    text: 'Dough rests overnight at 4 °C. It goes in when the oven is hot.\n',
  });
  void plan;

  await storeRun(
    desk,
    'run-delivery',
    'How is a failed delivery retried, and what stops it?',
    answerEvents(),
    pause,
  );
  const { result: checked } = await runTrial(desk.own);
  desk.sessions.threads.create({ id: 'plan', title: 'Plan the morning', channel: null });
  await desk.send('POST', '/threads/plan/messages', { text: 'propose Bakery/Rye' });
  return {
    item: world.inbox(100).find(({ kind }) => kind === 'deviation')!.id,
    ...{
      page: ovens,
      run: 'run-delivery',
      evidence: 'ev-1f0c6d2a91',
      incident: checked.run_id,
      thread: 'plan',
    },
  };
}

async function storeRun(
  { own }: Desk,
  id: string,
  question: string,
  events: readonly RunEvent[],
  pause: (ms: number) => Promise<unknown>,
): Promise<void> {
  const [first] = events;
  await own.runs.create({
    id,
    shape: first?.kind === 'run_started' ? first.shape : '',
    question,
    root: '/',
    params: {},
  });
  const lease = await own.runs.acquire(id);
  const log = own.log(lease);
  for (const [n, event] of events.entries()) {
    log.append(`e${n}`, event);
    await pause(20 + ((n * 37) % 60));
  }
  own.runs.finish(id, lease);
  await own.commit(lease);
  await lease.release();
}
