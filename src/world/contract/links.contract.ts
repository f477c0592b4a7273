import { describe, expect, it } from 'vitest';
import { agent, author, type Workbench } from './workbench.contract.ts';

/** Workspace: links and backlinks; renaming keeps links. */
export function linksContract(get: () => Workbench): void {
  const targets = (w: Workbench, page: string) =>
    w.world.links(page).map(({ to }) => (to === null ? null : w.world.page(to)!.path));
  const from = (w: Workbench, page: string) =>
    w.world.backlinks(page).map(({ from_page }) => w.world.page(from_page)!.path);

  describe('links', () => {
    const pages = {
      Plan: '---\naliases: [Big Plan, 計画]\n---\n',
      'Deep/Notes': 'x\n',
      'Deep/Down/Notes': 'x\n',
      'Deep/Down/Here': 'x\n',
    };
    const leads: readonly (readonly [onPath: string, written: string, to: string | null])[] = [
      ['Any', '[[Plan]]', 'Plan'],
      ['Any', '[[plan]]', 'Plan'],
      ['Any', '[[Plan#Scope|the plan]]', 'Plan'],
      ['Any', '![[Plan]]', 'Plan'],
      ['Any', '[[Big plan]]', 'Plan'],
      ['Any', '[[計画]]', 'Plan'],
      ['Any', '[[Notes]]', 'Deep/Notes'],
      ['Any', '[[Down/Notes]]', 'Deep/Down/Notes'],
      ['Deep/Down/Other', '[[Notes]]', 'Deep/Down/Notes'],
      ['Deep/Down/Other', '[n](../Notes.md)', 'Deep/Notes'],
      ['Deep/Down/Other', '[n](Here.md#x)', 'Deep/Down/Here'],
      ['Deep/Other', '[p](../Plan.md)', 'Plan'],
      ['Deep/Other', '[p](../../Plan.md)', null],
      ['Any', '[n](Deep/Notes.md)', 'Deep/Notes'],
      ['Any', '[[Nowhere]]', null],
    ];
    it.each(leads)('on %s, %s leads to %s', (onPath, written, to) => {
      const w = get();
      for (const [path, text] of Object.entries(pages)) w.page(author, path, text);
      const page = w.page(author, onPath, `A ${written} link.\n`);
      expect(targets(w, page)).toEqual([to]);
      if (to !== null) expect(from(w, w.world.page(to)!.id)).toEqual([onPath]);
    });

    it('are none within code', () => {
      const w = get();
      const page = w.page(author, 'P', '`[[A]]`\n\n```\n[[B]]\n```\n');
      expect(w.world.links(page)).toEqual([]);
    });

    it('lead to a page as soon as it is there, and nowhere when it is gone', () => {
      const w = get();
      const page = w.page(author, 'P', '[[Later]]\n');
      expect(targets(w, page)).toEqual([null]);
      const later = w.page(author, 'In/Later');
      expect(targets(w, page)).toEqual(['In/Later']);
      w.ok(author, { op: 'delete_page', page: later });
      expect(targets(w, page)).toEqual([null]);
    });

    it('keep their page when it is renamed or moved, and are read with its path of now', () => {
      const w = get();
      const plan = w.page(author, 'Plan', 'x\n');
      const wiki = w.page(author, 'A/Wiki', 'See [[Plan#Scope|that]] and [[Plan]].\n');
      const markdown = w.page(author, 'A/Markdown', 'See [it](../Plan.md "t").\n');
      w.ok(author, { op: 'rename_page', page: plan, name: 'New Plan' });
      expect(w.text(wiki)).toBe('See [[New Plan#Scope|that]] and [[New Plan]].\n');
      expect(w.text(markdown)).toBe('See [it](../New%20Plan.md "t").\n');
      w.ok(author, { op: 'move_page', page: plan, to: 'B/C/Plan 3' });
      expect(w.text(markdown)).toBe('See [it](../B/C/Plan%203.md "t").\n');
      expect(from(w, plan).toSorted()).toEqual(['A/Markdown', 'A/Wiki', 'A/Wiki']);
      // Back again: as it was written.
      w.ok(author, { op: 'move_page', page: plan, to: 'Plan' });
      expect(w.text(wiki)).toBe('See [[Plan#Scope|that]] and [[Plan]].\n');
      expect(w.text(markdown)).toBe('See [it](../Plan.md "t").\n');
    });

    it('keep their page when the page that they are on moves', () => {
      const w = get();
      const b = w.page(author, 'A/B', 'x\n');
      const page = w.page(author, 'A/P', 'See [b](B.md).\n');
      w.ok(author, { op: 'move_page', page, to: 'C/D/P' });
      expect(w.text(page)).toBe('See [b](../../A/B.md).\n');
      expect(targets(w, page)).toEqual(['A/B']);
      // The folder moves as a whole: what is relative within it stays as it is.
      w.ok(author, { op: 'move_page', page: b, to: 'Z/B' });
      expect(w.text(page)).toBe('See [b](../../Z/B.md).\n');
    });

    it('are not taken away by a page that is renamed to what they say', () => {
      const w = get();
      const far = w.page(author, 'Far/Plan', 'x\n');
      const other = w.page(author, 'Other', 'x\n');
      const page = w.page(author, 'P', '[[Plan]]\n');
      w.ok(author, { op: 'rename_page', page: other, name: 'Plan' });
      expect(targets(w, page)).toEqual(['Far/Plan']);
      expect(w.text(page)).toBe('[[Far/Plan]]\n');
      expect(from(w, far)).toEqual(['P']);
      expect(from(w, other)).toEqual([]);
    });

    it('are not taken away by a candidate', () => {
      const w = get();
      w.page(author, 'Far/Plan', 'x\n');
      const page = w.page(author, 'P', '[[Plan]] [[New]]\n');
      w.page(agent, 'Plan', 'y\n');
      w.page(agent, 'New', 'y\n');
      expect(targets(w, page)).toEqual(['Far/Plan', 'New']);
    });

    it('are read as they were written when the candidate moves that they lead to', () => {
      const w = get();
      const page = w.page(author, 'P', '[[New]]\n');
      const candidate = w.page(agent, 'New', 'y\n');
      w.ok(agent, { op: 'rename_page', page: candidate, name: 'Newer' });
      expect(w.text(page)).toBe('[[New]]\n');
      expect(targets(w, page)).toEqual([null]);
    });

    it('are saved as they were read', () => {
      const w = get();
      const plan = w.page(author, 'Plan', 'x\n');
      const page = w.page(author, 'P', '[[Plan]] one two three.\n\nOther text here.\n');
      const [block] = w.world.read(page)!.blocks;
      w.ok(author, { op: 'rename_page', page: plan, name: 'Q' });
      w.ok(author, { op: 'update_page', page, text: '[[Q]] one two three.\n\nOther text there.\n' });
      expect(w.world.block(block!.id)).toMatchObject({ revision: 1, text: '[[Q]] one two three.\n\n' });
      w.ok(author, { op: 'update_page', page, text: '[[Q]] one two four.\n\nOther text there.\n' });
      expect(targets(w, page)).toEqual(['Q']);
    });
  });
}
