/** `sonde incident` as a process: a frozen incident on disk, a model on this machine, `kill -9` at any moment. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../store/index.ts';
import { newHome, startSonde } from '../testbed/run-sonde.ts';
import { sonde } from '../testbed/sonde-here.ts';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const sha = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';

/** A small incident: a pool that is cut, a refactoring beside it. */
function frozenIncident(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-frozen-'));
  const data = join(folder, 'data');
  mkdirSync(join(data, 'context'), { recursive: true });
  const at = (minute: number) =>
    new Date(Date.parse('2026-03-05T10:00:00Z') + minute * 60_000).toISOString().replace('.000Z', 'Z');
  const json = (name: string, value: unknown) => writeFileSync(join(data, name), JSON.stringify(value));
  json('alert.json', {
    service: 'orders',
    metric: 'http_p99_ms',
    monitor: 'orders-p99',
    severity: 'critical',
    fired_at: at(40),
    summary: 'orders p99 above 800 ms',
  });
  const rows = Array.from({ length: 60 }, (_, n) => [
    `${at(n)},orders,db_pool_wait_ms,${n < 30 ? 2 + (n % 3) / 10 : 900 + n}`,
    `${at(n)},orders,http_p99_ms,${n < 31 ? 120 + (n % 5) : 2200 + n}`,
  ]);
  writeFileSync(join(data, 'metrics.csv'), `timestamp,service,metric,value\n${rows.flat().join('\n')}\n`);
  writeFileSync(
    join(data, 'logs.ndjson'),
    Array.from({ length: 40 }, (_, n) =>
      JSON.stringify(
        n < 20
          ? { timestamp: at(n), service: 'orders', severity_text: 'INFO', msg: 'order placed' }
          : {
              timestamp: at(15 + n),
              service: 'orders',
              severity_text: 'ERROR',
              msg: 'timed out acquiring a connection from the pool',
            },
      ),
    ).join('\n'),
  );
  json('context/commits.json', [
    {
      sha,
      author: 'a',
      timestamp: at(25),
      message: 'chore: align db settings',
      files_changed: ['services/orders/db.go'],
      diff: '@@\n-\tdb.SetMaxOpenConns(100)\n+\tdb.SetMaxOpenConns(5)',
    },
    {
      sha: 'ffff0000ffff0000ffff0000ffff0000ffff0000',
      author: 'b',
      timestamp: at(28),
      message: 'refactor: tidy handler',
      files_changed: ['services/orders/handler.go'],
      diff: '@@\n-\tx, err := s.load(ctx, key)\n-\tif err != nil { return nil, err }\n-\treturn x, nil\n+\treturn s.load(ctx, key)',
    },
  ]);
  json('context/deploys.json', [
    { timestamp: at(28), service: 'orders', commit_sha: sha, version: 'v1' },
    {
      timestamp: at(29),
      service: 'orders',
      commit_sha: 'ffff0000ffff0000ffff0000ffff0000ffff0000',
      version: 'v2',
    },
  ]);
  writeFileSync(join(folder, 'truth.json'), JSON.stringify({ blast_radius: ['never-read-by-a-run'] }));
  return folder;
}

/** An OpenAI-compatible server that investigates: extract, ask, conclude, diagnose. Slow enough to be killed in. */
function investigator() {
  const served: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', async () => {
      const key = String(request.headers['idempotency-key'] ?? '');
      served.push(key);
      await pause(60);
      const text = JSON.stringify(JSON.parse(body).messages);
      const change =
        /source=\\"(ev-[0-9a-f]{10})[^>]*>(?:(?!sonde-material).)*SetMaxOpenConns\(5\)/.exec(text)?.[1] ??
        'ev-0000000000';
      const answer = key.endsWith('extract/model')
        ? { kind: 'alert', why: 'it fires' }
        : key.includes('/diagnose') || key.endsWith('diagnose/model')
          ? {
              verdict: 'code_change',
              culprit: sha,
              root_cause: { text: 'The pool of orders was cut: `db.SetMaxOpenConns(5)`', evidence: [change] },
              root_cause_category: 'pool size',
              causal_chain: [],
              claims: [],
              remediation_steps: ['Roll back'],
            }
          : key.includes('turn-3')
            ? { reasoning: 'enough', calls: [], conclusion: `The pool was cut [${change}].` }
            : {
                reasoning: 'look',
                calls: [{ tool: 'search_evidence', arguments: { text: `pool ${key}` } }],
                conclusion: null,
              };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'planned',
          choices: [
            {
              index: 0,
              finish_reason: 'stop',
              message: { role: 'assistant', content: JSON.stringify(answer) },
            },
          ],
          usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
        }),
      );
    });
  });
  return { server, served };
}

const folder = frozenIncident();
const { server, served } = investigator();
let address = '';
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fields = [
  'run_id',
  'verdict',
  'root_cause',
  'root_cause_category',
  'suspects',
  'causal_chain',
  'validated_claims',
  'non_validated_claims',
  'remediation_steps',
  'validity_score',
  'timeline',
  'coverage',
  'stop_reason',
  'spent',
];

