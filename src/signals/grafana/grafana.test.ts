/** Against a double that makes its answers from the recorded ones. */
import { expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { askQuestion, fromNoon as at, noon, noonWindow as window } from '../asking.contract.ts';
import { type DoubleAnswer, type DoubleRequest, httpDouble } from '../http-double.contract.ts';
import { httpSignalContract } from '../http-signal.contract.ts';
import { readRecordedBody, readRecording } from '../recording.contract.ts';
import { openGrafana } from './grafana.ts';

const key = 'grafana-key-0123456789';

const recording = readRecording(import.meta.dirname);
type Bag = Record<string, unknown>;
const [alert] = readRecordedBody<Bag[]>(recording, 'grafana_alerts');
const [annotation] = readRecordedBody<Bag[]>(recording, 'grafana_annotations');
const [source] = readRecordedBody<Bag[]>(recording, 'grafana_sources');
const [dashboard] = readRecordedBody<Bag[]>(recording, 'grafana_dashboards');
type Frame = { schema: { fields: Bag[] }; data: Bag };
const [frame] = readRecordedBody<{ results: { A: { frames: Frame[] } } }>(recording, 'grafana_query').results
  .A.frames;

function double({ method, path, query, headers, body }: DoubleRequest): DoubleAnswer {
  // This is told to everybody.
  if (path === '/api/health') return { json: { commit: 'x', database: 'ok', version: '11.1.0' } };
  if (headers.authorization !== `Bearer ${key}`)
    return {
      json: { message: 'Invalid API key', messageId: 'api-key.invalid', statusCode: 401 },
      status: 401,
    };
  if (path === '/api/alertmanager/grafana/api/v2/alerts')
    return { json: [{ ...alert, annotations: { summary: 'slow with token=grafana-secret-1' } }] };
  if (path === '/api/annotations') {
    const found = [2, -2, -90]
      .filter((k) => at(k) >= Number(query.get('from')) && at(k) <= Number(query.get('to')))
      .map((k) => ({ ...annotation, id: 90 + k, time: at(k), timeEnd: at(k) }));
    const states = { ...annotation, alertId: 3, newState: 'Alerting', prevState: 'Normal' };
    return { json: query.get('type') === 'annotation' ? found : [states, ...found] };
  }
  if (path === '/api/datasources')
    return {
      json: ['prom', 'loki'].map((uid) => ({ ...source, uid, name: uid, isDefault: uid === 'prom' })),
    };
  if (path === '/api/search')
    return {
      json: ['Shop', 'Cart']
        .slice(0, Number(query.get('limit')))
        .map((title) => ({ ...dashboard, uid: title, title })),
    };
  if (method !== 'POST' || path !== '/api/ds/query') return null;
  const { from, to, queries } = JSON.parse(body);
  if (queries[0].expr === 'nonsense')
    return { json: { results: { A: { error: 'parse error', status: 400, frames: [] } } } };
  const times = Array.from({ length: 80 }, (_, k) => at(k - 40)).filter(
    (one) => one >= Number(from) && one < Number(to),
  );
  const values = [times, times.map((_, k) => (k === 3 ? null : k))];
  return { json: { results: { A: { status: 200, frames: [{ ...frame, data: { values } }] } } } };
}

const open = (base: string, token = key): Signal =>
  openGrafana({
    base,
    fetch,
    clock: manualClock(noon),
    authorization: { kind: 'bearer', token: { reveal: () => token } },
  });

httpSignalContract('grafana', {
  answer: double,
  open,
  openStranger: (base) => open(base, 'another-key-0123456789'),
  window,
  ask: {
    grafana_alerts: {},
    grafana_annotations: { tags: ['deploy'] },
    grafana_query: { source_uid: 'prom', query: 'up' },
    grafana_sources: {},
    grafana_dashboards: { contains: 'S' },
  },
  plentiful: ['grafana_annotations', 'grafana_query', 'grafana_sources', 'grafana_dashboards'],
  timed: ['grafana_annotations', 'grafana_query'],
  posts: ['/api/ds/query'],
  secrets: [key, 'grafana-secret-1'],
});

test.each<[string, object, object]>([
  [
    'grafana_annotations',
    {},
    {
      rows: {
        changes: [
          { kind: 'deploy', id: '92', service: 'shop', author: 'ci', commits: ['559e94ce37a7'] },
          { id: '88' },
        ],
      },
    },
  ],
  [
    'grafana_query',
    { source_uid: 'prom', query: 'nonsense' },
    { kind: 'failure', reason: 'bad_query', message: expect.stringContaining('parse error') },
  ],
  ['grafana_alerts', {}, { rows: { alerts: [{ name: 'OrdersSlow', state: 'firing', since: at(6) }] } }],
])('%s %j', async (name, args, expected) => {
  const server = await httpDouble(double);
  expect(await askQuestion(open(server.base), name, args, window)).toMatchObject(expected);
  await server.close();
});
