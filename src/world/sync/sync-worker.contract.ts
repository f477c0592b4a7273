/**
 * A sync that tests kill: `node sync-worker.contract.ts DATABASE VAULT watch|N`, N: it kills itself before its effect
 * N.
 */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../index.ts';
import { syncVault, watchVault } from './index.ts';

const [path = '', root = '', how = ''] = process.argv.slice(2);
const database = openDatabase({ path, schemas: [], busyMs: 20_000 });
const workspace = { world: openWorld(database), database };
const author = { kind: 'user', name: 'ada', device: 'desk', thread: null, channel: null } as const;
if (how === 'watch') {
  const { signal } = new AbortController();
  const onFailure = (error: unknown) => writeSync(2, `${String(error)}\n`);
  const onPass = () => writeSync(1, 'pass\n');
  await watchVault(workspace, { root, author, quietMs: 50, signal, onPass, onFailure });
}
let left = Number(how);
const onEffect = (): void => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
};
await syncVault(workspace, { root, author, quietMs: 0, onEffect });
writeSync(1, 'ended\n');
database.close();
