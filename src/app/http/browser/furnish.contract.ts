/** A workspace in which something has happened, for tests of the page: written, asked, talked about, investigated. */
import { type RunEvent, zeroAmounts } from '../../../core/index.ts';
import { pool, runTrial, signalOf } from '../../../tasks/incident/incident.contract.ts';
import { type Desk, incidentEvents, researchEvents } from '../testbed.contract.ts';

/** What material says to be more than text: in titles, paths, texts, code, replies, claims. */
export const hostileTexts: readonly string[] = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"><style>* { display: none }</style></svg>',
  '<style>body { background: red }</style>',
  '[click](javascript:window.hacked=1) [two](data:text/html,<script>parent.hacked=1</script>)',
  '![pixel](http://127.0.0.1:9/pixel.png) ![[http://127.0.0.1:9/frame]]',
  '<iframe src="http://127.0.0.1:9/"></iframe><base href="http://127.0.0.1:9/">',
  '</pre></div><button class="main-act">Accept</button>',
  '"><form action="http://127.0.0.1:9/"><input autofocus onfocus=window.hacked=1>',
  '\u202Egnp.exe \u2066hidden\u2069 zero\u200Bwidth \u{E0041}tag',
  '{{constructor.constructor("window.hacked=1")()}} <% window.hacked=1 %>',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
];

export interface FilledWorkspace {
  readonly run: string;
  readonly live: string;
  readonly incident: string;
  /** With series, investigated for real. */
  readonly incidentWithSeries: string;
  readonly page: string;
  readonly threads: readonly string[];
}

const shorten = (text: string): string => text.slice(0, 400);

/** `more`: further planted strings. */
export async function fillWorkspace(desk: Desk, more: readonly string[] = []): Promise<FilledWorkspace> {
  const hostile = [...hostileTexts, ...more];
  const text = hostile.map((one) => `${one}\n`).join('\n');
  const [page = ''] = desk.write('author', {
    op: 'create_page',
    path: 'Ovens',
    text: `# Ovens\n\nThe oven holds **210 °C** for bread. See [[Bread]].\n\n| a | b |\n|---|---|\n| 1 | ${hostileTexts[1]} |\n\n- [ ] to do\n- [x] done\n\n${text}`,
  });
  const block = desk.world.read(page, 'canonical')!.blocks.find(({ text: one }) => one.includes('210'))!;
  desk.write('author', {
    op: 'create_page',
    path: `Odd ${shorten(hostileTexts[0]!).replaceAll('/', '⁄')}`,
    text,
  });
  desk.write('agent', { op: 'create_page', path: 'Bread', text: `# Bread\n\nBake it hot.\n\n${text}` }, [
    block.id,
  ]);
  desk.write('agent', { op: 'add_block', page, text: `An agent adds this. ${hostileTexts[1]}` } as never);
  desk.write('agent', {
    op: 'update_block',
    block: block.id,
    text: 'The oven holds **230 °C** for bread. See [[Bread]].',
  });
  const [note = ''] = desk.write(
    'agent',
    { op: 'create_page', path: 'Notes/Shift', text: 'Two loaves an hour.\n' },
    [block.id],
  );
  desk.world.shown('vera', desk.world.inbox(1_000));
  desk.write('author', { op: 'promote', content: note });
  desk.write('author', {
    op: 'update_block',
    block: block.id,
    text: 'The oven holds **215 °C** for bread. See [[Bread]].',
  });

  const [dropped = ''] = desk.write('agent', { op: 'create_page', path: 'Dropped', text });
  await desk.get('/workspaces/notes/inbox?limit=200');
  await desk.send('POST', `/workspaces/notes/inbox/${dropped}/decision`, {
    ...{ act: 'reject', revision: 1, reason: shorten(text) },
  });

  const [deletedPage = ''] = desk.write('author', {
    op: 'create_page',
    path: `Gone ${shorten(hostileTexts[1]!)}`,
    text,
  });
  desk.write('author', { op: 'delete_page', page: deletedPage });
  await desk.send('POST', '/workspaces/notes/schedules', {
    ...{ id: 'nightly', prompt: hostile.join('\n'), cron: '0 3 * * *', max_per_day: 2 },
  });
  await desk.send('POST', '/tokens', { name: 'eye', role: 'reader' });
  await desk.send('POST', '/workspaces/notes/memory', { key: hostileTexts[0], text });
  desk.memory
    .viewFrom({ thread: null, channel: null })
    .put(
      { tier: 'account', key: hostileTexts[1]!, text: shorten(text) },
      { writer: 'agent planner', idempotencyKey: null, origins: [hostileTexts[2]!] },
    );

  const evilRun = researchEvents.map((event): RunEvent => {
    if (event.kind === 'run_started') return { ...event, question: `Why? ${hostileTexts[0]}` };
    if (event.kind === 'model_replied') return { ...event, text, cached: 4 };
    if (event.kind === 'action_started')
      return { ...event, reasoning: text, input: { path: hostileTexts[1]! } };
    if (event.kind === 'action_finished') return { ...event, summary: hostileTexts[2]! };
    if (event.kind === 'evidence_registered')
      return {
        ...event,
        evidence: { ...event.evidence, file_path: `a${hostileTexts[7]}.ts`, content: text, end_line: 40 },
      };
    if (event.kind === 'claims_checked')
      return {
        ...event,
        claims: [
          { text: 'It is one.', verdict: 'shown', evidence: ['ev-0123456789'], flags: [] },
          {
            text: hostileTexts[1]!,
            verdict: 'contradicted',
            why: hostileTexts[3]!,
            evidence: ['ev-0123456789'],
            flags: ['command'],
          },
        ],
      };
    if (event.kind === 'run_finished')
      return { ...event, result: { ...event.result, answer: `It is one [ev-0123456789].\n\n${text}` } };
    return event;
  });
  await desk.run('run-whole', evilRun, desk.own);
  await desk.run('run-live', evilRun.slice(0, 5));
  const evilIncident = incidentEvents.map(
    (event): RunEvent =>
      event.kind === 'run_finished' ? { ...event, incident: toIncident(text) as never } : event,
  );
  await desk.run('run-incident', evilIncident, desk.own);

  const { result } = await runTrial(desk.own, { signals: [signalOf(oddIncident)] });

  for (const id of ['asking', 'talked']) {
    desk.sessions.threads.create({ id, title: `${id} ${hostileTexts[0]}`, channel: null });
    const text = id === 'asking' ? 'ask me' : `propose ${hostileTexts[4]}`;
    await desk.send('POST', `/threads/${id}/messages`, { text: text });
  }
  return {
    run: 'run-whole',
    live: 'run-live',
    incident: 'run-incident',
    incidentWithSeries: result.run_id,
    page,
    threads: ['asking', 'talked'],
  };
}

