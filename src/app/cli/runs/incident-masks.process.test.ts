/** Secrets of an incident: the same one has the same mark wherever it stands, and stands nowhere itself. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeIncident } from '../../testbed/pool-incident.ts';
import { newHome } from '../../testbed/run-sonde.ts';
import { sonde } from '../../testbed/sonde-here.ts';

const planted = { password: 'Wq8!zP4#rTx1', token: `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}` };

/** The pool incident, with secrets in its alert, its logs and its diff. */
function leakyIncident(): string {
  const folder = writeIncident();
  const change = (path: string, edit: (text: string) => string) => {
    const file = join(folder, 'data', path);
    writeFileSync(file, edit(readFileSync(file, 'utf8')));
  };
  change('alert.json', (text) => text.replace('above 800 ms', `above 800 ms, password=${planted.password}`));
  change('logs.ndjson', (text) =>
    text.replaceAll('from the pool', `from the pool, password=${planted.password} token ${planted.token}`),
  );
  change('context/commits.json', (text) =>
    text.replace(
      'SetMaxOpenConns(5)',
      `SetMaxOpenConns(5)\\n+\\tdb.Open(\\"user=app password=${planted.password}\\") // ${planted.token}`,
    ),
  );
  return folder;
}

const marks = (text: string, kind: string): readonly string[] => [
  ...new Set(text.match(new RegExp(`\\[secret:${kind}:[0-9a-f]{6}\\]`, 'g')) ?? []),
];

it('the same secret of an incident has the same mark everywhere, and stands nowhere', async () => {
  const folder = leakyIncident();
  const home = newHome();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { stdout, status } = await sonde(
    ['incident', '--replay', folder, '--model', 'extractive', '--json'],
    { home },
  );
  expect(status).toBe(0);
  const { run_id: run } = JSON.parse(stdout) as { run_id: string };
  const report = readFileSync(join(home, 'data/incidents', run, 'report.md'), 'utf8');
  const evidence = (await sonde(['show', run, '--json'], { home })).stdout;
  const trace = (await sonde(['show', run, '--trace'], { home })).stdout;
  const all = { json: stdout, report, evidence, trace };
  for (const kind of ['password', 'github']) {
    const [mark = 'no mark', ...others] = marks(Object.values(all).join('\n'), kind);
    expect(others).toEqual([]);
    for (const name of ['json', 'report', 'evidence'] as const) expect(all[name], name).toContain(mark);
  }
  for (const [name, text] of Object.entries(all)) expect(text, name).not.toContain('[secret]');
  const kept = readdirSync(join(home, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  for (const secret of Object.values(planted))
    expect([...Object.values(all), ...kept].filter((text) => text.includes(secret))).toEqual([]);
});
