/** An investigation in a process of its own, whose report goes to the services at URL: `DATABASE RUN URL`. */
import { extractive } from '../../../model/index.ts';
import { openStore } from '../../../store/index.ts';
import { noWait, now, pool, signalOf } from '../incident.contract.ts';
import { type IncidentSetting, incidentRun } from '../run.ts';
import { pagerDutySink } from './pagerduty.ts';
import { slackSink } from './slack.ts';

const [database, run, url] = process.argv.slice(2) as [string, string, string];
const send = globalThis.fetch;
const token = 'planted-token-0123456789';
const store = openStore(database);
const setting: IncidentSetting = {
  store,
  models: { planner: extractive },
  signals: [signalOf(pool)],
  sinks: () => [
    slackSink({ token, channel: 'C0123456789', send, baseUrl: `${url}/slack` }),
    pagerDutySink({ token, from: 'a@b.test', send, baseUrl: `${url}/pagerduty` }),
  ],
  ...noWait,
};
const alert = JSON.stringify({
  event: {
    event_type: 'incident.triggered',
    occurred_at: '2026-03-05T10:24:00Z',
    data: { id: 'Q3B15VLMF3ASBD', title: 'checkout fails', service: { summary: 'checkout' } },
  },
});
const begun = (await store.runs.list(10)).some(({ id }) => id === run);
const { incident } = begun
  ? await incidentRun.resume(run, setting)
  : await incidentRun.start({ alert, root: '/systems', now, id: run }, setting);
console.log(JSON.stringify(incident.deliveries));
await store.close();
