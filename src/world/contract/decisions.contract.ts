import { describe, expect, it } from 'vitest';
import type { InboxItem } from '../world.ts';
import { agent, author, importer, otherAgent, type Workbench } from './workbench.contract.ts';

/** Contract tests: the author decides on content only as it was shown to the author. */
export function decisionsContract(get: () => Workbench): void {
  const item = (w: Workbench, id: string): InboxItem => w.world.inbox(1000).find((each) => each.id === id)!;
  const show = (w: Workbench, id: string, person = author.name) => w.world.shown(person, [item(w, id)]);
  const accept = (deviation: string, revision?: number) =>
    ({
      op: 'resolve_deviation',
      deviation,
      decision: 'accept',
      ...(revision !== undefined && { revision }),
    }) as const;

  describe('decisions', () => {
    it('refuse what was never shown, or not to this person', () => {
      const w = get();
      const page = w.page(agent, 'P', 'One.\n');
      const block = w.ok(agent, { op: 'add_block', page: w.page(author, 'Q'), text: 'Two.' }).content_ids[0]!;
      for (const content of [page, block]) {
        w.no('stale', author, { op: 'promote', content });
        w.no('stale', author, { op: 'reject', content });
        w.no('stale', author, { op: 'promote', content, revision: 1 });
        show(w, content, 'bob');
        w.no('stale', author, { op: 'promote', content });
        show(w, content);
      }
      w.ok(author, { op: 'promote', content: page });
      w.ok(author, { op: 'reject', content: block });
    });

    const snapshot = (w: Workbench) => ({
      texts: w.world.pages({ view: 'all', limit: 99 }).map((one) => {
        const { blocks, front, lifecycle, path, tags } = w.world.read(one.id, 'all')!;
        const parts = blocks.map(({ id, text, lifecycle: of }) => [id, text, of]);
        return { parts, front, lifecycle, path, tags };
      }),
      inbox: w.world.inbox(99).map(({ kind, id, before, after }) => ({ kind, id, before, after })),
      links: w.world.pages({ view: 'all', limit: 99 }).map(({ id }) => w.world.backlinks(id).length),
    });

    it.each<[string, (w: Workbench) => () => string]>([
      [
        'a page accepted',
        (w) => {
          const page = w.page(agent, 'P', '---\na: 1\n---\nOne [[Q]] #t\n\nTwo.\n');
          return () => w.ok(author, { op: 'promote', content: page }).write_id;
        },
      ],
      [
        'a page rejected',
        (w) => {
          const page = w.page(agent, 'P', 'One [[Q]] #t\n\nTwo.\n');
          return () => w.ok(author, { op: 'reject', content: page }).write_id;
        },
      ],
      [
        'a block accepted',
        (w) => {
          const [block] = w.ok(agent, {
            op: 'add_block',
            page: w.page(author, 'P', 'Own.\n'),
            text: 'Two #t',
          }).content_ids;
          return () => w.ok(author, { op: 'promote', content: block! }).write_id;
        },
      ],
      [
        'the only block of an author’s page rejected',
        (w) => {
          const [block] = w.ok(agent, {
            op: 'add_block',
            page: w.page(author, 'P', ''),
            text: 'Two.',
          }).content_ids;
          return () => w.ok(author, { op: 'reject', content: block! }).write_id;
        },
      ],
      [
        'a held edit accepted',
        (w) => {
          const page = w.page(author, 'P', 'Own.\n');
          const deviation = w.held(agent, { op: 'update_block', block: w.block(page).id, text: 'Other.' });
          return () => w.ok(author, accept(deviation)).write_id;
        },
      ],
      [
        'a held edit refused',
        (w) => {
          const page = w.page(author, 'P', 'Own.\n');
          const deviation = w.held(agent, { op: 'update_block', block: w.block(page).id, text: 'Other.' });
          return () => w.ok(author, { op: 'resolve_deviation', deviation, decision: 'keep' }).write_id;
        },
      ],
      [
        'a held page’s text answered with a third',
        (w) => {
          const page = w.page(author, 'P', 'Own.\n\nMore.\n');
          const deviation = w.held(agent, { op: 'update_page', page, text: 'Other.\n' });
          const decision = { text: 'A third.\n' };
          return () => w.ok(author, { op: 'resolve_deviation', deviation, decision }).write_id;
        },
      ],
      [
        'a flag cleared',
        (w) => {
          const source = w.page(author, 'S', 'One.\n');
          w.page(author, 'D', 'So.\n', { derivedFrom: [source] });
          w.ok(author, { op: 'update_block', block: w.block(source).id, text: 'Two.' });
          const [flag] = w.world.flags({ open: true });
          return () => w.ok(author, { op: 'clear_flag', flag: flag!.id }).write_id;
        },
      ],
      [
        'a candidate edited',
        (w) => {
          const page = w.page(agent, 'P', 'One.\n\nTwo.\n');
          return () =>
            w.ok(author, { op: 'update_page', page, text: 'One, rather.\n\nThree.\n\nTwo.\n' }).write_id;
        },
      ],
    ])('can be taken back while nothing else has changed: %s', (_, make) => {
      const w = get();
      w.page(author, 'Q', 'Quiet.\n');
      const decide = make(w);
      w.look();
      const before = snapshot(w);
      const write = decide();
      expect(snapshot(w)).not.toEqual(before);
      for (const by of [agent, importer]) w.no('forbidden', by, { op: 'undo', write });
      const head = w.world.head();
      w.ok(author, { op: 'undo', write });
      expect(w.world.head()).toBe(head + 1);
      expect(snapshot(w)).toEqual(before);
      expect(w.world.check().damaged).toEqual([]);
      w.no('not_open', author, { op: 'undo', write });
      // What is taken back is decided anew, and taken back anew.
      w.look();
      const again = decide();
      w.ok(author, { op: 'undo', write: again });
      expect(snapshot(w)).toEqual(before);
    });

    it('stay where something has changed since, or where they are none', () => {
      const w = get();
      const page = w.page(agent, 'P', 'One.\n');
      w.look();
      const { write_id: write } = w.ok(author, { op: 'promote', content: page });
      const { write_id: later } = w.ok(author, { op: 'add_block', page, text: 'Two.' });
      w.no('not_open', author, { op: 'undo', write });
      for (const none of [later, 'wr-none', w.ok(agent, { op: 'create_page', path: 'R', text: '' }).write_id])
        w.no('unknown_content', author, { op: 'undo', write: none });
    });

    it('bring a deleted page back by a restore, unless its place is taken', () => {
      const w = get();
      const page = w.page(author, 'P', '---\naliases: [Pea]\ntags: [a]\n---\nOne [[Q]] #t\n');
      const q = w.page(author, 'Q', 'Quiet.\n');
      const before = snapshot(w);
      w.ok(author, { op: 'delete_page', page });
      w.no('forbidden', agent, { op: 'restore_page', page });
      const other = w.page(author, 'P', 'Other.\n');
      w.no('path_taken', author, { op: 'restore_page', page });
      w.ok(author, { op: 'delete_page', page: other });
      w.ok(author, { op: 'restore_page', page });
      expect(snapshot(w)).toEqual(before);
      expect(w.world.page('Pea')?.id).toBe(page);
      expect(w.world.backlinks(q)).toHaveLength(1);
      expect(w.world.check().damaged).toEqual([]);
      w.no('not_open', author, { op: 'restore_page', page });
      w.no('unknown_content', author, { op: 'restore_page', page: 'pg-none' });
    });

    it('refuse what has changed since, and tell what', () => {
      const w = get();
      const page = w.page(agent, 'P', 'One.\n\nTwo.\n');
      show(w, page);
      w.ok(agent, { op: 'update_block', block: w.block(page, 1).id, text: 'Other.' });
      const result = w.submit(author, { op: 'promote', content: page });
      expect(result).toMatchObject({
        kind: 'refused',
        code: 'stale',
        details: { id: page, shown: 1, now: 2, diff: '  One.\n  \n~ [-Two-]{+Other+}.' },
      });
      w.no('stale', author, { op: 'promote', content: page, revision: 1 });
      // Nobody was shown the second.
      w.no('stale', author, { op: 'promote', content: page, revision: 2 });
      show(w, page);
      w.no('stale', author, { op: 'promote', content: page, revision: 1 });
      w.ok(author, { op: 'promote', content: page, revision: 2 });
      expect(w.text(page)).toBe('One.\n\nOther.\n');
    });

    it('count a page as seen with all of its parts, and none of them without its path and properties', () => {
      const w = get();
      const page = w.page(agent, 'P', '---\na: 1\n---\nOne.\n\nTwo.\n');
      const [one, two] = w.world.read(page, 'all')!.blocks.map(({ id }) => id);
      w.world.shown(author.name, [w.world.read(page, 'all')!]);
      w.ok(agent, { op: 'set_properties', page, set: { a: 2 } });
      w.no('stale', author, { op: 'promote', content: one! });
      w.no('stale', author, { op: 'add_block', page, text: 'Mine.' });
      show(w, page);
      w.ok(author, { op: 'promote', content: one! });
      expect(w.world.read(page)).toMatchObject({ properties: { a: 2 }, blocks: [{ id: one }] });
      w.ok(agent, { op: 'add_block', page, text: 'Three.' });
      w.no('stale', author, { op: 'promote', content: page });
      w.ok(author, { op: 'promote', content: two! });
    });

    it('leave candidates of an author’s page that were not shown where they are', () => {
      const w = get();
      const page = w.page(author, 'P', 'Mine.\n');
      w.ok(agent, { op: 'add_block', page, text: 'Shown.' });
      w.world.shown(author.name, [w.world.read(page, 'all')!]);
      const [hidden] = w.ok(agent, { op: 'add_block', page, text: 'Hidden.' }).content_ids;
      expect(w.submit(author, { op: 'promote', content: page })).toMatchObject({
        code: 'stale',
        details: { id: hidden, shown: null, now: 1, diff: expect.stringContaining('+ Hidden.') },
      });
      // Read as the author's, no candidate is in it.
      w.world.shown(author.name, [w.world.read(page)!]);
      w.no('stale', author, { op: 'promote', content: page });
      w.look();
      w.ok(author, { op: 'promote', content: page });
      expect(w.text(page)).toBe('Mine.\n\nShown.\n\nHidden.\n');
    });

    it('keep nothing of what changed while it was printed', () => {
      const w = get();
      const page = w.page(agent, 'P', 'One.\n');
      const printed = [item(w, page), w.world.read(page, 'all')!];
      w.ok(agent, { op: 'update_page', page, text: 'Two.\n' });
      w.world.shown(author.name, printed);
      w.no('stale', author, { op: 'promote', content: page });
    });

    it('do not require that the author was shown his own or imported content', () => {
      const w = get();
      const own = w.page(author, 'P', 'One.\n', { lifecycle: 'Candidate' });
      w.ok(author, { op: 'promote', content: own });
      const draft = w.page(importer, 'D', 'One.\n\nTwo.\n');
      w.no('stale', author, { op: 'promote', content: draft, revision: 3 });
      w.ok(author, { op: 'promote', content: w.block(draft).id, revision: 1 });
      w.ok(author, { op: 'promote', content: draft });
      const brought = w.page(importer, 'C', 'One.\n', { lifecycle: 'Candidate' });
      w.ok(agent, { op: 'update_page', page: brought, text: 'Two.\n' });
      w.no('stale', author, { op: 'promote', content: brought });
    });

    it('adding a tag does not decide on the text', () => {
      const w = get();
      const page = w.page(agent, 'P', 'One.\n');
      w.ok(author, { op: 'add_tag', content: w.block(page).id, tag: 't' });
      expect(w.world.read(page, 'all')).toMatchObject({
        lifecycle: 'Candidate',
        blocks: [{ lifecycle: 'Candidate', text: 'One. #t\n' }],
      });
    });

    it('make what is promoted the author’s as it was read, wherever its links lead later', () => {
      const w = get();
      const target = w.page(agent, 'Q');
      const page = w.page(agent, 'P', 'See [[Q]].\n');
      w.ok(agent, { op: 'rename_page', page: target, name: 'R' });
      w.look();
      w.ok(author, { op: 'promote', content: page });
      expect(w.text(page)).toBe('See [[R]].\n');
      w.ok(agent, { op: 'rename_page', page: target, name: 'Something else' });
      expect(w.text(page)).toBe('See [[R]].\n');
    });

    it('rebase an edit that was held over what changed elsewhere, and show it so', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n\nTwo.\n\nThree.\n');
      const first = w.held(agent, { op: 'update_page', page, text: '1.\n\nTwo.\n\nThree.\n' });
      const second = w.held(otherAgent, { op: 'update_page', page, text: 'One.\n\nTwo.\n\n3.\n' });
      w.look();
      w.ok(author, accept(first));
      w.no('stale', author, accept(second));
      expect(item(w, second)).toMatchObject({ after: '1.\n\nTwo.\n\n3.\n', conflicts: [] });
      show(w, second);
      w.ok(author, { op: 'update_block', block: w.block(page, 1).id, text: '2.' });
      expect(w.submit(author, accept(second))).toMatchObject({ code: 'stale' });
      show(w, second);
      w.ok(author, accept(second, item(w, second).revision));
      expect(w.text(page)).toBe('1.\n\n2.\n\n3.\n');
    });

    it('tell of whatever has changed since, also of what is no text of it', () => {
      const w = get();
      const diffOf = (operation: Parameters<typeof w.submit>[1]): string => {
        const result = w.submit(author, operation);
        expect(result).toMatchObject({ kind: 'refused', code: 'stale' });
        return result.kind === 'refused' ? String(result.details?.['diff']) : '';
      };
      const page = w.page(author, 'P', 'One.\n\nTwo.\n');
      const gone = w.held(agent, { op: 'delete_block', block: w.block(page, 1).id });
      const moved = w.held(agent, { op: 'rename_page', page, name: 'Q' });
      const candidate = w.page(agent, 'Mine', 'Text.\n');
      w.look();
      w.ok(author, { op: 'update_block', block: w.block(page, 1).id, text: 'Second.' });
      expect(diffOf(accept(gone))).toMatch(/^\+ Second\.$/m);
      w.ok(author, { op: 'rename_page', page, name: 'R' });
      expect(diffOf(accept(moved))).toMatch(/\[-P-\]\{\+R\+\}/);
      w.ok(agent, { op: 'rename_page', page: candidate, name: 'Yours' });
      expect(diffOf({ op: 'promote', content: candidate })).toMatch(/\[-Mine-\]\{\+Yours\+\}/);
    });

    it('show two edits of one place as a conflict, and do neither over the other', () => {
      const w = get();
      const table = '| a |\n|---|\n| 1 |\n';
      const page = w.page(author, 'P', `${table}\nText.\n`);
      const block = w.block(page).id;
      const [first, second] = ['2', '3'].map((row) =>
        w.held(agent, { op: 'update_block', block, text: table.replace('1', row) }),
      );
      const [two, three] = [table.replace('1', '2'), table.replace('1', '3')];
      w.look();
      w.ok(author, accept(first!));
      expect(w.text(page)).toBe(`${two}\nText.\n`);
      w.look();
      const conflicts = [{ base: `${table}\n`, ours: `${two}\n`, theirs: three }];
      expect(item(w, second!)).toMatchObject({ conflicts });
      expect(w.submit(author, accept(second!))).toMatchObject({
        code: 'conflict',
        details: { id: second, conflicts },
      });
      expect(w.text(page)).toBe(`${two}\nText.\n`);
      expect(w.world.deviations({ status: 'open' }).map(({ id }) => id)).toEqual([second]);
      const text = `${two}| 3 |\n`;
      w.ok(author, { op: 'resolve_deviation', deviation: second!, decision: { text } });
      expect(w.text(page)).toBe(`${text}\nText.\n`);
    });

    it('take nothing away, move nothing and set nothing that has changed since it was asked for', () => {
      const w = get();
      const page = w.page(author, 'P', '---\na: 1\n---\nOne.\n\nTwo.\n');
      const block = w.block(page).id;
      const held = [
        w.held(agent, { op: 'delete_block', block }),
        w.held(agent, { op: 'delete_page', page }),
        w.held(agent, { op: 'set_properties', page, set: { a: 3 } }),
        w.held(agent, { op: 'move_page', page, to: 'Q' }),
        w.held(agent, { op: 'rename_page', page, name: 'R' }),
      ];
      const other = w.held(agent, { op: 'set_properties', page, set: { b: 1 } });
      w.ok(author, { op: 'update_block', block, text: 'Mine.' });
      w.ok(author, { op: 'set_properties', page, set: { a: 2 } });
      w.ok(author, { op: 'move_page', page, to: 'S/P' });
      w.look();
      for (const id of held) w.no('conflict', author, accept(id));
      w.ok(author, accept(other));
      expect(w.text(page)).toBe('---\na: 2\nb: 1\n---\nMine.\n\nTwo.\n');
    });

    it('merge an edit of an older revision from that revision on', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n\nTwo.\n');
      w.ok(author, { op: 'update_page', page, text: '1.\n\nTwo.\n' });
      const held = w.held(author, { op: 'update_page', page, text: 'One.\n\n2.\n' }, { baseRevision: 1 });
      const block = w.block(page, 1).id;
      w.ok(author, { op: 'update_block', block, text: 'Two, again.\n' });
      const late = w.held(agent, { op: 'update_block', block, text: 'Two, late.\n' }, { baseRevision: 1 });
      expect(item(w, late).conflicts).toEqual([
        { base: 'Two.\n', ours: 'Two, again.\n', theirs: 'Two, late.\n' },
      ]);
      expect(item(w, held).conflicts).toHaveLength(1);
      w.ok(author, { op: 'update_block', block, text: 'Two.\n' });
      show(w, held);
      w.ok(author, accept(held));
      expect(w.text(page)).toBe('1.\n\n2.\n');
    });

    it('need no look where the author keeps what stands or writes, but hold to a revision that is named', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const block = w.block(page).id;
      const [first, second] = [1, 2].map((n) =>
        w.held(agent, { op: 'update_block', block, text: `Text ${n}.\n` }),
      );
      show(w, second!);
      const { revision } = item(w, second!);
      w.ok(author, { op: 'resolve_deviation', deviation: first!, decision: { text: 'Mine.\n' } });
      w.no('stale', author, { op: 'resolve_deviation', deviation: second!, decision: 'keep', revision });
      w.ok(author, { op: 'resolve_deviation', deviation: second!, decision: 'keep' });
    });
  });
}
