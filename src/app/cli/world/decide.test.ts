import { describe, expect, it } from 'vitest';
import { type InboxItem, type WorldOperation, worldWrite } from '../../../world/index.ts';
import { memoryWorld } from '../../../world/scripted.ts';
import { findInboxItem, recordShown, splitRevision } from '../../workspace/author.ts';
import { decideAll } from './decide.ts';
import { isPrintedInFull, itemText } from './inbox-text.ts';
import { resolveItem } from './resolve-item.ts';

function desk() {
  const world = memoryWorld({ Plan: 'Ship.\n\nSoon.\n', 'Notes@3': 'x\n' });
  const byAgent = (operation: WorldOperation) => {
    const caller = { kind: 'agent', name: 'planner', device: 'd', thread: null, channel: null } as const;
    const result = world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
    if (result.kind === 'refused') throw new Error(result.message);
    return result;
  };
  const page = (path: string, text = 'One.\n') => byAgent({ op: 'create_page', path, text }).content_ids[0]!;
  return { world, byAgent, page };
}

describe('a decision of the author', () => {
  it('about one thing is refused whole, with what was shown, what stands and the difference', async () => {
    const { world, byAgent, page } = desk();
    const id = page('Note');
    await expect(decideAll(world, 'promote', [id])).rejects.toMatchObject({
      code: 'stale',
      details: { id, shown: null, now: 1, diff: '+ One.' },
    });
    recordShown(world, [findInboxItem(world, id)]);
    byAgent({ op: 'update_page', page: id, text: 'Two.\n' });
    for (const name of [id, `${id}@1`, `${id}@2`, 'Note'])
      await expect(decideAll(world, 'reject', [name])).rejects.toMatchObject({
        code: 'stale',
        details: { id, shown: 1, now: 2, diff: '~ [-One-]{+Two+}.' },
      });
    recordShown(world, [findInboxItem(world, id)]);
    expect(await decideAll(world, 'promote', [`${id}@2`])).toMatchObject([{ content: id, applied: true }]);
  });

  it('names a revision behind a path and a handle, too, and one that was never there is said so', async () => {
    const { world, page } = desk();
    const [one, two] = [page('One'), page('Two@9')];
    recordShown(world, [findInboxItem(world, one), findInboxItem(world, two)]);
    const { handle } = world.read(one, 'all')!.blocks[0]!;
    for (const name of ['One@9', `${one}@9`, `${handle}@9`])
      await expect(decideAll(world, 'promote', [name])).rejects.toMatchObject({
        code: 'stale',
        message: expect.stringMatching(/ has no revision 9: its present revision is 1/),
      });
    await expect(decideAll(world, 'promote', ['#5'])).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no block #5',
    });
    await expect(decideAll(world, 'promote', ['Nowhere@1'])).rejects.toMatchObject({ code: 'not_found' });
    expect(await decideAll(world, 'promote', ['One@1'])).toMatchObject([{ content: one, applied: true }]);
    expect(await decideAll(world, 'promote', ['Two@9'])).toMatchObject([{ content: two, applied: true }]);
  });

  it('about several is each by itself', async () => {
    const { world, page } = desk();
    const [seen, unseen] = [page('Seen'), page('Unseen')];
    recordShown(world, [findInboxItem(world, seen)]);
    expect(await decideAll(world, 'promote', [unseen, 'Nowhere', seen])).toEqual([
      { content: unseen, applied: false, reason: expect.stringMatching(/^stale: /) },
      { content: 'Nowhere', applied: false, reason: expect.stringMatching(/^not_found: /) },
      { content: seen, applied: true, write_id: expect.any(String) },
    ]);
    expect(world.page(unseen)).toMatchObject({ lifecycle: 'Candidate' });
  });

  it('names a revision behind an id alone', () => {
    const { world } = desk();
    const { id } = world.page('Notes@3')!;
    expect(splitRevision(`${id}@3`)).toEqual({ name: id, revision: 3 });
    for (const name of ['Notes@3', `${id}@`, `${id}@0`, `${id}@x`, `x${id}@1`, 'pg-short@1'])
      expect(splitRevision(name)).toEqual({ name });
  });

  it('about an edit that is held is of the revision that was printed, or none', async () => {
    const { world, byAgent } = desk();
    const { id: block, page } = world.read(world.page('Plan')!.id)!.blocks[0]!;
    const [dv] = byAgent({ op: 'update_block', block, text: 'Ship it.' }).deviation_ids as [string];
    await expect(resolveItem(world, dv, { accept: true })).rejects.toMatchObject({ code: 'stale' });
    const item = findInboxItem(world, dv);
    recordShown(world, [item]);
    await expect(resolveItem(world, `${dv}@9`, { accept: true })).rejects.toMatchObject({ code: 'stale' });
    expect(await resolveItem(world, `${dv}@${item.revision}`, { accept: true })).toMatchObject({ id: dv });
    expect(world.read(page)!.blocks[0]!.text).toBe('Ship it.\n\n');
  });
});

describe('an item is printed whole', () => {
  const { world, byAgent, page } = desk();
  const item = (text: string): InboxItem => findInboxItem(world, page(`P${world.head()}`, text));

  it('in a listing where nothing of it is cut, and by itself', () => {
    const [short, long] = [item('One.\n'), item('line\n'.repeat(30))];
    expect([
      isPrintedInFull(short, 'short'),
      isPrintedInFull(long, 'short'),
      isPrintedInFull(long, 'whole'),
    ]).toEqual([true, false, true]);
    expect(itemText(long, 'short')).toMatch(/… 18 more lines: sonde world inbox pg-/);
    expect(itemText(short, 'short')).toContain(`sonde world promote ${short.id}@1`);
  });

  it('but not where it holds what no terminal shows', () => {
    for (const sign of ['\u001b[8m', '\u0007', '\u202e', '\u0000'])
      expect(isPrintedInFull(item(`a${sign}b\n`), 'whole'), JSON.stringify(sign)).toBe(false);
    expect(isPrintedInFull(item('a\r\n\r\nb\tc é 日本\r\n'), 'whole')).toBe(true);
  });

  it('with both sides of a conflict, which cannot be accepted', async () => {
    const plan = world.page('Plan')!.id;
    const block = world.read(plan)!.blocks[0]!.id;
    const held = ['A.', 'B.'].map((text) => byAgent({ op: 'update_block', block, text }).deviation_ids[0]!);
    recordShown(world, [findInboxItem(world, held[0]!)]);
    await resolveItem(world, held[0]!, { accept: true });
    const text = itemText(findInboxItem(world, held[1]!), 'whole');
    for (const side of ['before:\n        Ship.', 'present:\n        A.', 'submitted:\n        B.'])
      expect(text).toContain(side);
    expect(text).not.toContain('--accept');
    recordShown(world, [findInboxItem(world, held[1]!)]);
    await expect(resolveItem(world, held[1]!, { accept: true })).rejects.toMatchObject({ code: 'conflict' });
  });
});
