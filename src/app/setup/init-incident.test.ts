/** `sonde init incident`, in this process, over a home of its own and a system that answers as told. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { senders } from '../../tasks/incident/index.ts';
import { openAlertTokenCheck } from '../tokens/alert-token-check.ts';
import { askSettings } from './ask-settings.ts';
import { parseGivenSettings } from './given-settings.ts';
import { type InitRequest, initIncident } from './init-incident.ts';
import { formatInitOutcome } from './init-text.ts';

let home: string;
let file: string;
const servers: Server[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sonde-init-'));
  file = join(home, 'sonde.json');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  rmSync(home, { recursive: true });
});

const init = (pairs: readonly string[], more: Partial<InitRequest> = {}, env: Record<string, string> = {}) =>
  initIncident(
    { given: parseGivenSettings(pairs, home), lastMs: 3_600_000, force: false, ...more },
    { SONDE_HOME: home, ...env },
  );
const written = (path = file) => JSON.parse(readFileSync(path, 'utf8'));

/** As much of Prometheus as a look needs: it answers, and has one alert that fires. */
async function prometheus(): Promise<string> {
  const alert = {
    labels: { alertname: 'ShopFails' },
    annotations: {},
    state: 'firing',
    activeAt: new Date(Date.now() - 60_000).toISOString(),
    value: '1',
  };
  const server = createServer(({ url = '' }, response) => {
    const data = url.includes('labels')
      ? []
      : url.includes('buildinfo')
        ? { version: '2.53.3' }
        : { alerts: [alert], groups: [], result: [] };
    response.end(JSON.stringify({ status: 'success', data }));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the file', () => {
  it('is for its owner alone, and holds what was given', async () => {
    writeFileSync(join(home, 'key'), 'planted-token-0123456789\n');
    const { written: names } = await init([
      'prometheus_url=http://127.0.0.1:1',
      'prometheus_token_file=key',
      'log_files=logs:/var/log/app',
      'repositories=["~/src/shop"]',
      'alerts_workers=3',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(written()).toEqual({
      prometheus_url: 'http://127.0.0.1:1',
      prometheus_token_file: join(home, 'key'),
      log_files: [join(home, 'logs'), '/var/log/app'],
      repositories: ['~/src/shop'],
      alerts_workers: '3',
    });
    expect(names).toHaveLength(5);
  });

  it('keeps what stands there, and replaces nothing without force', async () => {
    writeFileSync(file, '{"max_usd": 2, "prometheus_url": "http://127.0.0.1:1"}');
    await init(['prometheus_url=http://127.0.0.1:1', 'alerts_workers=3']);
    expect(written()).toEqual({ max_usd: 2, prometheus_url: 'http://127.0.0.1:1', alerts_workers: '3' });
    const before = readFileSync(file, 'utf8');
    const other = init(['prometheus_url=http://127.0.0.1:2', 'alerts_queue=9']);
    await expect(other).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringContaining('prometheus_url'),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
    await init(['prometheus_url=http://127.0.0.1:2'], { force: true });
    expect(written()).toMatchObject({ max_usd: 2, prometheus_url: 'http://127.0.0.1:2' });
  });

  it('that a link leads to is the one that is written', async () => {
    mkdirSync(join(home, 'dotfiles'));
    const target = join(home, 'dotfiles', 'sonde.json');
    writeFileSync(target, '{}', { mode: 0o644 });
    symlinkSync(target, file);
    await init(['alerts_workers=3']);
    expect(written(target)).toEqual({ alerts_workers: '3' });
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it('may be another one, in a folder that is made', async () => {
    const out = join(home, 'deploy', 'sonde.json');
    expect((await init(['alerts_workers=3'], { out })).file).toBe(out);
    expect(written(out)).toEqual({ alerts_workers: '3' });
  });
});

describe('wrong input writes nothing', () => {
  it.each<[string, string[], RegExp]>([
    ['a secret', ['prometheus_token=planted-token-0123'], /is a secret/],
    ['a password', ['loki_password=planted-token-0123'], /is a secret/],
    ['no value', ['prometheus_url'], /has no value/],
    ['an empty value', ['prometheus_url='], /prometheus_url is ""/],
    ['no setting', ['promethius_url=http://a'], /no setting "promethius_url"/],
    ['a value that is not allowed', ['alerts_workers=many'], /alerts_workers is "many"/],
    ['an address that is none', ['prometheus_url=127.0.0.1:9090'], /prometheus_url is/],
    ['a file of a secret that is not there', ['prometheus_token_file=/nowhere'], /does not exist/],
  ])('%s', async (_name, pairs, words) => {
    const error = await (async () => init(pairs))().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(words) });
    expect(JSON.stringify(error)).not.toContain('planted');
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('a sender that nobody knows, and a file that is no file of settings', async () => {
    await expect(init([], { sender: 'nagios' })).rejects.toMatchObject({ code: 'bad_argument' });
    writeFileSync(file, 'prometheus_url: x');
    await expect(init(['alerts_workers=3'])).rejects.toMatchObject({ code: 'bad_config' });
    expect(readFileSync(file, 'utf8')).toBe('prometheus_url: x');
  });
});

describe('the look', () => {
  it('says what an alert that fires now would see', async () => {
    const base = await prometheus();
    const outcome = await init([`prometheus_url=${base}`]);
    expect(outcome).toMatchObject({
      reachable: true,
      systems: [{ name: 'system:prometheus', version: '2.53.3' }],
    });
    expect(outcome.preview).toContainEqual({
      system: 'prometheus',
      question: 'prometheus_alerts',
      topic: 'alerts',
      count: 1,
      complete: true,
      failure: null,
    });
    expect(formatInitOutcome(outcome, '1h')).toMatch(
      /would find, in the last 1h:\n(?: {2}.+\n)*? {2}prometheus_alerts: 1$/m,
    );
  });

  it('says which system is not reached, and looks at the others', async () => {
    const outcome = await init([`prometheus_url=${await prometheus()}`, 'loki_url=http://127.0.0.1:1']);
    expect(outcome.reachable).toBe(false);
    expect(new Set(outcome.preview.map(({ system }) => system))).toEqual(new Set(['prometheus']));
    expect(formatInitOutcome(outcome, '1h')).toMatch(/^broken {2}system:loki/m);
    expect(written()).toHaveProperty('loki_url');
  });

  it('takes the file before the environment only for what the file says', async () => {
    const outcome = await init(['alerts_workers=3'], {}, { PROMETHEUS_URL: await prometheus() });
    expect(outcome.systems).toMatchObject([{ name: 'system:prometheus', state: 'ok' }]);
  });
});

describe('a sender', () => {
  it('gets a token that opens its address, once', async () => {
    const first = await init([], { sender: 'opsgenie' });
    const token = readFileSync(first.sender!.token_file, 'utf8').trim();
    expect(statSync(first.sender!.token_file).mode & 0o777).toBe(0o600);
    expect(await init([], { sender: 'opsgenie' })).toEqual(first);
    expect(readFileSync(first.sender!.token_file, 'utf8').trim()).toBe(token);
    const door = openAlertTokenCheck({ data: join(home, 'data') }, '');
    expect(door.check(token)).toEqual({ kind: 'holder', sender: 'opsgenie', secretFile: null });
    door.close();
  });

  it('whose token was taken away gets another one', async () => {
    const { sender } = await init([], { sender: 'json' });
    const before = readFileSync(sender!.token_file, 'utf8');
    rmSync(sender!.token_file);
    await init([], { sender: 'json' });
    expect(readFileSync(sender!.token_file, 'utf8')).not.toBe(before);
  });

  it.each(senders)('%s is told where, and never the token itself', async (sender) => {
    const url = 'https://sonde.example.com';
    const outcome = await init([`serve_public_url=${url}`], { sender });
    const token = readFileSync(outcome.sender!.token_file, 'utf8').trim();
    expect(outcome.sender!.snippet).toContain(`${url}/alerts/${sender}`);
    expect(JSON.stringify(outcome)).not.toContain(token);
  });
});

describe('somebody at a terminal', () => {
  const answering = (answers: readonly string[]) => {
    const questions: string[] = [];
    const left = [...answers];
    const ask = async (question: string) => {
      questions.push(question);
      return left.shift() ?? '';
    };
    return { ask, questions };
  };

  it('is asked for systems, their settings and a sender', async () => {
    const { ask, questions } = answering([
      'promethius',
      'prometheus, redis',
      'http://p:9090',
      '/k',
      'r:6379',
      '',
      'grafana',
    ]);
    expect(await askSettings(ask, undefined)).toEqual({
      pairs: ['prometheus_url=http://p:9090', 'prometheus_token_file=/k', 'redis_address=r:6379'],
      sender: 'grafana',
    });
    expect(questions[1]).toContain('"promethius" is none of these');
  });

  it('may leave everything out, and is not asked what a flag said', async () => {
    const { ask, questions } = answering([]);
    expect(await askSettings(ask, 'datadog')).toEqual({ pairs: [], sender: 'datadog' });
    expect(questions).toHaveLength(1);
  });
});
