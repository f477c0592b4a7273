/** The frozen incidents as a whole, without a model: where the folder with them is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { extractive } from '../../model/index.ts';
import { openFrozen } from '../../signals/index.ts';
import { bench, noWait } from './incident.contract.ts';
import { incidentRun } from './run.ts';

const { store, close } = bench();
afterAll(close);

const folder = resolve(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents');
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'truth.json')))
  : [];

interface Truth {
  readonly root_cause_commit: string;
  readonly first_failing_service: string;
  readonly decoy_deploy_commits: readonly string[];
}

// incident.md: Evaluation 1.
describe('frozen incidents', () => {
  if (names.length === 0) it.skip(`${folder} is absent`, () => {});
  let exact = 0;
  for (const name of names)
    it(name, async () => {
      const frozen = await openFrozen({ folder: join(folder, name), clock: systemClock });
      const { incident } = await incidentRun.start(
        { alert: frozen.alert ?? '', root: folder, ...(frozen.span !== null && { now: frozen.span.to }) },
        { store, models: { planner: extractive }, signals: [frozen.signal], ...noWait },
      );
      const truth = JSON.parse(readFileSync(join(folder, name, 'truth.json'), 'utf8')) as Truth;
      const ids = incident.suspects.map(({ id }) => id);
      const rank = ids.indexOf(truth.root_cause_commit);
      const hasCulprit = truth.root_cause_commit !== 'none';
      if (hasCulprit) {
        expect(rank).toBeGreaterThanOrEqual(0);
        expect(rank).toBeLessThan(3);
        for (const decoy of truth.decoy_deploy_commits)
          expect(ids.indexOf(decoy) === -1 || ids.indexOf(decoy) > rank).toBe(true);
      }
      if (
        hasCulprit ? incident.verdict === 'code_change' && rank === 0 : incident.verdict === 'no_code_change'
      )
        exact += 1;
      expect(incident.non_validated_claims).toEqual([]);
      expect(JSON.stringify(await store.events(incident.run_id))).not.toContain('blast_radius');
    });
  if (names.length > 0)
    it('verdicts are exact on five of eight and more', () =>
      expect(exact / names.length).toBeGreaterThanOrEqual(5 / 8));
});