/** Its systems tell more than figures, too. */
const oddIncident: typeof pool = {
  ...pool,
  metrics: pool.metrics.map(([service, name, ...rest], n) => [
    service,
    name === pool.alert.metric ? name : `${name} ${hostileTexts[n % hostileTexts.length]!}`,
    ...rest,
  ]),
  commits: pool.commits.map(([minute, service, title, ...rest], n) => [
    ...([minute, service, `${title} ${hostileTexts[n % hostileTexts.length]!}`] as const),
    ...rest,
  ]),
};

const toIncident = (text: string) => ({
  run_id: 'run-incident',
  verdict: 'code_change',
  root_cause: `A commit took the timeout away. ${hostileTexts[1]}`,
  root_cause_category: 'code_defect',
  detail: 'timeout_removed',
  confidence: 0.82,
  blamed: { kind: 'commit', id: '4f2a91c', service: 'checkout' },
  links: [{ kind: 'setting', from: 'timeout_ms', to: hostileTexts[2]!, evidence: ['ev-0123456789'] }],
  suspects: [
    { kind: 'commit', id: '4f2a91c', score: 0.82, evidence: ['ev-0123456789'], why: hostileTexts[0]! },
    {
      kind: 'traffic',
      id: 'more requests',
      score: 0.2,
      evidence: [],
      why: 'Twice as many, after the onset.',
    },
  ],
  causal_chain: [],
  validated_claims: [{ text: 'Errors begin at 10:04.', evidence: ['ev-0123456789'], verdict: 'shown' }],
  non_validated_claims: [
    { text: hostileTexts[3]!, evidence: [], verdict: 'not shown', reason: text.slice(0, 200) },
  ],
  remediation_steps: ['Put the timeout back.', hostileTexts[5]!],
  validity_score: 0.5,
  timeline: [
    { at: '2026-11-20T10:01:00Z', what: `Deployed 4f2a91c ${hostileTexts[0]}`, evidence: [] },
    { at: '2026-11-20T10:04:00Z', what: 'Errors begin', evidence: ['ev-0123456789'] },
  ],
  coverage: {
    signals: [{ system: 'prometheus', source: hostileTexts[1]!, state: 'ok' }],
    ...{
      asked: 7,
      empty: ['logs of payments'],
      unchecked: [],
      left_out: [hostileTexts[9]!],
      evidence: 4,
      notes: [],
    },
  },
  stop_reason: 'finalized',
  spent: zeroAmounts,
  alert: 'Checkout fails',
  window: {
    from: Date.parse('2026-11-20T10:00:00Z'),
    to: Date.parse('2026-11-20T10:30:00Z'),
    baseline_from: Date.parse('2026-11-20T09:30:00Z'),
    derivation: 'half an hour around the alert',
  },
  first_failing_service: 'checkout',
  model: 'm',
  deliveries: [],
});
