import { describe, expect, it } from 'vitest';
import { joinPageText } from '../../../world/index.ts';
import { memoryWorld } from '../../../world/scripted.ts';
import { organizePages } from './organize-pages.ts';

const desk = () =>
  memoryWorld({
    Plan: '---\naliases: [The plan]\n---\nShip.\n',
    'Plan/Risks': 'Rain.\n',
    Diary: 'See [[Plan]] and [[Plan/Risks|risks]].\n',
  });

describe('pages put in order by the author', () => {
  it('a renamed page takes its links and what is below it along', async () => {
    const world = desk();
    const { id } = world.page('Plan')!;
    expect(await organizePages(world, [{ op: 'rename_page', name: 'The plan', to: 'Aim' }])).toEqual([
      { page: id, from: 'Plan', to: 'Aim', write_id: expect.any(String) },
    ]);
    expect(world.pages().map(({ path }) => path)).toEqual(['Aim', 'Aim/Risks', 'Diary']);
    expect(joinPageText(world.read(world.page('Diary')!.id)!)).toBe('See [[Aim]] and [[Aim/Risks|risks]].\n');
  });

  it('a moved page has the path that was given, and takes no other page’s', async () => {
    const world = desk();
    await organizePages(world, [{ op: 'move_page', name: 'Diary', to: 'Archive/2026/Diary' }]);
    expect(world.page('Archive/2026/Diary')).not.toBeNull();
    await expect(
      organizePages(world, [{ op: 'move_page', name: 'Plan', to: 'Archive/2026/Diary' }]),
    ).rejects.toMatchObject({ code: 'bad_argument' });
    await expect(
      organizePages(world, [{ op: 'rename_page', name: 'Plan', to: 'a/b' }]),
    ).rejects.toMatchObject({
      code: 'bad_argument',
    });
  });

  it('deletes all that were named or none, each once, and nothing below them', async () => {
    const world = desk();
    const wish = (name: string) => ({ op: 'delete_page', name }) as const;
    await expect(organizePages(world, [wish('Plan'), wish('Nowhere')])).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(world.page('Plan')).toMatchObject({ deleted: false });
    expect(await organizePages(world, [wish('Plan'), wish('The plan')])).toMatchObject([
      { from: 'Plan', to: null },
    ]);
    expect(world.pages().map(({ path }) => path)).toEqual(['Diary', 'Plan/Risks']);
  });
});
