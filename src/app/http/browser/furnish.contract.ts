/** A workspace in which something has happened, for tests of the page: written, asked, talked about, investigated. */
import { type RunEvent, zero } from '../../../core/index.ts';
import { pool, runTrial, signalOf } from '../../../tasks/incident/incident.contract.ts';
import { anIncident, type Desk, someRun } from '../testbed.contract.ts';

/** What material says to be more than text: in titles, paths, texts, code, replies, claims. */
export const planted: readonly string[] = [
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

export interface Furnished {
  readonly run: string;
  readonly live: string;
  readonly incident: string;
  /** With series, investigated for real. */
  readonly charted: string;
  readonly page: string;
  readonly threads: readonly string[];
}

const long = (text: string): string => text.slice(0, 400);

/** `more`: further planted strings. */
export async function furnish(desk: Desk, more: readonly string[] = []): Promise<Furnished> {
  const evil = [...planted, ...more];
  const text = evil.map((one) => `${one}\n`).join('\n');
  const [page = ''] = desk.write('author', {
    op: 'create_page',
    path: 'Ovens',
    text: `# Ovens\n\nThe oven holds **210 °C** for bread. See [[Bread]].\n\n| a | b |\n|---|---|\n| 1 | ${planted[1]} |\n\n- [ ] to do\n- [x] done\n\n${text}`,
  });
  const block = desk.world.read(page, 'canonical')!.blocks.find(({ text: one }) => one.includes('210'))!;
  desk.write('author', { op: 'create_page', path: `Odd ${long(planted[0]!).replaceAll('/', '⁄')}`, text });
  desk.write('agent', { op: 'create_page', path: 'Bread', text: `# Bread\n\nBake it hot.\n\n${text}` }, [
    block.id,
  ]);
  desk.write('agent', { op: 'add_block', page, text: `An agent adds this. ${planted[1]}` } as never);
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
    ...{ act: 'reject', revision: 1, reason: long(text) },
  });

  const [gone = ''] = desk.write('author', { op: 'create_page', path: `Gone ${long(planted[1]!)}`, text });
  desk.write('author', { op: 'delete_page', page: gone });
  await desk.send('POST', '/workspaces/notes/schedules', {
    ...{ id: 'nightly', prompt: evil.join('\n'), cron: '0 3 * * *', max_per_day: 2 },
  });
  await desk.send('POST', '/tokens', { name: 'eye', role: 'reader' });
  await desk.send('POST', '/workspaces/notes/memory', { key: planted[0], text });
  desk.memory
    .from({ thread: null, channel: null })
    .put(
      { tier: 'account', key: planted[1]!, text: long(text) },
      { writer: 'agent planner', idempotencyKey: null, origins: [planted[2]!] },
    );

  const evilRun = someRun.map((event): RunEvent => {
    if (event.kind === 'run_started') return { ...event, question: `Why? ${planted[0]}` };
    if (event.kind === 'model_replied') return { ...event, text, cached: 4 };
    if (event.kind === 'action_started') return { ...event, reasoning: text, input: { path: planted[1]! } };
    if (event.kind === 'action_finished') return { ...event, summary: planted[2]! };
    if (event.kind === 'evidence_registered')
      return {
        ...event,
        evidence: { ...event.evidence, file_path: `a${planted[7]}.ts`, content: text, end_line: 40 },
      };
    if (event.kind === 'claims_checked')
      return {
        ...event,
        claims: [
          { text: 'It is one.', verdict: 'shown', evidence: ['ev-0123456789'], flags: [] },
          {
            text: planted[1]!,
            verdict: 'contradicted',
            why: planted[3]!,
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
  const evilIncident = anIncident.map(
    (event): RunEvent =>
      event.kind === 'run_finished' ? { ...event, incident: incidentOf(text) as never } : event,
  );
  await desk.run('run-incident', evilIncident, desk.own);

  const { result } = await runTrial(desk.own, { signals: [signalOf(oddIncident)] });

  for (const id of ['asking', 'talked']) {
    desk.sessions.threads.create({ id, title: `${id} ${planted[0]}`, channel: null });
    const said = id === 'asking' ? 'ask me' : `propose ${planted[4]}`;
    await desk.send('POST', `/threads/${id}/messages`, { text: said });
  }
  return {
    run: 'run-whole',
    live: 'run-live',
    incident: 'run-incident',
    charted: result.run_id,
    page,
    threads: ['asking', 'talked'],
  };
}

/** Its systems tell more than figures, too. */
const oddIncident: typeof pool = {
  ...pool,
  metrics: pool.metrics.map(([service, name, ...rest], n) => [
    service,
    name === pool.alert.metric ? name : `${name} ${planted[n % planted.length]!}`,
    ...rest,
  ]),
  commits: pool.commits.map(([minute, service, title, ...rest], n) => [
    ...([minute, service, `${title} ${planted[n % planted.length]!}`] as const),
    ...rest,
  ]),
};

const incidentOf = (text: string) => ({
  run_id: 'run-incident',
  verdict: 'code_change',
  root_cause: `A commit took the timeout away. ${planted[1]}`,
  root_cause_category: 'code_defect',
  detail: 'timeout_removed',
  confidence: 0.82,
  blamed: { kind: 'commit', id: '4f2a91c', service: 'checkout' },
  links: [{ kind: 'setting', from: 'timeout_ms', to: planted[2]!, evidence: ['ev-0123456789'] }],
  suspects: [
    { kind: 'commit', id: '4f2a91c', score: 0.82, evidence: ['ev-0123456789'], why: planted[0]! },
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
    { text: planted[3]!, evidence: [], verdict: 'not shown', reason: text.slice(0, 200) },
  ],
  remediation_steps: ['Put the timeout back.', planted[5]!],
  validity_score: 0.5,
  timeline: [
    { at: '2026-11-20T10:01:00Z', what: `Deployed 4f2a91c ${planted[0]}`, evidence: [] },
    { at: '2026-11-20T10:04:00Z', what: 'Errors begin', evidence: ['ev-0123456789'] },
  ],
  coverage: {
    signals: [{ system: 'prometheus', source: planted[1]!, state: 'ok' }],
    ...{
      asked: 7,
      empty: ['logs of payments'],
      unchecked: [],
      left_out: [planted[9]!],
      evidence: 4,
      notes: [],
    },
  },
  stop_reason: 'finalized',
  spent: zero,
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
