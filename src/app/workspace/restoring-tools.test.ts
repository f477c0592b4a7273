import { afterEach, expect, test } from 'vitest';
import { type Caller, masker } from '../../core/index.ts';
import { openDatabase } from '../../store/index.ts';
import { capabilitySet, openToolHost, pageTools } from '../../tools/index.ts';
import { openWorld, worldWrite } from '../../world/index.ts';
import { withSecretsRestored } from './restoring-tools.ts';

const password = ['n0tSo', 'Easy!9x'].join('');
const body = ['MIIEq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe', 'Kq7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1u=='];
const key = ['sk-sonde', '4711', 'AbCdEfGhIjKl'].join('-');
const block = ['```', '-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', '```'].join('\n');
const text = `password = "${password}", our key ${key}\n\n${block}\n\nThe end.\n`;
const mask = masker({ key: Buffer.from('one home'), known: [key] });

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

function opened() {
  const database = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
  endings.push(() => database.close());
  const world = openWorld(database);
  const by = (kind: Caller['kind']): Caller => ({
    kind,
    name: kind,
    device: 'test',
    thread: null,
    channel: null,
  });
  const made = world.submit(
    worldWrite({
      operation: { op: 'create_page', path: 'Own', text },
      caller: by('agent'),
      source: 'test',
      idempotencyKey: null,
    }),
  );
  if (made.kind === 'refused') throw new Error(made.message);
  const search = { search: async () => ({ hits: [], completeness: 'complete' as const, notes: [] }) };
  const tools = pageTools({ world, search });
  const host = openToolHost({
    tools: withSecretsRestored(tools, world, mask),
    workspace: world.workspace,
    mask,
  });
  const call = async (name: string, args: object) => {
    const result = await host.callTool(name, args, {
      caller: by('agent'),
      capabilities: capabilitySet('owner'),
      idempotencyKey: null,
      readTrail: [],
    });
    if (!result.ok) throw new Error(result.error.message);
    return result;
  };
  const whole = (page: string) => {
    const found = world.read(world.page(page)!.id, 'all')!;
    return found.front + found.blocks.map((one) => one.text).join('');
  };
  return { call, whole };
}

test('who edits what was shown with marks loses nothing of what they hide', async () => {
  const { call, whole } = opened();
  const shown = mask.text(text);
  const read = await call('read_page', { page: 'Own' });
  expect(JSON.stringify(read)).not.toContain(password);
  for (const line of [...body, key]) expect(JSON.stringify(read)).not.toContain(line);
  await call('update_page', { page: 'Own', text: shown.replace('The end.', 'Not the end.') });
  expect(whole('Own')).toBe(text.replace('The end.', 'Not the end.'));
});

test('a mark brings no secret to another page, and one of nothing stays as it is', async () => {
  const { call, whole } = opened();
  const [mark] = /\[secret:\w+:\w+\]/.exec(mask.text(`password = "${password}"`))!;
  await call('create_page', { path: 'Other', text: `taken: ${mark}\n` });
  expect(whole('Other')).toBe(`taken: ${mark}\n`);
  await call('update_page', { page: 'Own', text: 'only [secret:token:000000]\n' });
  expect(whole('Own')).toBe('only [secret:token:000000]\n');
});
