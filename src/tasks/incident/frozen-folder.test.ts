/**
 * A frozen incident as users keep one: logs alone, an alert without a time, and a folder whose name is nobody's
 * business.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { formatIncidentReport } from '../../core/incidents.ts';
import { systemClock } from '../../core/index.ts';
import { openFrozen } from '../../signals/index.ts';
import { answer, bench, runTrial } from './incident.contract.ts';

const { store, dir, close } = bench();
afterAll(close);

const folder = join(dir, 'planted-customer-name');
mkdirSync(folder);
writeFileSync(
  join(folder, 'alert.json'),
  JSON.stringify({ alertname: 'CheckoutErrors', service: 'checkout' }),
);
writeFileSync(
  join(folder, 'app.log'),
  Array.from(
    { length: 60 },
    (_, n) =>
      `2024-03-05T10:${String(n).padStart(2, '0')}:00Z ${n < 40 ? 'INFO' : 'ERROR'} checkout ${n < 40 ? 'order placed' : 'payment gateway refused the certificate'}`,
  ).join('\n'),
);

const run = async (model: 'none' | 'scripted') => {
  const { signal, alert, span } = await openFrozen({ folder, clock: systemClock });
  return runTrial(store, {
    alert: alert!,
    root: folder,
    signals: [signal],
    ...(span !== null && { now: span.to }),
    ...(model === 'scripted' && {
      script: ((request: Parameters<typeof answer>[0]) => answer(request)) as never,
    }),
  });
};

it('the window is that of its logs, whose errors are seen', async () => {
  const { incident } = await run('none');
  expect(incident.window?.to).toBe(Date.UTC(2024, 2, 5, 10, 59) + 1);
  expect(JSON.stringify(await store.events(incident.run_id))).toContain(
    'payment gateway refused the certificate',
  );
});

it('its place stands in no prompt and no report', async () => {
  const { model, incident } = await run('scripted');
  expect(model.calls.length).toBeGreaterThan(1);
  expect(JSON.stringify(model.calls.map(({ messages }) => messages))).not.toContain('planted-customer-name');
  expect(formatIncidentReport(incident, [])).not.toContain('planted-customer-name');
  expect(JSON.stringify(incident)).not.toContain('planted-customer-name');
});

it('its files are read in the characters they have', async () => {
  const wide = join(dir, 'wide');
  mkdirSync(wide);
  const alert = JSON.stringify({ alertname: 'Störung', service: 'checkout' });
  writeFileSync(join(wide, 'alert.json'), `\ufeff${alert}`, 'utf16le');
  expect((await openFrozen({ folder: wide, clock: systemClock })).alert).toBe(alert);
});

it('files that it does not know are told in the result, under their names alone', async () => {
  const odd = join(dir, 'planted-odd-folder');
  mkdirSync(odd);
  writeFileSync(
    join(odd, 'alert.json'),
    JSON.stringify({ alertname: 'CheckoutErrors', service: 'checkout' }),
  );
  writeFileSync(join(odd, 'odd.bin'), 'x');
  writeFileSync(join(odd, 'answer.yml'), 'cause: x');
  for (let n = 0; n < 40; n++) writeFileSync(join(odd, `part-${n}.dat`), 'x');
  const { signal, alert, span } = await openFrozen({ folder: odd, clock: systemClock });
  const { incident, result } = await runTrial(store, {
    alert: alert!,
    root: odd,
    signals: [signal],
    ...(span !== null && { now: span.to }),
  });
  const notes = incident.coverage.notes.join('\n');
  expect(notes).toContain('odd.bin is not looked at');
  expect(notes).toContain('more files');
  expect(notes).not.toMatch(/planted-odd-folder|answer/);
  // They leave room for what else is to be told.
  expect(incident.coverage.notes.length).toBeLessThan(15);
  expect(result.coverage.notes.join('\n')).toContain('odd.bin');
});
