/**
 * A service fails, the rule of a real Prometheus fires, a real Alertmanager delivers its webhook, and Sonde, told
 * nothing else, investigates without a model: the report names the commit, with the series that shows it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IncidentResult } from '../../core/index.ts';
import { eventually, freePort, missingPrograms } from '../../signals/real-server.contract.ts';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';
import { openWatchedOrders } from './watched-orders.contract.ts';

const token = 'planted-alert-token-0123';

describe.skipIf(missingPrograms('prometheus', 'promtool', 'prometheus-alertmanager', 'git') !== null)(
  'with Prometheus and Alertmanager from Debian',
  () => {
    it('from the failing service to the report', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/alerts`;
      const watched = await openWatchedOrders({ url, token });
      const home = newHome();
      const { child, ended } = startSonde(
        ['serve', '--alerts', '--port', String(port), '--model', 'extractive'],
        {
          home,
          env: {
            SONDE_ALERTS_TOKEN: token,
            PROMETHEUS_URL: watched.prometheus,
            ALERTMANAGER_URL: watched.alertmanager,
            SONDE_REPOSITORIES: watched.repository,
            SONDE_LOG_FILES: watched.log,
          },
        },
      );
      let told = '';
      child.stderr.on('data', (text: string) => (told += text));
      try {
        const headers = { authorization: `Bearer ${token}` };
        await eventually(async () => {
          const counts = (await (await fetch(url, { headers }).catch(() => null))?.json()) as
            | { readonly done: number }
            | undefined;
          return counts?.done === 1 ? true : null;
        }, `an investigation (${told})`);
      } finally {
        child.kill('SIGTERM');
        await ended;
        await watched.close();
      }
      const [run] = JSON.parse((await sonde(['runs', '--json'], { home })).stdout) as [{ run_id: string }];
      const shown = JSON.parse((await sonde(['show', run.run_id, '--json'], { home })).stdout) as {
        readonly incident: IncidentResult;
      };
      expect(shown.incident).toMatchObject({
        verdict: 'code_change',
        // Commits that were deployed within the day before, the first among them.
        suspects: [{ kind: 'commit', id: watched.faultyCommit }, {}, {}],
        non_validated_claims: [],
      });
      const report = readFileSync(join(home, 'data/incidents', run.run_id, 'report.md'), 'utf8');
      expect(report).toContain('First service to fail: orders');
      expect(report).toContain(watched.faultyCommit);
      expect(report).toMatch(/orders_pool_wait_ms of orders went up from 2(\.\d)? to 7\d\d/);
      expect(report).toMatch(/max: 40.*max: 2/s);
      // The deploy that brought it, and not the one after it.
      expect(report).toContain('deploy/orders-2');
      expect(report).not.toContain(token);
      expect(told).not.toContain(token);
    });
  },
);
