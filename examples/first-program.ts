/**
 * A first program against the library: a search, a question, code in the sandbox, a workspace of notes, and an incident,
 * with a tool and a system of its own: `npx node examples/first-program.ts`. No key, no network.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, incident, SondeError, sandbox, search, verify, verifyAnswer, workspace } from 'sonde';
import { openLogFiles } from 'sonde/signals';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
process.env['SONDE_HOME'] = home;
const root = import.meta.dirname;
const settings = { model: 'extractive', max_time: '1m' } as const;

// 1. A search gives its hits with their text.
const [hit] = await search('four kilobytes answer', { root, scope: 'ask.ts' });
assert.ok(hit !== undefined && hit.text.length > 0);

// 2. A question gives a short answer; what it cites is read again.
const { answer, citations } = await ask('How long may an answer be?', { root, scope: 'ask.ts', settings });
assert.ok(Buffer.byteLength(answer) <= 4096 && citations.length > 0);
assert.ok((await verify(citations, { root })).every(({ status }) => status === 'valid'));
const checked = await verifyAnswer(
  { answer: 'It imports `search` [1].', citations: [{ path: 'ask.ts', start: 1, end: 12 }] },
  { root },
);
assert.equal(checked.claims.length, 1);

// 3. Code of anybody runs where it reaches nothing. What goes wrong in it is a value.
const box = await sandbox({ limits: { fuel: 1e9 } });
const sum = await box.run('numbers = list(range(5))\nsum(numbers)');
assert.equal(sum.kind === 'ok' && sum.value?.value, 10);
assert.equal((await box.run('open("/etc/passwd")')).kind, 'error');
assert.equal((await box.read('numbers'))?.repr, '[0, 1, 2, 3, 4]');
await box.close();

// 4. A workspace, by its name. Who writes is you, unless an agent is named: what that writes waits for you.
const notes = await workspace('notes');
notes.write({ op: 'create_page', path: 'Ovens/Deck', text: 'Holds 230 °C for rye.\n' });
notes.write(
  { op: 'create_page', path: 'Plan', text: 'Rye on Friday.\n' },
  { agent: 'baker', idempotencyKey: 'once' },
);
assert.equal(notes.read('Ovens/Deck')?.text, 'Holds 230 °C for rye.\n');
assert.ok((await notes.search('rye')).some(({ text }) => text.includes('230')));
assert.deepEqual(
  notes.inbox().map(({ path }) => path),
  ['Plan'],
);
notes.close();

// 5. An incident, looked at through a log of your own.
const log = join(home, 'shop.log');
writeFileSync(log, '2026-05-12T07:40:03Z ERROR shop: no free worker, request waits behind 140 others\n');
const alert = '{"title": "shop is slow", "service": "shop", "time": "2026-05-12T07:45:00Z"}';
const found = await incident(alert, { signals: [openLogFiles({ paths: [log] })], settings });
assert.match(JSON.stringify(found), /log_files|logs/);

// 6. Wrong input is an error that says what to do.
const wrong = await ask('Why?', { root: '/nonexistent' }).catch((error: unknown) => error);
assert.ok(wrong instanceof SondeError && wrong.code === 'not_found' && wrong.remedy !== undefined);

console.log(`ok: ${citations.length} citations, ${found.verdict}`);
rmSync(home, { recursive: true, force: true });