describe('without a model', () => {
  it('prints the fields that are documented, and no others', async () => {
    const home = newHome();
    const { stdout, status } = await sonde(
      ['incident', '--replay', folder, '--model', 'extractive', '--json'],
      { home },
    );
    const incident = JSON.parse(stdout) as Record<string, unknown> & { run_id: string };
    expect(status).toBe(0);
    expect(Object.keys(incident)).toEqual(fields);
    expect(incident).toMatchObject({ verdict: 'code_change', suspects: [{ kind: 'commit', id: sha }, {}] });
    expect(stdout).not.toContain('never-read-by-a-run');
    // The run is there like any other.
    const report = await sonde(['show', incident.run_id], { home });
    expect(report.stdout).toMatch(/^# A code change is to blame/);
    expect(readFileSync(join(home, 'data/incidents', incident.run_id, 'report.md'), 'utf8')).toContain(sha);
    expect((await sonde(['runs'], { home })).stdout).toContain(incident.run_id);
    const replayed = await sonde(['replay', incident.run_id, '--json'], { home });
    expect(JSON.parse(replayed.stdout)).toEqual(incident);
  });

  it.each([
    [['incident'], 'There is no alert'],
    [['incident', 'a.json', '--text', 'b'], 'given twice'],
    [['incident', '/nonexistent/alert.json'], 'no such file'],
    [['incident', '--replay', '/nonexistent/folder'], 'nonexistent'],
    [['incident', '--text', ' '], 'The alert is empty'],
    [['serve'], 'no workspace'],
    [['serve', '--alerts'], 'no token'],
  ])('%j: %s', async (args, message) => {
    const { stderr, status } = await sonde([...args, '--model', 'extractive'], {});
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

describe('killed at any moment', () => {
  for (const delays of [[150], [450, 500], [600, 700, 800], [900, 1_000]])
    it(`after ${delays.join(', ')} ms: one result, nothing billed twice`, async () => {
      const home = newHome();
      const before = served.length;
      const env = { OPENAI_BASE_URL: address, OPENAI_API_KEY: 'sk-planted-0123456789' };
      const model = ['--model', 'openai-compatible:planned'];
      const known = () => {
        const store = openStore(`${home}/data/sonde.db`);
        try {
          return store.runs.list(1)[0]?.id ?? null;
        } finally {
          store.close();
        }
      };
      let run: string | null = null;
      for (const at of delays) {
        const args = run === null ? ['incident', '--replay', folder, ...model] : ['resume', run];
        const { child, ended } = startSonde([...args, '--json'], { home, env });
        await pause(at);
        child.kill('SIGKILL');
        await ended;
        run = known();
      }
      const last = await sonde(
        [...(run === null ? ['incident', '--replay', folder, ...model] : ['resume', run]), '--json'],
        { home, env },
      );
      expect({ status: last.status, stderr: last.stderr }).toMatchObject({ status: 0 });
      const incident = JSON.parse(last.stdout) as { run_id: string; verdict: string };
      expect(incident.verdict).toBe('code_change');
      const store = openStore(`${home}/data/sonde.db`);
      try {
        const replies = store
          .events(incident.run_id)
          .flatMap(({ event }) =>
            event.kind === 'model_replied' ? [event.call.replace(/\/attempt-\d+$/, '')] : [],
          );
        expect(new Set(replies).size).toBe(replies.length);
        // What was written down as answered was asked for once; what died on the way may have been asked twice.
        const asked = served.slice(before);
        for (const key of new Set(asked))
          expect(asked.filter((one) => one === key).length).toBeLessThanOrEqual(1 + delays.length);
        expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(delays.length);
      } finally {
        store.close();
      }
    });
});

it('serve: an alert over HTTP becomes an investigation', async () => {
  const home = newHome();
  const token = 'planted-alert-token-0123';
  const { child, ended } = startSonde(
    ['serve', '--alerts', '--port', '0', '--replay', folder, '--model', 'extractive'],
    {
      home,
      env: { SONDE_ALERTS_TOKEN: token },
    },
  );
  let said = '';
  child.stdout.on('data', (text: string) => (said += text));
  while (!said.includes('/alerts')) await pause(30);
  const url = /http:\S+/.exec(said)?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}` };
  const alert = readFileSync(join(folder, 'data/alert.json'), 'utf8');
  const answers = await Promise.all(
    [1, 2, 3].map(() => fetch(url, { method: 'POST', headers, body: alert })),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  let counts: Record<string, number> = {};
  while (counts['waiting'] !== 0 || counts['running'] !== 0) {
    await pause(50);
    counts = (await (await fetch(url, { headers })).json()) as Record<string, number>;
  }
  expect(counts).toMatchObject({ alerts: 3, done: 1, waiting: 0 });
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
  expect(JSON.parse((await sonde(['runs', '--json'], { home })).stdout)).toHaveLength(1);
});
