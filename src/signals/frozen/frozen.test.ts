import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type IncidentWindow,
  isSondeError,
  manualClock,
  type Observation,
  type SignalRows,
} from '../../core/index.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { type Frozen, openFrozen } from './frozen.ts';

const place = mkdtempSync(join(tmpdir(), 'sonde-frozen-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const start = Date.UTC(2026, 6, 11, 12);
const minute = 60_000;
const iso = (k: number): string => new Date(start + k * minute).toISOString();
const window: IncidentWindow = {
  from: start + 30 * minute,
  to: start + 60 * minute,
  baseline_from: start,
  derivation: 'a test',
};
const each = <Value>(count: number, make: (k: number) => Value): Value[] =>
  Array.from({ length: count }, (_, k) => make(k));
const commit = (k: number): string => k.toString(16).padStart(2, '0').repeat(20);

/** Everything that an incident may hold, with what lies past its window. */
const whole: Readonly<Record<string, string | Buffer>> = {
  'alert.json': JSON.stringify({
    service: 'shop',
    metric: 'errors',
    monitor: 'shop-errors',
    fired_at: iso(50),
  }),
  'logs.ndjson': each(80, (k) =>
    JSON.stringify({
      timestamp: iso(k),
      service: k % 2 === 0 ? 'shop' : 'cart',
      severity_text: k >= 40 ? 'ERROR' : 'INFO',
      msg: k >= 40 ? `charge ${k} failed with password=hunter2-secret` : `served request ${k}`,
    }),
  ).join('\n'),
  'metrics.csv': [
    'timestamp,service,metric,value',
    ...each(80, (k) => `${iso(k)},shop,errors,${k < 40 ? 0.1 + (k % 3) / 100 : 0.9}`),
    ...each(80, (k) => `${iso(k)},cart,latency,${20 + (k % 5)}`),
  ].join('\n'),
  'traces.json': JSON.stringify([
    {
      trace_id: 'aa',
      span_id: 'a1',
      parent_id: null,
      service: 'shop',
      name: 'GET /',
      start: iso(45),
      duration_ms: 9,
      status: 'OK',
    },
    {
      trace_id: 'same',
      span_id: 'b1',
      parent_id: 'a1',
      service: 'cart',
      name: 'Charge',
      start: iso(45),
      duration_ms: 8,
      status: 'ERROR',
      error: 'timeout',
    },
    {
      trace_id: 'late',
      span_id: 'z',
      parent_id: null,
      service: 'shop',
      name: 'GET /',
      start: iso(70),
      duration_ms: 1,
      status: 'OK',
    },
  ]),
  'patterns.json': JSON.stringify([
    {
      signature: 'charge <N> failed with',
      service: 'shop',
      count: 900,
      delta_vs_baseline: '+890',
      sentiment: 'negative',
    },
  ]),
  'status_feed.json': JSON.stringify({
    provider: 'bank',
    incidents: [
      { id: 'i1', started_at: iso(38), name: 'Charges fail' },
      { id: 'i2', started_at: iso(75), name: 'later' },
    ],
    rate: each(80, (k) => ({ timestamp: iso(k), endpoint: 'bank/charges', value: k < 38 ? 0.2 : 70 })),
  }),
  'context/commits.json': JSON.stringify([
    {
      sha: commit(1),
      author: 'ann',
      timestamp: iso(20),
      message: 'change the retry',
      files_changed: ['a.go'],
      diff: '@@ a.go @@\n-retry 1\n+retry 9',
    },
    {
      sha: commit(2),
      author: 'bob',
      timestamp: iso(25),
      message: 'docs',
      files_changed: ['b.md'],
      diff: null,
    },
    {
      sha: commit(3),
      author: 'eve',
      timestamp: iso(70),
      message: 'after',
      files_changed: ['c.go'],
      diff: 'x',
    },
  ]),
  'context/deploys.json': JSON.stringify([
    { timestamp: iso(39), service: 'shop', commit_sha: commit(1), version: 'v9' },
  ]),
  'context/flags.json': JSON.stringify([
    { timestamp: iso(35), flag: 'fast', service: 'cart', change: 'off->on', actor: 'ann' },
  ]),
};

let made = 0;
function folderWith(files: Readonly<Record<string, string | Buffer>>, under = 'data'): string {
  const root = join(place, `incident-${made++}`);
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, under, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(root, under), { recursive: true });
  return root;
}

const open = (folder: string): Promise<Frozen> => openFrozen({ folder, clock: manualClock(start) });

async function see(frozen: Frozen, name: string, args: unknown = {}): Promise<Observation> {
  const reply = await frozen.signal.questions
    .find((one) => one.name === name)!
    .ask(args, { window, limits: contractLimits });
  if (reply.kind === 'failure') throw new Error(reply.message);
  return reply;
}

async function rowsOf<Kind extends SignalRows['kind']>(
  frozen: Frozen,
  name: string,
  kind: Kind,
  args: unknown = {},
): Promise<Extract<SignalRows, { kind: Kind }>> {
  const { rows } = await see(frozen, name, args);
  if (rows.kind !== kind) throw new Error(`${name} is ${rows.kind}`);
  return rows as Extract<SignalRows, { kind: Kind }>;
}

signalContract('frozen incident', async () => ({
  signal: (await open(folderWith(whole))).signal,
  window,
  ask: {
    frozen_alerts: {},
    frozen_metrics: {},
    frozen_lines: {},
    frozen_patterns: {},
    frozen_traces: {},
    frozen_changes: {},
    frozen_status: {},
  },
  plentiful: ['frozen_metrics', 'frozen_lines', 'frozen_patterns', 'frozen_traces', 'frozen_changes'],
  secrets: ['hunter2-secret'],
  dispose: async () => {},
}));

describe('a frozen incident', () => {
  test.each<[string, Readonly<Record<string, string | Buffer>>]>([
    ['logs', { 'logs.ndjson': whole['logs.ndjson']! }],
    ['packed logs', { 'app.log.gz': gzipSync(whole['logs.ndjson'] as string) }],
    [
      'traces',
      { 'traces.json': JSON.stringify([{ span_id: 'a', service: 's', start: iso(79), duration_ms: 1 }]) },
    ],
    [
      'logs and old commits',
      {
        'logs.ndjson': whole['logs.ndjson']!,
        'commits.json': JSON.stringify([{ sha: commit(1), timestamp: iso(-9000), message: 'old' }]),
      },
    ],
  ])('with %s ends when they end', async (_, files) => {
    const frozen = await open(folderWith(files));
    expect(frozen.span?.to).toBe(start + 79 * minute + 1);
  });

  test('tells what it does not look at', async () => {
    const many = Object.fromEntries(each(3, (k) => [`a/b/c/d${k}/logs.ndjson`, '{}']));
    const { notes } = await open(
      folderWith({
        'heap.hprof': 'x',
        'notes.md': '# What we saw',
        'metrics.csv': 'a,b',
        'other.json': 'no json',
        'mystery.json': '{"a": 1}',
        'context/deploys.json': 'nor this',
        'alert.json': '{}',
        ...many,
      }),
    );
    expect(notes).toEqual([
      'a/b/c is left out: it is 3 folders deep.',
      'heap.hprof is not looked at: its name is not one of the known names of an incident’s files.',
      'notes.md is not looked at: its name is not one of the known names of an incident’s files.',
      'mystery.json is shown as it is: its name does not say what it holds.',
      'other.json is left out: nothing in it has a form that is known.',
      'metrics.csv is left out: nothing in it has a form that is known.',
      'context/deploys.json is left out: nothing in it has a form that is known.',
    ]);
    expect((await open(folderWith(whole))).notes).toEqual([]);
  });

  test.each([
    [
      '{bad\n',
      'Nothing in logs.ndjson has a time that can be read: its lines count as of the time of the incident.',
    ],
    [
      `${whole['logs.ndjson']}\n{"msg": "no time"}\n`,
      '1 of 81 entries of logs.ndjson have no time that can be read, and count as of the time of the incident.',
    ],
    ['', null],
  ])('tells of a log without times: %#', async (text, note) => {
    const { notes } = await open(folderWith({ 'metrics.csv': whole['metrics.csv']!, 'logs.ndjson': text }));
    expect(notes).toEqual(note === null ? [] : [note]);
  });

  test.each<[string, object, readonly string[], readonly string[]]>([
    ['all', {}, ['charge <N> failed with', 'gold seal lost'], ['gold seal lost']],
    [
      'a word of one that was counted elsewhere',
      { contains: 'SEAL' },
      ['gold seal lost'],
      ['gold seal lost'],
    ],
    ['a word that nothing holds', { contains: 'compaction' }, [], []],
    ['a service that has none of them', { service: 'cart', contains: 'seal' }, [], []],
  ])('patterns with %s, and which of them have no line here', async (_, args, templates, alone) => {
    const more = { signature: 'gold seal lost', service: 'shop', count: 3 };
    const given = [...(JSON.parse(String(whole['patterns.json'])) as object[]), more];
    const frozen = await open(folderWith({ ...whole, 'patterns.json': JSON.stringify(given) }));
    const { rows, notes } = await see(frozen, 'frozen_patterns', args);
    const shown = rows.kind === 'patterns' ? rows.patterns.map(({ template }) => template) : [];
    expect(shown.filter((one) => /charge <N>|seal/.test(one))).toEqual(templates);
    if (templates.length === 0) expect(shown).toEqual([]);
    const counted = notes.filter((note) => note.startsWith('Patterns that were counted'));
    expect(counted.join('').match(/"([^"]*)"/g) ?? []).toEqual(alone.map((one) => `"${one}"`));
  });

  test('series that keep times and values apart', async () => {
    const times = each(3, (k) => iso(k));
    const metrics = {
      metric_data_results: [
        {
          metric_name: 'DatabaseConnections',
          dimensions: [{ Name: 'DBInstanceIdentifier', Value: 'payments' }],
          timestamps: times,
          values: [1, 2, 3],
        },
        { name: 'queue', ts: times.map((time) => Date.parse(time)), depth: [4, 5, 6], age: [7, 8, 9] },
        { name: 'torn', timestamps: times, values: [1, 2] },
      ],
    };
    const frozen = await open(folderWith({ 'aws_metrics.json': JSON.stringify(metrics) }));
    const { series } = await rowsOf(frozen, 'frozen_metrics', 'series');
    expect(
      series.map(({ name, labels, points }) => [name, labels, points.map(([, value]) => value)]),
    ).toEqual([
      ['DatabaseConnections', { DBInstanceIdentifier: 'payments' }, [1, 2, 3]],
      ['queue.depth', {}, [4, 5, 6]],
      ['queue.age', {}, [7, 8, 9]],
    ]);
    expect(frozen.span).toEqual({ from: start, to: start + 2 * minute + 1 });
  });

  test('where nothing else has a time, that of what else was kept counts, and none that is yet to come', async () => {
    const clock = manualClock(start + 600 * minute);
    const openLate = (folder: string) => openFrozen({ folder, clock });
    const events = {
      events: [{ date: iso(3), message: 'full', valid_until: iso(9) }, { last_time: iso(7) }],
    };
    const alone = await openLate(folderWith({ 'rds_events.json': JSON.stringify(events) }));
    expect(alone.span).toEqual({ from: start + 3 * minute, to: start + 7 * minute + 1 });
    const later = { events: [{ date: iso(3) }, { start_time: '2999-01-01T00:00:00Z' }] };
    expect((await openLate(folderWith({ 'plan.json': JSON.stringify(later) }))).span?.to).toBe(
      start + 3 * minute + 1,
    );
    const beside = await openLate(
      folderWith({ 'logs.ndjson': whole['logs.ndjson']!, 'rds_events.json': JSON.stringify(events) }),
    );
    expect(beside.span?.to).toBe(start + 79 * minute + 1);
  });

  test('answers of exercises are never opened, under any of their names', async () => {
    const answers = [
      'answer.yml',
      'scenario.yml',
      'QA_VALIDATION.md',
      'truth.json',
      'answers.json',
      'solution.md',
    ];
    const files = Object.fromEntries(answers.map((name) => [name, '{"root_cause_category": "given-away"}']));
    const frozen = await open(folderWith({ ...whole, ...files }));
    expect(frozen.notes).toEqual([]);
    for (const { name } of frozen.signal.questions)
      expect(JSON.stringify(await see(frozen, name))).not.toContain('given-away');
  });

  test('what systems answered is asked for by kind', async () => {
    const frozen = await openFrozen({
      clock: manualClock(start + 600 * minute),
      folder: folderWith({
        'eks_events.json': JSON.stringify({
          events: [
            {
              reason: 'BackOff',
              message: 'again',
              involved_object: 'Pod/shop-1',
              last_time: iso(50),
              type: 'Warning',
            },
          ],
        }),
        'eks_pods.json': JSON.stringify({ pods: [{ name: 'shop-1', phase: 'Running' }] }),
        'datadog_logs.json': JSON.stringify({
          logs: [{ timestamp: iso(51), message: 'boom', status: 'error', service: 'shop' }],
        }),
        'datadog_monitors.json': JSON.stringify({ monitors: [{ name: 'm', overall_state: 'Alert' }] }),
      }),
    });
    expect(frozen.signal.questions.map(({ name }) => name)).toEqual([
      'frozen_lines',
      'frozen_patterns',
      'frozen_events',
      'frozen_objects',
      'frozen_monitors',
    ]);
    expect((await rowsOf(frozen, 'frozen_events', 'lines')).lines).toMatchObject([
      { service: 'shop-1', level: 'WARN' },
    ]);
    expect((await rowsOf(frozen, 'frozen_objects', 'table')).rows).toMatchObject([
      { kind: 'pod', name: 'shop-1' },
    ]);
    expect((await rowsOf(frozen, 'frozen_lines', 'lines')).lines).toMatchObject([
      { service: 'shop', text: 'boom' },
    ]);
    expect(frozen.span?.to).toBe(start + 51 * minute + 1);
  });

  test('ends with the last line of an answer that holds its lines in one text', async () => {
    const logs = `${iso(50)} INFO batch\n${iso(52)} WARN heap is full\n${iso(999)} INFO yet to come`;
    const frozen = await openFrozen({
      clock: manualClock(start + 600 * minute),
      folder: folderWith({
        'eks_pods.json': JSON.stringify({ pods: [{ name: 'shop-1', created: iso(40) }] }),
        'eks_pod_logs.json': JSON.stringify({ pod_name: 'shop-1', namespace: 'shop', logs }),
      }),
    });
    expect(frozen.span?.to).toBe(start + 52 * minute + 1);
  });

  test('says nothing of where its folder is', async () => {
    const folder = folderWith(whole);
    const { signal } = await open(folder);
    const said: unknown[] = [
      signal.source,
      signal.offers,
      await (await open(folderWith({}))).signal.health(),
    ];
    for (const { name } of signal.questions) said.push(await see(await open(folder), name));
    expect(JSON.stringify(said)).not.toContain(place);
  });

  test('a deploy that is listed once for each of its commits holds them all', async () => {
    const deploy = { timestamp: iso(39), service: 'shop', version: 'v9' };
    const frozen = await open(
      folderWith({
        ...whole,
        'context/deploys.json': JSON.stringify([
          { ...deploy, commit_sha: commit(1) },
          { ...deploy, commit_sha: commit(2) },
        ]),
      }),
    );
    const { changes } = await rowsOf(frozen, 'frozen_changes', 'changes');
    expect(changes.filter(({ kind }) => kind === 'deploy').map(({ commits }) => commits)).toEqual([
      [commit(1), commit(2)],
    ]);
    expect(changes.filter(({ kind }) => kind === 'commit').map(({ service }) => service)).toEqual([
      'shop',
      'shop',
    ]);
  });

  test('a change of days before is shown, and one that was not known yet is not', async () => {
    const commits = [-3 * 24 * 60, 61].map((k, n) => ({
      sha: commit(n + 8),
      timestamp: iso(k),
      message: 'x',
      files: ['a.go'],
    }));
    const frozen = await open(folderWith({ ...whole, 'context/commits.json': JSON.stringify(commits) }));
    const { changes } = await rowsOf(frozen, 'frozen_changes', 'changes');
    const shown = changes.map(({ id }) => id);
    expect(shown).toContain(commit(8));
    expect(shown).not.toContain(commit(9));
  });

  test('the slots of a replication are rows, and no rollout', async () => {
    const slots = { queried_at: iso(30), rows: [{ slot_name: 'old', active: false }] };
    const frozen = await open(folderWith({ ...whole, 'pg_replication_slots.json': JSON.stringify(slots) }));
    const { rows } = await rowsOf(frozen, 'frozen_status', 'table');
    expect(rows.map((row) => row['slot_name'])).toContain('old');
  });

  test('shows what changed first, what was changed, and what was not known yet', async () => {
    const frozen = await open(folderWith(whole));
    expect(frozen.alert).toContain('shop-errors');
    expect(frozen.span).toEqual({ from: start, to: start + 79 * minute + 1 });
    const { series } = await rowsOf(frozen, 'frozen_metrics', 'series');
    expect(series.map(({ name }) => name)).toEqual(['rate', 'errors', 'latency']);
    const { changes } = await rowsOf(frozen, 'frozen_changes', 'changes');
    expect(changes.map(({ kind, id, service }) => [kind, id, service])).toEqual([
      ['deploy', 'v9', 'shop'],
      ['flag', 'fast', 'cart'],
      ['commit', commit(2), null],
      ['commit', commit(1), 'shop'],
    ]);
    const { patterns } = await rowsOf(frozen, 'frozen_patterns', 'patterns');
    expect(patterns[0]).toMatchObject({
      count: 900,
      baseline: 10,
      service: 'shop',
      level: 'ERROR',
      first: start + 40 * minute,
    });
    const { rows } = await rowsOf(frozen, 'frozen_status', 'table');
    expect(rows.map((row) => row['name'])).toEqual(['Charges fail']);
    const { spans } = await rowsOf(frozen, 'frozen_traces', 'spans');
    expect(spans.map(({ trace, failed }) => [trace, failed])).toEqual([
      ['aa', false],
      ['aa', true],
    ]);
  });

  test.each([
    ['frozen_metrics', { service: 'CART' }, 30 + 30],
    ['frozen_lines', { service: 'cart', bad: true }, 10],
    ['frozen_lines', { contains: 'SERVED', calm: true }, 30],
    ['frozen_changes', { kind: 'commit', path: 'a.go' }, 1],
    ['frozen_changes', { commit: commit(1).slice(0, 8) }, 2],
    ['frozen_traces', { failed: true }, 1],
  ])('%s %j', async (name, args, count) => {
    const { rows } = await see(await open(folderWith(whole)), name, args);
    const shown = { series: 'series', lines: 'lines', changes: 'changes', spans: 'spans' } as const;
    const list = rows[shown[rows.kind as keyof typeof shown] as never] as readonly {
      points?: readonly unknown[];
    }[];
    expect(list.reduce((sum, one) => sum + (one.points?.length ?? 1), 0)).toBe(count);
  });

  test.each<[string, Record<string, string | Buffer>, readonly string[]]>([
    ['nothing but metrics', { 'metrics.csv': whole['metrics.csv']! }, ['frozen_metrics']],
    [
      'gzipped plain logs',
      { 'app.log.gz': gzipSync(`${iso(40)} ERROR boom\n`) },
      ['frozen_lines', 'frozen_patterns'],
    ],
    [
      'a column for each metric',
      { 'metrics.csv': `time,host,cpu,mem\n${iso(40)},a,1,2\n` },
      ['frozen_metrics'],
    ],
    [
      'an answer of Prometheus',
      {
        'metrics.json': JSON.stringify({
          data: {
            result: [{ metric: { __name__: 'up', job: 'x' }, values: [[(start + 40 * minute) / 1000, '1']] }],
          },
        }),
      },
      ['frozen_metrics'],
    ],
    [
      'changes under other names',
      {
        'changes/releases.json': JSON.stringify({
          releases: [{ deployed_at: iso(35), app: 'shop', tag: 'v2', sha: 'abcdef0' }],
        }),
      },
      ['frozen_changes'],
    ],
    [
      'broken parts',
      {
        'metrics.csv': 'nonsense',
        'traces.json': '{',
        'context/commits.json': '[{]',
        'alert.json': '{"title":"x"}',
      },
      ['frozen_alerts'],
    ],
  ])('%s', async (_, files, questions) => {
    for (const under of ['data', '.']) {
      const frozen = await open(folderWith(files, under));
      expect(frozen.signal.questions.map(({ name }) => name)).toEqual(questions);
      for (const name of questions) {
        const { text } = await see(frozen, name);
        expect(text).not.toMatch(/^No /);
      }
    }
  });

  test('a folder with nothing is unhealthy; none at all is an error', async () => {
    expect((await (await open(folderWith({}))).signal.health()).kind).toBe('unhealthy');
    const thrown = await open(join(place, 'nowhere')).catch((error: unknown) => error);
    expect(isSondeError(thrown, 'not_found')).toBe(true);
  });
});

describe('the answer of the exercise', () => {
  const answer = '{"root_cause_commit":"the-answer-itself"}';
  const told = async (folder: string): Promise<string> => {
    const frozen = await open(folder);
    const seen: unknown[] = [frozen.alert];
    for (const { name } of frozen.signal.questions) seen.push(await see(frozen, name));
    return JSON.stringify(seen);
  };

  test.each<[string, (root: string) => void]>([
    ['beside the data', () => {}],
    ['in the data', (root) => writeFileSync(join(root, 'data/truth.json'), answer)],
    ['in a folder of the data', (root) => writeFileSync(join(root, 'data/context/Truth.json'), answer)],
    [
      'through a link with another name',
      (root) => symlinkSync('../truth.json', join(root, 'data/status.json')),
    ],
    [
      'through an absolute link',
      (root) => symlinkSync(join(root, 'truth.json'), join(root, 'data/context/deploys2.json')),
    ],
    ['through a linked folder', (root) => symlinkSync('..', join(root, 'data/more'))],
    ['through a hard link', (root) => linkSync(join(root, 'truth.json'), join(root, 'data/hints.json'))],
    ['as a log', (root) => symlinkSync('../truth.json', join(root, 'data/more.log'))],
  ])('is not read %s', async (_, plant) => {
    const root = folderWith(whole);
    writeFileSync(join(root, 'truth.json'), answer);
    plant(root);
    expect(await told(root)).not.toContain('the-answer-itself');
    expect(await told(join(root, 'data'))).not.toContain('the-answer-itself');
  });

  test('is not read where the incident itself is named as the folder', async () => {
    const root = folderWith({ 'alert.json': '{}' }, '.');
    writeFileSync(join(root, 'truth.json'), answer);
    expect(await told(root)).not.toContain('the-answer-itself');
  });
});

const data = join(
  process.env['SONDE_DATA'] ?? join(import.meta.dirname, '../../../../shared/data'),
  'incidents',
);
describe.skipIf(!existsSync(data))('the frozen incidents at hand', () => {
  const names = existsSync(data)
    ? readdirSync(data).filter((name) => existsSync(join(data, name, 'data')))
    : [];
  test.each(names)('%s is read in full', async (name) => {
    const frozen = await open(join(data, name));
    const { from, to } = frozen.span!;
    const middle = { from: from + (to - from) / 2, to, baseline_from: from, derivation: 'all of it' };
    for (const question of frozen.signal.questions) {
      const reply = await question.ask(
        {},
        { window: middle, limits: { rows: 5_000, bytes: 200_000, timeoutMs: 10_000 } },
      );
      expect(reply).toMatchObject({ kind: 'observation', completeness: 'complete', truncated: null });
    }
    expect(frozen.signal.questions.map(({ topic }) => topic)).toEqual(
      expect.arrayContaining(['alerts', 'metrics', 'logs', 'traces', 'changes']),
    );
  });
});
