import { describe, expect, it } from 'vitest';
import { agent, author, type Workbench } from './workbench.contract.ts';

/** Workspace: pages in a tree, blocks, properties, tags, attachments, history. */
export function contentContract(get: () => Workbench): void {
  describe('content', () => {
    it('is given back as it was written, byte for byte', () => {
      const w = get();
      const texts = {
        plain: 'One.\n\nTwo.\n',
        empty: '',
        'no line end': 'One',
        'Windows line ends': '---\r\ntags: [a]\r\n---\r\nOne.\r\n\r\n- a\r\n- b\r\n',
        'broken front matter': '---\n: [\n---\nText\n',
        'blank lines at both ends': '\n\n# A\n\n\n',
        'a zero byte': 'a\u0000b\n',
        'Страница/日本語/e\u0301': '# Übersicht 🙂\n\n[[Ziel]]\n',
      };
      for (const [path, text] of Object.entries(texts)) {
        const id = w.page(author, path, text);
        expect([path, w.text(id)]).toEqual([path, text]);
        expect(w.world.read(id)!.blocks.length).toBeGreaterThan(0);
        expect(w.world.page(path)?.id).toBe(id);
      }
    });

    it('lies in a tree by its paths', () => {
      const w = get();
      for (const path of ['A', 'A/B', 'A/B/C', 'A0', 'A-', 'B']) w.page(author, path);
      const paths = (under: string) => w.world.pages({ under }).map(({ path }) => path);
      expect(paths('A')).toEqual(['A', 'A/B', 'A/B/C']);
      expect(paths('A/B')).toEqual(['A/B', 'A/B/C']);
      expect(w.world.pages({ limit: 2 }).map(({ path }) => path)).toEqual(['A', 'A-']);
      expect(w.world.pages({ limit: 2, after: 'A-' }).map(({ path }) => path)).toEqual(['A/B', 'A/B/C']);
    });

    it('has ids that stay when a block, a text or a path changes', () => {
      const w = get();
      const page = w.page(author, 'P', 'Alpha one two three.\n\nBeta four five six.\n\nGamma seven eight.\n');
      const ids = () => w.world.read(page)!.blocks.map(({ id }) => id);
      const [a, b, c] = ids();
      w.ok(author, {
        op: 'update_page',
        page,
        text: 'New.\n\nBeta four five six!\n\nAlpha one two three.\n\nGamma seven eight.\n',
      });
      expect(ids().slice(1).toSorted()).toEqual([a, b, c].toSorted());
      expect(w.text(page)).toBe(
        'New.\n\nBeta four five six!\n\nAlpha one two three.\n\nGamma seven eight.\n',
      );
      w.ok(author, { op: 'update_block', block: b!, text: 'Beta.\n\n' });
      expect(w.world.block(b!)).toMatchObject({ text: 'Beta.\n\n', revision: 3 });
      w.ok(author, { op: 'move_page', page, to: 'Q/R' });
      expect(w.world.page('Q/R')?.id).toBe(page);
      expect(w.world.page('P')).toBeNull();
    });

    it('keeps apart what Markdown would join, whatever is written into a block', () => {
      const w = get();
      const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n';
      const page = w.page(author, 'P', `First.\n\n${table}Last.\n\n## B\n`);
      const [first, , last, heading] = w.world.read(page)!.blocks.map(({ id }) => id);
      const write = (block: string, text: string) => w.ok(author, { op: 'update_block', block, text });
      write(first!, 'FIRST');
      write(last!, '- LAST');
      write(heading!, 'Underlined\n---');
      expect(w.text(page)).toBe(`FIRST\n\n${table}- LAST\n\nUnderlined\n---\n`);
      write(last!, 'p2\n');
      expect(w.text(page)).toBe(`FIRST\n\n${table}p2\n\nUnderlined\n---\n`);
      w.no('bad_value', author, { op: 'update_block', block: first!, text: '```\nnever closed' });
      w.no('bad_value', author, { op: 'add_block', page, after: first!, text: '<!-- never closed' });
      w.no('bad_value', author, { op: 'update_block', block: first!, text: ' \n' });
      // Without a blank line before, and none after: what stands between was a heading.
      const tight = w.page(author, 'T', 'a\n# H\nb\n');
      w.ok(author, { op: 'delete_block', block: w.block(tight, 1).id });
      expect(w.text(tight)).toBe('a\n\nb\n');
      expect(w.world.read(tight)!.blocks.map(({ text }) => text)).toEqual(['a\n', '\n', 'b\n']);
      const rules = w.page(author, 'R', 'a: 1\n\n---\n');
      w.ok(author, { op: 'add_block', page: rules, after: null, text: '---' });
      expect(w.world.read(rules)).toMatchObject({ front: '', properties: {} });
      expect(w.text(rules)).toMatch(/^\n---\n\na: 1\n/);
    });

    it('takes blocks at the beginning, behind another and at the end, as Markdown that stays apart', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n\nTwo.');
      const one = w.block(page).id;
      w.ok(author, { op: 'add_block', page, text: 'End' });
      w.ok(author, { op: 'add_block', page, after: null, text: 'Begin' });
      w.ok(author, { op: 'add_block', page, after: one, text: 'Mid 1.\n\nMid 2.' });
      expect(w.text(page)).toBe('Begin\n\nOne.\n\nMid 1.\n\nMid 2.\n\nTwo.\n\nEnd\n');
      for (let i = 0; i < 40; i += 1) w.ok(author, { op: 'add_block', page, after: one, text: `n${i}` });
      expect(
        w.world
          .read(page)!
          .blocks.map(({ text }) => text.trim())
          .slice(1, 5),
      ).toEqual(['One.', 'n39', 'n38', 'n37']);
    });

    it('keeps a block in every page', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      w.ok(author, { op: 'delete_block', block: w.block(page).id });
      expect(w.world.read(page)!.blocks).toMatchObject([{ text: '', kind: 'blank' }]);
      w.ok(author, { op: 'add_block', page, text: 'Again.' });
      expect(w.text(page)).toBe('Again.\n');
    });

    it('has properties in its front matter, whose other lines stay', () => {
      const w = get();
      const page = w.page(author, 'P', '---\n# why\na: 1\nb: [x, y] # list\n---\nText\n');
      w.ok(author, { op: 'set_properties', page, set: { a: null, c: { d: true } } });
      expect(w.world.read(page)!.properties).toEqual({ b: ['x', 'y'], c: { d: true } });
      expect(w.text(page)).toContain('# why\nb: [x, y] # list\n');
      w.no('bad_value', author, { op: 'set_properties', page, set: { '': 1 } });
      const broken = w.page(author, 'Q', '---\n: [\n---\nText\n');
      w.no('bad_value', author, { op: 'set_properties', page: broken, set: { a: 1 } });
    });

    it('has tags of the front matter and of the text, each holding those below it', () => {
      const w = get();
      const page = w.page(author, 'P', '---\ntags: [a, b/c]\n---\nText #d and `#no`.\n');
      expect(w.world.read(page)!.tags).toEqual(['a', 'b/c', 'd']);
      const block = w.block(page).id;
      w.ok(author, { op: 'add_tag', content: page, tag: '#e' });
      w.ok(author, { op: 'add_tag', content: block, tag: 'f' });
      expect(w.text(page)).toContain('Text #d and `#no`. #f\n');
      expect(w.world.read(page)!.properties['tags']).toEqual(['a', 'b/c', 'e']);
      expect(w.world.pages({ tag: 'b' }).map(({ id }) => id)).toEqual([page]);
      w.ok(author, { op: 'remove_tag', content: page, tag: 'a' });
      w.ok(author, { op: 'remove_tag', content: block, tag: 'd' });
      expect(w.world.tags().map(({ tag }) => tag)).toEqual(['b/c', 'e', 'f']);
      w.no('bad_value', author, { op: 'add_tag', content: page, tag: 'two words' });
      w.no('bad_value', author, { op: 'remove_tag', content: page, tag: 'zzz' });
      const made = w.ok(author, {
        op: 'create_page',
        path: 'T',
        text: 'x',
        tags: ['g'],
        properties: { h: 1 },
      });
      expect(w.world.read(made.content_ids[0]!)).toMatchObject({ tags: ['g'], properties: { h: 1 } });
    });

    it('has attachments by reference', () => {
      const w = get();
      const page = w.page(author, 'P');
      w.ok(author, { op: 'add_attachment', page, path: 'img/a.png', bytes: 3, hash: 'h' });
      w.ok(author, { op: 'add_attachment', page: null, path: 'b.pdf', bytes: 4, hash: 'i' });
      expect(w.world.attachments(page)).toEqual([{ page, path: 'img/a.png', bytes: 3, hash: 'h' }]);
      w.ok(author, { op: 'remove_attachment', path: 'img/a.png' });
      expect(w.world.attachments()).toEqual([{ page: null, path: 'b.pdf', bytes: 4, hash: 'i' }]);
      w.no('unknown_content', author, { op: 'remove_attachment', path: 'img/a.png' });
      w.no('forbidden', agent, { op: 'add_attachment', page: null, path: 'c', bytes: 1, hash: 'h' });
    });

    it('is deleted softly: gone from every listing, its history kept', () => {
      const w = get();
      const page = w.page(author, 'P', 'One. #t\n');
      const block = w.block(page).id;
      w.page(author, 'P/Child');
      w.ok(author, { op: 'delete_page', page });
      expect(w.world.page('P')).toBeNull();
      expect(w.world.read(page, 'all')).toBeNull();
      expect(w.world.pages({ view: 'all' }).map(({ path }) => path)).toEqual(['P/Child']);
      expect(w.world.tags()).toEqual([]);
      expect(w.world.page(page)).toMatchObject({ deleted: true });
      expect(w.world.block(block)).toMatchObject({ deleted: true, text: 'One. #t\n' });
      expect(w.world.history(page).map(({ op }) => op)).toEqual(['delete_page', 'create_page']);
      w.no('deleted_content', author, { op: 'update_block', block, text: 'x' });
      const again = w.page(author, 'P');
      expect(again).not.toBe(page);
    });

    it('refuses paths that cannot be', () => {
      const w = get();
      for (const path of ['', '/a', 'a/', 'a//b', 'a/../b', '.', 'a\nb', 'x'.repeat(1001), ' ']) {
        w.no('bad_path', author, { op: 'create_page', path, text: '' });
      }
      const page = w.page(author, 'A');
      w.page(author, 'B');
      w.no('path_taken', author, { op: 'create_page', path: 'B', text: '' });
      w.no('path_taken', author, { op: 'move_page', page, to: 'B' });
      w.no('bad_path', author, { op: 'move_page', page, to: 'A/B' });
      w.no('bad_path', author, { op: 'rename_page', page, name: 'x/y' });
      w.no('unknown_content', author, { op: 'rename_page', page: 'pg-none', name: 'x' });
    });

    it('refuses a text that no page may have', () => {
      const w = get();
      const page = w.page(author, 'A');
      w.no('too_large', author, { op: 'add_block', page, text: 'x'.repeat(4_000_001) });
      w.no('bad_value', author, { op: 'add_block', page, text: ' \n' });
      w.no('bad_value', author, { op: 'update_block', block: w.block(page).id, text: '' });
      w.no('bad_value', author, { op: 'update_page', page, text: 'half \ud83d' });
    });

    it('moves with all below it, onto a path that one of them leaves as well', () => {
      const w = get();
      const page = w.page(author, 'A');
      const child = w.page(author, 'A/B/B');
      w.page(author, 'A-');
      w.ok(author, { op: 'move_page', page, to: 'A/B'.replace('A/', 'C/') });
      expect(w.world.pages().map(({ path }) => path)).toEqual(['A-', 'C/B', 'C/B/B/B']);
      w.ok(author, { op: 'move_page', page: child, to: 'C' });
      expect(w.world.page('C')?.id).toBe(child);
    });
  });
}
