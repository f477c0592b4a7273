/** What `sonde investigate --propose` hands to a workspace: by the tools, as a conversation does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type InvestigationRecord, masker, type ProposedWrite } from '../../core/index.ts';
import { worldWrite } from '../../world/index.ts';
import { type OpenWorkspace, openWorkspace } from '../workspace/workspace.ts';
import { writeProposals } from './proposals.ts';

const mask = masker({ key: Buffer.from('a key'), known: [] });
const secret = 'ghp_0a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F';
let folder: string;
const file = () => join(folder, 'w.db');
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-proposals-'));
  await inWorld(({ world }) => {
    const author = { kind: 'user', name: 'ann', device: 'test', thread: null, channel: null } as const;
    for (const [path, text] of [
      ['Plan', 'In May.\n\nIn June.\n'],
      ['Keys', `The key is ${secret}.\n`],
    ] as const)
      world.submit(
        worldWrite({
          operation: { op: 'create_page', path, text },
          caller: author,
          source: 'x',
          idempotencyKey: null,
        }),
      );
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function inWorld<Value>(work: (open: OpenWorkspace) => Value): Promise<Value> {
  const open = await openWorkspace(file(), { name: 'w' });
  try {
    return work(open);
  } finally {
    open.close();
  }
}

const cross = async (writes: readonly Omit<ProposedWrite, 'id'>[], sources: readonly string[] = []) =>
  writeProposals(
    {
      result: { run_id: 'run-0000000000001' },
      proposed_writes: writes.map((write, n) => ({ id: `write-${n + 1}`, ...write })),
      sources,
    } as unknown as InvestigationRecord,
    file(),
    mask,
  );

it('are candidates of the run, resting on what it read, and made once', async () => {
  const plan = await inWorld(({ world }) => world.page('Plan')!.id);
  const writes = [
    { op: 'create_page', fields: { path: 'Report', text: 'May.\n', tags: null } },
    { op: 'add_block', fields: { page: 'Report', text: 'Or June.\n', after: null } },
  ];
  const first = await cross(writes, [plan, 'pg-gone']);
  expect(first).toMatchObject([
    { id: 'write-1', outcome: 'applied', detail: expect.stringMatching(/^pg-/) },
    { id: 'write-2', outcome: 'applied' },
  ]);
  expect(await cross(writes, [plan])).toEqual(first);
  await inWorld(({ world }) => {
    const page = world.page('Report')!;
    expect(page).toMatchObject({
      lifecycle: 'Candidate',
      origin: 'AgentProduced',
      origin_source_id: 'investigation:run-0000000000001',
    });
    expect(world.sourcesOf(page.id).map(({ source_id }) => source_id)).toEqual([plan]);
    expect(world.read(page.id, 'all')!.blocks.map(({ text }) => text.trim())).toEqual(['May.', 'Or June.']);
  });
});

it('name blocks by handles, and content of the author is held', async () => {
  const [handle, id] = await inWorld(({ world }) => {
    const [block] = world.read(world.page('Plan')!.id, 'all')!.blocks;
    return [block!.handle, block!.id];
  });
  const writes = [handle, id].map((block) => ({
    op: 'update_block',
    fields: { block, text: `No: ${block}.\n` },
  }));
  expect(await cross(writes)).toMatchObject([{ outcome: 'held' }, { outcome: 'held' }]);
});

it('bring back the secrets that they were shown as marks', async () => {
  const text = mask.text(`The key is ${secret}.\n`);
  expect(text).toContain('[secret:');
  await cross([{ op: 'update_page', fields: { page: 'Keys', text: `${text}It is old.\n` } }]);
  await inWorld(({ world }) => {
    const [held] = world.inbox(10);
    expect(held?.after).toContain(secret);
    expect(held?.after).not.toContain('[secret:');
  });
});

it.each([
  ['a page that is not there', { op: 'add_block', fields: { page: 'None', text: 'x' } }, /no page "None"/],
  [
    'a handle that is no block',
    { op: 'update_block', fields: { block: '#999999', text: 'x' } },
    /no block #999999/,
  ],
  [
    'a field that it does not take',
    { op: 'create_page', fields: { path: 'A', text: 'x', by: 'me' } },
    /by|key/,
  ],
  [
    'what the author alone does',
    { op: 'promote_to_canonical', fields: { content: 'Plan' } },
    /author in person/,
  ],
  [
    'what an agent may not',
    { op: 'delete_page', fields: { page: 'Plan' } },
    /needs the capability PagesDelete/,
  ],
  ['no operation', { op: 'burn', fields: {} }, /no tool named "burn"/],
])('are refused with the reason: %s', async (_name, write, message) => {
  expect(await cross([write])).toMatchObject([
    { outcome: 'refused', detail: expect.stringMatching(message) },
  ]);
  expect(await inWorld(({ world }) => world.page('Plan')?.path)).toBe('Plan');
});
