/** `sonde incident`: a frozen incident on disk, and alerts over HTTP. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha, writeIncident } from '../../testbed/pool-incident.ts';
import { newHome, startSonde } from '../../testbed/run-sonde.ts';
import { sonde } from '../../testbed/sonde-here.ts';

const folder = writeIncident();

const fields = [
  'run_id',
  'status',
  'verdict',
  'root_cause',
  'root_cause_category',
  'detail',
  'confidence',
  'blamed',
  'links',
  'first_failing_service',
  'suspects',
  'causal_chain',
  'validated_claims',
  'non_validated_claims',
  'claims',
  'remediation_steps',
  'validity_score',
  'timeline',
  'runbooks',
  'earlier_reports',
  'alert',
  'window',
  'coverage',
  'stop_reason',
  'model',
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
    ['UTF-16, as PowerShell redirects', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['Latin-1', (text: string) => Buffer.from(text, 'latin1')],
  ])('an alert in a file of %s is read', async (_, bytes) => {
    const home = newHome();
    const file = join(home, 'alert.json');
    writeFileSync(file, bytes(JSON.stringify({ title: 'Größe fällt', service: 'orders' })));
    const { stdout, status } = await sonde(
      ['incident', file, '--replay', folder, '--model', 'extractive', '--json'],
      { home },
    );
    expect(status).toBe(0);
    expect((await sonde(['show', JSON.parse(stdout).run_id], { home })).stdout).toContain(
      'Größe fällt (orders)',
    );
  });

  it.each([
    [['incident'], 'There is no alert'],
    [['incident', 'a.json', '--text', 'b'], 'given twice'],
    [['incident', '/nonexistent/alert.json'], 'no such file'],
    [['incident', '--replay', '/nonexistent/folder'], 'nonexistent'],
    [['incident', '--text', ' '], 'The alert is empty'],
    [['serve'], 'no workspace'],
  ])('%j: %s', async (args, message) => {
    const { stderr, status } = await sonde([...args, '--model', 'extractive'], {});
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

it('serve: an alert over HTTP becomes an investigation', async () => {
  const home = newHome();
  const token = 'planted-alert-token-0123';
  const {
    child,
    ended,
    waitFor: until,
  } = startSonde(['serve', '--alerts', '--port', '0', '--replay', folder, '--model', 'extractive'], {
    home,
    env: { SONDE_ALERTS_TOKEN: token },
  });
  const url = await until((said) => /http:\S+\/alerts/.exec(said)?.[0]);
  const headers = { authorization: `Bearer ${token}` };
  const alert = readFileSync(join(folder, 'data/alert.json'), 'utf8');
  const answers = await Promise.all(
    [1, 2, 3].map(() => fetch(url, { method: 'POST', headers, body: alert })),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  const counts = await until(async () => {
    const now = (await (await fetch(url, { headers })).json()) as Record<string, number>;
    return now['waiting'] === 0 && now['running'] === 0 && now;
  });
  expect(counts).toMatchObject({ alerts: 3, done: 1, waiting: 0 });
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
  expect(JSON.parse((await sonde(['runs', '--json'], { home })).stdout)).toHaveLength(1);
});
