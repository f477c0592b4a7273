/** Some hundred of the random requests of `team-foreign.ts`, the same ones each time: with a planted leak, and without. */
import { describe, expect, it } from 'vitest';
import { noPostgres } from '../src/store/postgres/postgres-server.contract.ts';
import { askAtRandom, countsTold } from './team/foreign.ts';
import { openScene, type Scene } from './team/foreign-scene.ts';
import { startServer } from './team/server.ts';

/** Each route over a run, asked for one of the person's own, answers. */
async function checkOwnRuns({ fronts, identities, planted }: Scene): Promise<void> {
  for (const { team, token, home } of identities)
    for (const part of ['', '/log', '/tree', '/evidence', '/artifacts/report.md', '/artifacts/trace.json']) {
      const path = `/api/v1/runs/${planted[team].ids['run']!.at(-1)}${part}`;
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(`${fronts[home].address}${path}`, { headers });
      expect([path, status]).toEqual([path, 200]);
    }
}

/** What an author keeps for all their workspaces is not read by those of another team's workspace. */
async function checkMemory({ fronts, identities }: Scene): Promise<void> {
  const ask = async (of: string, request: RequestInit = {}): Promise<string> => {
    const { token, home } = identities.find(({ team }) => team === of)!;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = `/api/v1/workspaces/${home}/memory`;
    return (await fetch(`${fronts[home].address}${path}`, { headers, ...request })).text();
  };
  const body = JSON.stringify({ tier: 'account', key: 'kept', text: 'a text of red' });
  await ask('red', { method: 'POST', body });
  expect(await ask('red')).toContain('a text of red');
  expect(await ask('green')).not.toContain('a text of red');
}

async function findingsOf({ leak }: { readonly leak: boolean }): Promise<readonly string[]> {
  const server = await startServer();
  try {
    const scene = await openScene(server, false);
    try {
      if (leak)
        await scene.sql(`UPDATE sonde.runs SET team = 'red' WHERE id = $1`, [
          scene.planted.blue.ids['run']![0],
        ]);
      const counts = await countsTold(scene);
      const before = await scene.untouched();
      const { findings, broken } = await askAtRandom(scene, { requests: 300, seed: 7, atOnce: 4 });
      expect(broken).toEqual([]);
      expect(await scene.untouched()).toBe(before);
      await checkOwnRuns(scene);
      await checkMemory(scene);
      return [...counts, ...findings].map(({ kind }) => kind);
    } finally {
      await scene.close();
    }
  } finally {
    server.stop();
  }
}

describe.skipIf(noPostgres() !== null)('what a team learns of another at a front', () => {
  it('is nothing', async () => {
    expect(await findingsOf({ leak: false })).toEqual([]);
  });

  it('would be found', async () => {
    expect(await findingsOf({ leak: true })).toContain('seen');
  });
});
