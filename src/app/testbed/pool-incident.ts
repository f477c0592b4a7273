/** An incident on disk whose cause is a pool that was cut, and a model that investigates it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
export const sha = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';

/** A small incident: a pool that is cut, a refactoring beside it. */
export function writeIncident(): string {
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

/** An OpenAI-compatible server that investigates: asks twice, and concludes. Slow enough to be killed in. */
export function createInvestigator() {
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
      const call = key.includes('turn-3')
        ? {
            name: 'conclude',
            arguments: {
              verdict: 'code_change',
              culprit: sha,
              root_cause: `The pool of orders was cut: \`db.SetMaxOpenConns(5)\` [${change}]`,
              root_cause_category: 'pool size',
              causal_chain: [
                { verb: 'changed', object: 'SetMaxOpenConns', from: '100', to: '5', evidence: [change] },
              ],
              claims: [],
              remediation_steps: ['Roll back'],
            },
          }
        : { name: 'search_evidence', arguments: { text: `pool ${key}` } };
      const functionCall = { name: call.name, arguments: JSON.stringify(call.arguments) };
      const message = key.endsWith('extract/model')
        ? { role: 'assistant', content: JSON.stringify({ kind: 'alert', why: 'it fires' }) }
        : {
            role: 'assistant',
            content: 'look',
            tool_calls: [{ id: `call_${served.length}`, type: 'function', function: functionCall }],
          };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'planned',
          choices: [{ index: 0, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop', message }],
          usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
        }),
      );
    });
  });
  return { server, served };
}
