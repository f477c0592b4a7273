/** The files of deploy/compose, as the programs that they are for read them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingPrograms } from '../src/signals/real-server.contract.ts';

const folder = join(import.meta.dirname, '..', 'deploy', 'compose');

it.skipIf(missingPrograms('promtool', 'amtool') !== null)(
  'Prometheus and Alertmanager take their files',
  () => {
    const place = mkdtempSync(join(tmpdir(), 'sonde-compose-'));
    try {
      writeFileSync(join(place, 'token'), 'x');
      const alerts = readFileSync(join(folder, 'alertmanager.yml'), 'utf8');
      writeFileSync(join(place, 'alertmanager.yml'), alerts.replace('/etc/alertmanager/', `${place}/`));
      const said = [
        execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')]),
        execFileSync('promtool', ['check', 'config', join(folder, 'team-prometheus.yml')]),
        execFileSync('amtool', ['check-config', join(place, 'alertmanager.yml')]),
      ].join('\n');
      expect(said).toContain('SUCCESS');
      expect(said).toContain('1 receivers');
    } finally {
      rmSync(place, { recursive: true });
    }
  },
);
