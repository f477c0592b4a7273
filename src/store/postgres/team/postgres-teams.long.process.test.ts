import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { teamAccount } from '../../team/teams.ts';
import { noPostgres, type TestPostgres, testPostgres } from '../postgres-server.contract.ts';
import { openPostgresStore } from '../runs/postgres-engine.ts';
import { openPostgresAudit } from './postgres-audit.ts';
import { openPostgresTeams } from './postgres-teams.ts';

const by = { name: 'user:ann', team: '' };

describe.skipIf(noPostgres() !== null)('teams', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());

  it('have places and a budget, and each change has its row in the audit', async () => {
    const here = postgres.fresh();
    const [teams, audit, store] = [openPostgresTeams(here), openPostgresAudit(here), openPostgresStore(here)];
    try {
      expect([await teams.add('red', by), await teams.add('red', by)]).toEqual([true, false]);
      await teams.add('blue', by);
      await expect(teams.add('no team', by)).rejects.toMatchObject({ code: 'bad_argument' });
      const [main, shop] = [
        { kind: 'workspace', name: 'main' },
        { kind: 'repository', name: 'shop' },
      ] as const;
      await teams.give('red', { ...main, role: 'reader' }, by);
      await teams.give('red', { ...main, role: 'operator' }, by);
      await teams.give('red', { ...shop, role: 'author' }, by);
      await expect(teams.give('green', { ...main, role: 'reader' }, by)).rejects.toMatchObject({
        code: 'not_found',
        remedy: expect.stringContaining('sonde team add green'),
      });
      expect([await teams.take('red', shop, by), await teams.take('red', shop, by)]).toEqual([true, false]);
      expect((await teams.list()).map(({ name, grants }) => ({ name, grants }))).toEqual([
        { name: 'blue', grants: [] },
        { name: 'red', grants: [{ ...main, role: 'operator' }] },
      ]);
      await store.accounts.open({ id: teamAccount('red'), parent: null, limits: {}, reserve: {} });
      const act = { act: 'team_budget', on: 'red', result: '$10' } as const;
      await store.accounts.relimit(teamAccount('red'), { usd: 10 }, { by, act });
      await expect(
        store.accounts.relimit(teamAccount('none'), { usd: 1 }, { by, act: { ...act, on: 'none' } }),
      ).rejects.toMatchObject({ code: 'pool_misuse' });
      expect((await store.accounts.balance(teamAccount('red'))).limits).toEqual({ usd: 10 });
      const rows = await audit.list({ max: 99 });
      expect(rows.map((row) => `${row.act} ${row.on} ${row.result}`).toReversed()).toEqual([
        'team_added red done',
        'team_added blue done',
        'team_given red reader of the workspace main',
        'team_given red operator of the workspace main',
        'team_given red author of the repository shop',
        'team_taken red repository shop',
        'team_budget red $10',
      ]);
    } finally {
      await Promise.all([teams.close(), audit.close(), store.close()]);
    }
  });
});
