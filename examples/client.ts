/**
 * A program that talks with a server of Sonde by its typed client: it writes a page, follows a conversation as it goes,
 * and reads what was said. `npx node examples/client.ts`. No key, no network: without a model the agent quotes what it finds.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ApiFailure, apiClient } from 'sonde/client';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
const program = join(import.meta.dirname, '../bin/sonde.mjs');
const env = { ...process.env, SONDE_HOME: home };

const vault = join(home, 'vault');
mkdirSync(vault);
writeFileSync(join(vault, 'Town.md'), '# Town\n\nIt has a harbour.\n');
spawnSync(process.execPath, [program, 'world', 'import', vault, '--workspace', 'notes'], { env });

const server = spawn(process.execPath, [program, 'serve', '--workspace', 'notes', '--port', '0'], {
  env,
  stdio: ['ignore', 'pipe', 'pipe'],
});

/** What the server says of itself: where it is, and in which file the token of its person is. */
const told = { address: '', token: '', isUp: false };
const ready = Promise.withResolvers<void>();
function read(line: string): void {
  told.address = /https?:\/\/[\w.:[\]]+/.exec(line)?.[0] ?? told.address;
  told.token = /The token is in (\S+?)\.?$/.exec(line)?.[1] ?? told.token;
  told.isUp ||= /agent \d+ is ready/.test(line);
  if (told.address !== '' && told.token !== '' && told.isUp) ready.resolve();
}
for (const input of [server.stdout, server.stderr]) createInterface({ input }).on('line', read);
server.once('exit', () => ready.reject(new Error('The server has ended')));
await ready.promise;
const token = readFileSync(told.token, 'utf8').trim();
const api = apiClient({ address: told.address, token });

try {
  const { role, workspace } = await api.request('getSession', {});
  assert.deepEqual([role, workspace], ['author', 'notes']);

  const page = { path: 'Harbour', text: '# Harbour\n\nThe lighthouse was built in 1911.\n' };
  const saved = await api.request('createPage', { params: { workspace }, body: page, key: 'first-page' });
  const again = await api.request('createPage', { params: { workspace }, body: page, key: 'first-page' });
  assert.deepEqual(again, saved);

  const { id: thread } = await api.request('createThread', { body: { title: 'The harbour' } });
  await api.request('sendMessage', { params: { thread }, body: { text: 'When was the lighthouse built?' } });
  const kinds: string[] = [];
  for await (const { kind } of api.follow('followThread', { params: { thread } })) {
    kinds.push(kind);
    if (kind === 'turn_ended') break;
  }
  assert.equal(kinds[0], 'turn_started');
  const said = [];
  for await (const message of api.all('listMessages', { params: { thread } })) said.push(message);
  assert.match(said.at(-1)?.text ?? '', /1911/);

  const refused = await api
    .request('getPage', { params: { workspace, page: 'Nowhere' } })
    .catch((error) => error);
  assert.ok(refused instanceof ApiFailure);
  assert.equal(refused.code, 'not_found');
  console.log(`ok: ${said.at(-1)?.text.split('\n')[0]}`);
} finally {
  server.kill('SIGTERM');
  await new Promise((done) => server.once('exit', done));
  rmSync(home, { recursive: true });
}
