import { describe, expect, it } from 'vitest';
import type { WorldOperation } from '../world-write.ts';
import { agent, author, importer, type Workbench } from './workbench.contract.ts';

/** Contract tests. Checklist world.md: Provenance. The numbers are its own. */
export function provenanceContract(get: () => Workbench): void {
  const listFlags = (w: Workbench) =>
    w.world.flags({ open: true }).map(({ content_id, source_id }) => [content_id, source_id]);

  describe('provenance', () => {
    it('2: an origin never changes, whoever edits', () => {
      const w = get();
      const made = [w.page(agent, 'A'), w.page(importer, 'I'), w.page(author, 'U')];
      const origins = () => made.map((id) => w.world.page(id)!.origin);
      const before = origins();
      for (const page of made) {
        w.ok(author, { op: 'update_page', page, text: 'The author was here.\n' });
        w.ok(author, { op: 'set_properties', page, set: { a: 1 } });
        w.ok(author, { op: 'rename_page', page, name: `${w.world.page(page)!.path}2` });
      }
      expect(origins()).toEqual(before);
      expect(w.block(made[1]!)).toMatchObject({ lifecycle: 'Canonical' });
    });

    it('4: tells what derives from it and what it derives from', () => {
      const w = get();
      const [a, b] = [w.page(author, 'A'), w.page(author, 'B')];
      const page = w.page(agent, 'P', 'x\n', { derivedFrom: [a, b, a] });
      expect(
        w.world
          .sourcesOf(page)
          .map(({ source_id }) => source_id)
          .toSorted(),
      ).toEqual([a, b].toSorted());
      expect(w.world.derivedFrom(a)).toEqual([
        {
          derived_id: page,
          source_id: a,
          link_type: 'derived_from',
          created_at: expect.any(Number),
          created_by: 'agent:planner',
        },
      ]);
      const block = w.block(b).id;
      w.ok(agent, { op: 'add_derivation_link', derived: page, source: block, link_type: 'cites' });
      w.ok(agent, { op: 'add_derivation_link', derived: page, source: block, link_type: 'cites' });
      expect(w.world.derivedFrom(block)).toMatchObject([{ derived_id: page, link_type: 'cites' }]);
      w.no('bad_value', agent, { op: 'add_derivation_link', derived: page, source: a, link_type: 'No Type' });
      w.no('unknown_content', agent, {
        op: 'add_derivation_link',
        derived: 'x',
        source: a,
        link_type: 'cites',
      });
      const added = w.ok(agent, { op: 'add_block', page: a, text: 'One.\n\nTwo.' }, { derivedFrom: [b, a] });
      expect(added.content_ids.map((id) => w.world.sourcesOf(id).length)).toEqual([2, 2]);
    });

    it('a link of an agent to the author’s content waits for the author, as any change of that content', () => {
      const w = get();
      const [page, source] = [w.page(author, 'P', 'One.\n'), w.page(author, 'S')];
      const block = w.block(page).id;
      for (const derived of [page, block]) {
        const link = { op: 'add_derivation_link', derived, source, link_type: 'cites' } as const;
        const id = w.held(agent, link);
        expect(w.world.sourcesOf(derived)).toEqual([]);
        const item = w.world.inbox().find((each) => each.id === id);
        expect(item).toMatchObject({ content_id: derived, before: null, after: 'rests on S (cites)' });
        w.look();
        const accept = { op: 'resolve_deviation', deviation: id, decision: 'accept' } as const;
        const { write_id } = w.ok(author, accept);
        expect(w.world.sourcesOf(derived)).toMatchObject([
          { source_id: source, link_type: 'cites', created_by: 'agent:planner' },
        ]);
        w.ok(author, { op: 'undo', write: write_id });
        expect(w.world.sourcesOf(derived)).toEqual([]);
        w.ok(author, { op: 'resolve_deviation', deviation: id, decision: 'keep' });
        expect(w.world.sourcesOf(derived)).toEqual([]);
        w.ok(author, link);
        // What is there already is nothing new.
        expect(w.ok(agent, link)).toMatchObject({ applied: true, deviation_ids: [] });
        expect(w.world.sourcesOf(derived)).toHaveLength(1);
      }
    });

    it('an agent that writes the present text adds no source', () => {
      const w = get();
      const [page, source] = [w.page(author, 'P', 'One.\n'), w.page(author, 'S')];
      const block = w.block(page).id;
      const same: readonly WorldOperation[] = [
        { op: 'update_block', block, text: w.block(page).text },
        { op: 'update_page', page, text: 'One.\n' },
      ];
      for (const operation of same) w.ok(agent, operation, { derivedFrom: [source] });
      expect(w.world.derivedFrom(source)).toEqual([]);
      for (const operation of same) w.ok(author, operation, { derivedFrom: [source] });
      expect(w.world.derivedFrom(source)).toHaveLength(2);
    });

    it('refuses a derivation that leads back, over any number of steps', () => {
      const w = get();
      const pages = [w.page(author, 'P0')];
      for (let i = 1; i <= 60; i += 1) {
        pages.push(w.page(agent, `P${i}`, 'x\n', { derivedFrom: [pages[i - 1]!] }));
      }
      const [first, last] = [pages[0]!, pages.at(-1)!];
      for (const source of [pages[1]!, pages[30]!, last, first]) {
        w.no('derivation_cycle', agent, {
          op: 'add_derivation_link',
          derived: first,
          source,
          link_type: 'cites',
        });
      }
      w.ok(agent, { op: 'add_derivation_link', derived: last, source: first, link_type: 'cites' });
      const block = w.block(pages[1]!).id;
      w.ok(agent, { op: 'update_block', block, text: 'y\n' }, { derivedFrom: [last] });
      w.no(
        'derivation_cycle',
        agent,
        { op: 'update_page', page: pages[1]!, text: 'z\n' },
        { derivedFrom: [last] },
      );
      // What was read of the very thing that is edited is no source of it.
      w.ok(agent, { op: 'update_page', page: last, text: 'z\n' }, { derivedFrom: [last, first] });
    });

    it('5: a change of a source flags what derives from it directly, once, and edits none of it', () => {
      const w = get();
      const source = w.page(author, 'S', 'One.\n\nTwo.\n');
      const block = w.block(source).id;
      const ofPage = w.page(agent, 'P', 'x\n', { derivedFrom: [source] });
      const ofBlock = w.page(agent, 'B', 'x\n', { derivedFrom: [block] });
      w.page(agent, 'Far', 'x\n', { derivedFrom: [ofPage] });
      const before = [ofPage, ofBlock].map((id) => w.world.read(id, 'all')!.blocks);
      const edit = w.ok(author, { op: 'update_block', block, text: 'New.\n\n' });
      expect(listFlags(w).toSorted()).toEqual(
        [
          [ofBlock, block],
          [ofPage, source],
        ].toSorted(),
      );
      expect(edit.flag_ids).toHaveLength(2);
      expect([ofPage, ofBlock].map((id) => w.world.read(id, 'all')!.blocks)).toEqual(before);
      expect(w.world.read(ofPage, 'all')).toMatchObject({ flags: 1 });
      expect(w.ok(author, { op: 'update_block', block, text: 'Newer.\n\n' }).flag_ids).toEqual([]);
      // No cascade: not until what is flagged is changed itself.
      w.ok(author, { op: 'update_page', page: ofPage, text: 'y\n' });
      expect(listFlags(w)).toHaveLength(3);
      const [flag] = w.world.flags({ content: ofPage });
      w.no('forbidden', agent, { op: 'clear_flag', flag: flag!.id });
      w.ok(author, { op: 'clear_flag', flag: flag!.id });
      w.no('not_open', author, { op: 'clear_flag', flag: flag!.id });
      w.no('unknown_content', author, { op: 'clear_flag', flag: 'fl-no' });
      expect(w.world.flags({ content: ofPage, open: false })).toMatchObject([
        { cleared_at: expect.any(Number) },
      ]);
      w.ok(author, { op: 'update_block', block, text: 'Newest.\n\n' });
      expect(w.world.flags({ content: ofPage, open: true })).toHaveLength(1);
    });

    it('5: each kind of change flags; a path, a held edit, a hidden candidate and no change do not', () => {
      const w = get();
      const fresh = () => {
        const source = w.page(author, `S${w.world.head()}`, '---\na: 1\n---\nOne.\n\nTwo.\n');
        w.page(agent, `D${w.world.head()}`, 'x\n', { derivedFrom: [source] });
        return source;
      };
      const flags: readonly ((page: string) => readonly string[])[] = [
        (page) => w.ok(author, { op: 'update_page', page, text: 'x\n' }).flag_ids,
        (page) => w.ok(author, { op: 'add_block', page, text: 'x' }).flag_ids,
        (page) => w.ok(author, { op: 'delete_block', block: w.block(page).id }).flag_ids,
        (page) => w.ok(author, { op: 'set_properties', page, set: { a: 2 } }).flag_ids,
        (page) => w.ok(author, { op: 'add_tag', content: page, tag: 't' }).flag_ids,
        (page) => w.ok(author, { op: 'delete_page', page }).flag_ids,
        (page) => {
          const added = w.ok(agent, { op: 'add_block', page, text: 'x' });
          expect(added.flag_ids).toEqual([]);
          w.look();
          return w.ok(author, { op: 'promote', content: added.content_ids[0]! }).flag_ids;
        },
        (page) => {
          const id = w.held(agent, { op: 'update_page', page, text: 'y\n' });
          expect(w.world.flags({ open: true })).toHaveLength(7);
          w.look();
          return w.ok(author, { op: 'resolve_deviation', deviation: id, decision: 'accept' }).flag_ids;
        },
      ];
      for (const change of flags) expect(change(fresh())).toHaveLength(1);
      const quiet: readonly ((page: string) => readonly string[])[] = [
        (page) => w.ok(author, { op: 'rename_page', page, name: `R${page}` }).flag_ids,
        (page) => w.ok(author, { op: 'update_page', page, text: w.text(page)! }).flag_ids,
        (page) => w.ok(agent, { op: 'delete_page', page }).flag_ids,
        (page) => w.ok(agent, { op: 'add_block', page, text: 'x' }).flag_ids,
      ];
      for (const change of quiet) expect(change(fresh())).toEqual([]);
    });

    it('5: content made of what was deleted meanwhile is flagged at once', () => {
      const w = get();
      const source = w.page(author, 'S');
      w.ok(author, { op: 'delete_page', page: source });
      const made = w.ok(agent, { op: 'create_page', path: 'P', text: 'x' }, { derivedFrom: [source] });
      expect(made.flag_ids).toHaveLength(1);
    });

    it('3, 6: the inbox is in the order of standing, which is computed', () => {
      const w = get();
      const source = w.page(author, 'S', 'One.\n');
      const weak = w.page(agent, 'Weak', 'x\n', { derivedFrom: [source] });
      const strong = w.page(author, 'Strong', 'x\n', { derivedFrom: [source] });
      const linked = w.page(author, 'Linked', 'x\n', { derivedFrom: [source] });
      w.page(author, 'L1', '[[Linked]]\n');
      w.page(author, 'L2', '[[Linked]]\n');
      w.ok(author, { op: 'update_page', page: source, text: 'Two.\n' });
      const inbox = w.world.inbox();
      const flags = inbox.filter(({ kind }) => kind === 'flag');
      expect(flags.map(({ content_id }) => content_id)).toEqual([linked, strong, weak]);
      expect(flags[0]).toMatchObject({ before: 'One.\n', after: 'Two.\n', path: 'Linked' });
      expect(inbox.map(({ standing }) => standing)).toEqual(
        inbox.map(({ standing }) => standing).toSorted((a, b) => b - a),
      );
      for (const { standing } of inbox) expect(standing > 0 && standing <= 1).toBe(true);
      expect(inbox.at(-1)).toMatchObject({ content_id: weak });
      expect(inbox.find(({ kind }) => kind === 'candidate')).toMatchObject({
        content_id: weak,
        before: null,
        after: 'x\n',
      });
      expect(w.world.inbox(1)).toHaveLength(1);
      w.look();
      w.ok(author, { op: 'reject', content: weak });
      expect(w.world.inbox().map(({ content_id }) => content_id)).toEqual([linked, strong]);
    });

    it('7: a proposal of a revision is a candidate like any other', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const proposal = w.page(agent, 'P (revised)', 'Two.\n', { derivedFrom: [page] });
      expect(w.world.page(proposal)).toMatchObject({ lifecycle: 'Candidate' });
      expect(w.world.pages().map(({ id }) => id)).toEqual([page]);
    });

    it('the world can be rebuilt from the log', () => {
      const w = get();
      const page = w.page(author, 'P', '---\na: 1\n---\nOne two.\n\nThree four.\n');
      w.page(agent, 'Q', 'x\n', { derivedFrom: [page] });
      w.ok(author, { op: 'update_page', page, text: 'Three four!\n\nFive.\n\nOne two.\n' });
      w.ok(author, { op: 'delete_block', block: w.block(page, 1).id });
      w.ok(author, { op: 'move_page', page, to: 'A/B' });
      w.ok(agent, { op: 'add_block', page, after: null, text: 'Six.' });
      const fold: Record<string, Record<string, unknown>> = {};
      for (const { after } of w.world.events(0)) {
        for (const [id, fields] of Object.entries(after ?? {})) fold[id] = { ...fold[id], ...fields };
      }
      for (const { id, path } of w.world.pages({ view: 'all' })) {
        const blocks = Object.values(fold)
          .filter((each) => each['page'] === id && each['deleted'] !== true)
          .toSorted((a, b) => Number(a['place']) - Number(b['place']));
        expect(fold[id]).toMatchObject({ path, lifecycle: w.world.page(id)!.lifecycle });
        expect(`${fold[id]!['front']}${blocks.map(({ text }) => text).join('')}`).toBe(w.text(id, 'all'));
      }
    });
  });
}
