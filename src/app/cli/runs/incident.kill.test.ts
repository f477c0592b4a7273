/** `sonde incident` with a model on this machine, and `kill -9` at any moment. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../store/index.ts';
import { createInvestigator, writeIncident } from '../../testbed/pool-incident.ts';
import { newHome, sonde, startSonde } from '../../testbed/run-sonde.ts';

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const folder = writeIncident();
const { server, served } = createInvestigator();
let address = '';
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('killed at any moment', () => {
  // Each kill comes while so many more calls have been asked for, at some instant of the last.
  for (const asks of [[0], [1, 1], [2, 1, 2], [3, 4]])
    it(`after ${asks.join(', ')} calls: one result, nothing billed twice`, async () => {
      const home = newHome();
      const before = served.length;
      const env = { OPENAI_BASE_URL: address, OPENAI_API_KEY: 'sk-planted-0123456789' };
      const model = ['--model', 'openai-compatible:planned'];
      const known = async () => {
        const store = openStore(`${home}/data/sonde.db`);
        try {
          return (await store.runs.list(1))[0]?.id ?? null;
        } finally {
          await store.close();
        }
      };
      let run: string | null = null;
      for (const more of asks) {
        const args = run === null ? ['incident', '--replay', folder, ...model] : ['resume', run];
        const goal = served.length + more;
        const { child, ended } = startSonde([...args, '--json'], { home, env });
        while (served.length < goal && child.exitCode === null) await pause(2);
        await pause(Math.random() * 80);
        child.kill('SIGKILL');
        await ended;
        run = await known();
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
        const replies = (await store.events(incident.run_id)).flatMap(({ event }) =>
          event.kind === 'model_replied' ? [event.call.replace(/\/attempt-\d+$/, '')] : [],
        );
        expect(new Set(replies).size).toBe(replies.length);
        // What was written down as answered was asked for once; what died on the way may have been asked twice.
        const asked = served.slice(before);
        for (const key of new Set(asked))
          expect(asked.filter((one) => one === key).length).toBeLessThanOrEqual(1 + asks.length);
        expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(asks.length);
      } finally {
        await store.close();
      }
    });
});
