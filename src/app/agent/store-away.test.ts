/** A turn whose store does not answer for a while: it is taken up again, and its end is told once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SondeError } from '../../core/index.ts';
import { openDatabase, openSessionsIn, openStoreIn, type Sessions } from '../../store/index.ts';
import { openTalkingAgent } from '../http/talking-agent.contract.ts';

it.each([
  ['before it began', 1],
  ['in the middle', 2],
])('%s', async (_, nth) => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-away-'));
  const db = openDatabase({ path: join(folder, 'w.db'), schemas: [] });
  const kept = openSessionsIn(db);
  const store = openStoreIn(db);
  let writes = 0;
  const sessions: Sessions = {
    ...kept,
    checkpoints: {
      ...kept.checkpoints,
      async write(lease, batch) {
        writes += 1;
        if (writes === nth) throw new SondeError('store_away', { message: 'The store does not answer' });
        await kept.checkpoints.write(lease, batch);
      },
    },
  };
  const talking = await openTalkingAgent({ sessions, store, propose: () => ({ write_id: 'wr', id: 'pg' }) });
  const ends: string[] = [];
  talking.requests.onEvent((_, event) => {
    if (event.kind === 'turn_ended') ends.push(event.status);
  });
  const request = {
    kind: 'message',
    text: 'look around',
    schedule: null,
    event: null,
    limits: null,
  } as const;
  await talking.requests.post({ id: 'm', thread: 't', request });
  expect(await talking.requests.waitUntilDone('m')).toMatchObject({ status: 'answered' });
  expect(ends).toEqual(['answered']);
  expect(talking.prompts().length).toBeLessThanOrEqual(3);
  await talking.close();
  await sessions.close();
  await store.close();
  db.close();
  rmSync(folder, { recursive: true });
});
