/** A storm of alerts over HTTP on a real server that is killed in the middle of it: none that was taken is lost. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';

const folder = fileURLToPath(new URL('../../../examples/incident', import.meta.url));
const token = 'planted-alert-token-0123';
const headers = { authorization: `Bearer ${token}` };
const kinds = 7;
const all = 1_000;

interface Counts {
  readonly alerts: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

async function serve(home: string): Promise<StartedProcess & { readonly url: string }> {
  const started = startSonde(
    ['serve', '--alerts', '--port', '0', '--replay', folder, '--model', 'extractive'],
    { home, env: { SONDE_ALERTS_TOKEN: token } },
  );
  return { ...started, url: await started.waitFor((said) => /http:\S+\/alerts/.exec(said)?.[0]) };
}

const alert = (n: number): string =>
  JSON.stringify({ alertname: `Alert${n % kinds}`, service: 'tickets', pod: `tickets-${n}`, number: n });

const counts = async (url: string): Promise<Counts> =>
  (await (await fetch(url, { headers })).json()) as Counts;

it('1,000 alerts, kill -9 in the middle: all that were taken are there, and few investigations', async () => {
  const home = newHome();
  const first = await serve(home);
  const taken = new Set<number>();
  const send = async (url: string, numbers: readonly number[]): Promise<void> => {
    await Promise.all(
      numbers.map(async (n) => {
        const answer = await fetch(url, { method: 'POST', headers, body: alert(n) }).catch(() => null);
        if (answer?.status === 202) taken.add(n);
      }),
    );
  };
  const numbers = Array.from({ length: all }, (_, n) => n);
  // Half of the storm arrives; the other half is under way when the server dies.
  await send(first.url, numbers.slice(0, all / 2));
  expect(taken.size).toBe(all / 2);
  const underWay = send(first.url, numbers.slice(all / 2));
  await first.waitFor(() => taken.size > all / 2);
  first.child.kill('SIGKILL');
  expect((await first.ended).signal).toBe('SIGKILL');
  await underWay;
  const safe = taken.size;

  const second = await serve(home);
  // At least what was answered is there; what was kept while its answer was lost on the way may be there as well.
  const kept = (await counts(second.url)).alerts;
  expect(kept).toBeGreaterThanOrEqual(safe);
  // Senders send again what nobody answered.
  await send(
    second.url,
    numbers.filter((n) => !taken.has(n)),
  );
  expect(taken.size).toBe(all);
  const now = await second.waitFor(async () => {
    const each = await counts(second.url);
    return each.done + each.failed >= kinds && each;
  });
  expect(now).toMatchObject({ done: kinds, failed: 0, waiting: 0, running: 0 });
  expect(now.alerts).toBeGreaterThanOrEqual(all);
  second.child.kill('SIGTERM');
  expect((await second.ended).status).toBe(0);
  const runs = JSON.parse((await sonde(['runs', '--json'], { home })).stdout) as { state: string }[];
  expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: kinds }, () => 'finished'));
});
