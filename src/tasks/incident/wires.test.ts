/** Over each wire, killed at many places and taken up again: the same requests, billed once, delivered once. */
import { afterAll, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import type { PlayedTurn } from '../../model/dialogue/played-turn.contract.ts';
import { openWire, type Wire } from '../../model/dialogue/wires.contract.ts';
import type { Sink } from './deliver/sink.ts';
import {
  alertJson,
  bench,
  guiltyCommit,
  noWait,
  now,
  pool,
  runTrial,
  signalOf,
} from './incident.contract.ts';
import { type IncidentSetting, incidentRun } from './run.ts';

const { store, close } = bench();
const ends: (() => unknown)[] = [close];
afterAll(() => Promise.all(ends.map((end) => end())));

const request = { alert: alertJson(), root: '/systems', now };
/** Of a run that is killed again and again; 24 in wires.long.process.test.ts. */
const samples = process.env['TRIALS'] === 'all' ? 24 : 4;

/** Several questions at once, a conclusion of which not all stands, and what is made of it. */
async function script(): Promise<readonly PlayedTurn[]> {
  const { incident } = await runTrial(store);
  const [change = ''] = incident.suspects.find(({ id }) => id === guiltyCommit)?.evidence ?? [];
  const conclude = (...claims: readonly string[]): PlayedTurn => ({
    reasoning: 'the pool was cut',
    calls: [
      {
        name: 'conclude',
        args: JSON.stringify({
          verdict: 'code_change',
          culprit: guiltyCommit,
          root_cause: {
            verb: 'changed',
            object: 'SetMaxOpenConns',
            from: '100',
            to: '10',
            evidence: [change],
          },
          root_cause_category: 'pool size',
          causal_chain: [],
          claims,
          remediation_steps: ['Roll orders back'],
        }),
      },
    ],
  });
  return [
    {
      reasoning: 'what is missing?',
      text: 'Traces first.',
      calls: [
        { name: 'made_traces', args: '{}' },
        { name: 'search_evidence', args: '{"text":"pool"}' },
      ],
    },
    { reasoning: 'of cart, too?', calls: [{ name: 'made_traces', args: '{"service":"cart"}' }] },
    conclude('orders answered 77777 requests'),
    conclude(),
  ];
}

function settingWith(model: IncidentSetting['models']['planner']) {
  const delivered: string[] = [];
  const sink: Sink = {
    name: 'somewhere',
    idempotent: false,
    async deliver({ key }) {
      delivered.push(key);
      return { kind: 'delivered', where: 'there' };
    },
  };
  const setting: IncidentSetting = {
    store,
    models: { planner: model },
    signals: [signalOf(pool)],
    sinks: () => [sink],
    clock: manualClock(now),
    ...noWait,
  };
  return { setting, delivered };
}

describe.each<Wire>(['anthropic, thinking', 'openai', 'chat'])('%s', (wire) => {
  it(`killed at ${samples} places: the same requests byte for byte, each once`, async () => {
    const { server, model, close: end } = await openWire(wire, true);
    ends.push(end);
    const turns = await script();
    const life = async (run: string, dieAfter: number) => {
      const { setting, delivered } = settingWith(model);
      let seen = 0;
      const onEvent = () => {
        seen += 1;
        if (seen === dieAfter) throw new Error('the process died');
      };
      const begun = (await store.runs.list(200)).some(({ id }) => id === run);
      const mortal = { ...setting, onEvent };
      const done = begun
        ? incidentRun.resume(run, mortal)
        : incidentRun.start({ ...request, id: run }, mortal);
      return {
        delivered,
        done: await done.catch(() => null),
        events: async () => (await store.events(run)).length,
      };
    };
    const sentBy = (run: string, from: number) =>
      server.requests.slice(from).map(({ raw }) => raw.replaceAll(run, 'RUN'));
    const spentBy = async (run: string) =>
      (await store.events(run)).flatMap(({ event }) => (event.kind === 'model_replied' ? [event.spent] : []));

    server.play(...turns);
    const name = `run-${wire.replace(/\W/g, '')}`;
    const whole = await life(`${name}-000`, Number.POSITIVE_INFINITY);
    const requests = sentBy(`${name}-000`, 0);
    expect(requests).toHaveLength(turns.length);
    expect(whole.done?.incident).toMatchObject({ verdict: 'code_change', validity_score: 1 });
    expect(whole.delivered).toHaveLength(1);
    const bare = (incident: object | undefined, more: object) => ({ ...incident, run_id: '', ...more });

    const events = await whole.events();
    expect(events).toBeGreaterThan(samples);
    for (let n = 1; n <= samples; n += 1) {
      const run = `${name}-${String(n).padStart(3, '0')}`;
      const from = server.requests.length;
      server.play(...turns);
      const first = await life(run, Math.floor((n * (events - 1)) / samples));
      expect(first.done).toBeNull();
      const last = (await store.events(run)).at(-1)?.event;
      const underWay = last?.kind === 'model_called';
      // Who dies while the report is sent can't know whether it arrived: it is told so, and not sent twice.
      const isSending = last?.kind === 'note' && last.text === 'stage deliver';
      const second = await life(run, Number.POSITIVE_INFINITY);
      // Who dies with a call under way may be billed for it: less is left then, and what is left is told.
      const told = (raw: string) => (underWay ? raw.replace(/\d+ tokens; /g, 'tokens; ') : raw);
      const differing = sentBy(run, from).findIndex((raw, nth) => told(raw) !== told(requests[nth] ?? ''));
      expect({ n, differing, sent: server.requests.length - from }).toEqual({
        n,
        differing: -1,
        sent: requests.length,
      });
      expect(await spentBy(run)).toEqual(await spentBy(`${name}-000`));
      const more = {
        ...(underWay && { spent: null }),
        ...(isSending && { coverage: null, deliveries: null }),
      };
      expect(bare(second.done?.incident, more)).toEqual(bare(whole.done?.incident, more));
      const [{ state } = {}] = second.done?.incident.deliveries ?? [];
      expect(state).toBe(isSending ? 'uncertain' : 'delivered');
      // A death here is an error that is thrown: what was found until then is delivered, too, as such.
      const delivered = [...first.delivered, ...second.delivered].filter((key) => !key.includes('/partial'));
      expect(delivered).toEqual(isSending ? [] : [`${run}/final`]);
    }
  });
});
