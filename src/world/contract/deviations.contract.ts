import { describe, expect, it } from 'vitest';
import type { WorldOperation } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { agent, author, external, importer, otherAgent, type Workbench } from './workbench.contract.ts';

/** Contract tests. Checklist world.md: Deviations. The numbers are its own. */
export function deviationsContract(get: () => Workbench): void {
  const deviation = (w: Workbench, id: string) => w.world.deviations().find((each) => each.id === id)!;

  describe('deviations', () => {
    it('1, 3: an edit of what the author reads is held as an overwrite', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const block = w.block(page).id;
      const id = w.held(agent, { op: 'update_block', block, text: 'Two.\n' }, { derivedFrom: [page] });
      expect(deviation(w, id)).toMatchObject({
        type: 'overwrite',
        status: 'open',
        canonical_refs: [block],
        candidate: null,
        resolved_at: null,
        proposals: [],
        submitted: {
          operation: { op: 'update_block', block, text: 'Two.\n' },
          caller: { kind: 'agent', name: 'planner' },
          derivation_sources: [page],
        },
      });
      expect(w.world.sourcesOf(block)).toEqual([]);
      expect(w.world.read(page)).toMatchObject({ deviations: 1 });
    });

    it('1: a declared contradiction becomes a candidate, and its target stays', () => {
      const w = get();
      const page = w.page(author, 'P', 'The sky is blue.\n');
      const made = w.ok(
        agent,
        { op: 'create_page', path: 'Q', text: 'It is red.\n' },
        { contradicts: [page] },
      );
      expect(made.applied).toBe(true);
      expect(deviation(w, made.deviation_ids[0]!)).toMatchObject({
        type: 'contradiction',
        candidate: made.content_ids[0],
        canonical_refs: [page],
      });
      w.no('unknown_content', agent, { op: 'create_page', path: 'R', text: 'x' }, { contradicts: ['pg-no'] });
    });

    it('1: an edit of an older revision is a conflict, whoever makes it', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const block = w.block(page).id;
      w.ok(author, { op: 'update_block', block, text: 'Two.\n' }, { baseRevision: 1 });
      w.held(author, { op: 'update_block', block, text: 'Three.\n' }, { baseRevision: 1 });
      w.held(author, { op: 'update_page', page, text: 'Three.\n' }, { baseRevision: 1 });
      w.ok(author, { op: 'update_page', page, text: 'Four.\n' }, { baseRevision: 2 });
      w.no('bad_value', author, { op: 'update_page', page, text: 'Five.\n' }, { baseRevision: 9 });

      const own = w.page(agent, 'Q', 'One.\n');
      w.ok(agent, { op: 'update_page', page: own, text: 'Two.\n' }, { baseRevision: 1 });
      w.held(otherAgent, { op: 'update_page', page: own, text: 'Three.\n' }, { baseRevision: 1 });
      const added = w.ok(agent, { op: 'add_block', page, text: 'A thought.' }, { baseRevision: 1 });
      expect(added.applied).toBe(true);
      expect(deviation(w, added.deviation_ids[0]!)).toMatchObject({
        type: 'contradiction',
        candidate: added.content_ids[0],
        canonical_refs: [page],
      });
    });

    it('1: another value for the same property of another writer is a conflict', () => {
      const w = get();
      const page = w.page(agent, 'P', '---\na: 1\n---\nx\n');
      w.held(otherAgent, { op: 'set_properties', page, set: { a: 2 } });
      w.ok(otherAgent, { op: 'set_properties', page, set: { b: 2 } });
      expect(w.world.read(page, 'all')!.properties).toEqual({ a: 1, b: 2 });
    });

    it('1: an import does not overwrite what a person or an agent has written', () => {
      const w = get();
      const page = w.page(importer, 'P', 'One two three.\n\nFour five six.\n');
      expect(
        w.ok(importer, { op: 'update_page', page, text: 'One two three.\n\nFour five.\n' }).applied,
      ).toBe(true);
      w.ok(author, { op: 'update_block', block: w.block(page).id, text: 'Mine.\n\n' });
      w.held(importer, { op: 'update_page', page, text: 'Theirs.\n' });
      w.held(importer, { op: 'delete_page', page });
      w.held(importer, { op: 'add_block', page, text: 'Theirs.' });
      const candidate = w.page(agent, 'Q');
      w.held(importer, { op: 'update_page', page: candidate, text: 'Theirs.\n' });
      const mixed = w.page(importer, 'R', 'One.\n');
      w.ok(agent, { op: 'add_block', page: mixed, text: 'A thought.' });
      expect(w.ok(importer, { op: 'update_page', page: mixed, text: 'Two.\n' }).applied).toBe(true);
      expect(w.text(mixed, 'all')).toBe('Two.\n\nA thought.\n');
      // A file that comes to say what a candidate says is the file's all the same.
      w.ok(importer, { op: 'update_page', page: mixed, text: 'Two.\n\nA thought.\n' });
      expect(w.text(mixed)).toBe('Two.\n\nA thought.\n');
    });

    it('2: are rolled back with their batch', () => {
      const w = get();
      const page = w.page(author, 'P');
      const before = w.dump();
      const write = (operation: WorldOperation) =>
        worldWrite({ operation, caller: agent, source: 'test', idempotencyKey: null });
      const batch = [write({ op: 'delete_page', page }), write({ op: 'create_page', path: 'P', text: 'x' })];
      expect(w.world.submitAll(batch)).toMatchObject({ kind: 'refused', code: 'path_taken' });
      expect(w.dump()).toBe(before);
    });

    it('4, 5: a refusal makes none', () => {
      const w = get();
      const page = w.page(author, 'P');
      w.no('forbidden', agent, { op: 'promote', content: page });
      w.no('unknown_source', agent, { op: 'delete_page', page }, { derivedFrom: ['pg-no'] });
      expect(w.world.deviations()).toEqual([]);
    });

    it('6: can be listed by content, status, type and age', () => {
      const w = get();
      const p = w.page(author, 'P');
      const q = w.page(author, 'Q');
      const a = w.held(agent, { op: 'delete_page', page: p });
      w.clock.advance(1000);
      const made = w.ok(agent, { op: 'create_page', path: 'R', text: 'x' }, { contradicts: [q, p] });
      const [b] = made.deviation_ids;
      const ids = (filter: Parameters<typeof w.world.deviations>[0]) =>
        w.world.deviations(filter).map(({ id }) => id);
      expect(ids({})).toEqual([a, b]);
      expect(ids({ content: p })).toEqual([a, b]);
      expect(ids({ content: q })).toEqual([b]);
      expect(ids({ content: made.content_ids[0]! })).toEqual([b]);
      expect(ids({ type: 'overwrite' })).toEqual([a]);
      expect(ids({ before: deviation(w, b!).created_at })).toEqual([a]);
      w.ok(author, { op: 'resolve_deviation', deviation: a, decision: 'keep' });
      expect(ids({ status: 'open' })).toEqual([b]);
      expect(ids({ status: 'dismissed', content: p })).toEqual([a]);
    });

    it('7: have no origin, and nothing derives from one', () => {
      const w = get();
      const page = w.page(author, 'P');
      const id = w.held(agent, { op: 'delete_page', page });
      expect(deviation(w, id)).not.toHaveProperty('lifecycle');
      expect(deviation(w, id)).not.toHaveProperty('origin');
      w.no('unknown_source', agent, { op: 'create_page', path: 'Q', text: 'x' }, { derivedFrom: [id] });
      w.no('unknown_content', author, { op: 'promote', content: id });
    });

    it('8, 9: an agent proposes, the author decides', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const id = w.held(agent, { op: 'update_block', block: w.block(page).id, text: 'Two.\n' });
      for (const caller of [agent, external]) {
        const operation = { op: 'resolve_deviation', deviation: id, decision: 'accept', note: 'so' } as const;
        expect(w.ok(caller, operation)).toMatchObject({ applied: false, deviation_ids: [id] });
      }
      w.no('forbidden', importer, { op: 'resolve_deviation', deviation: id, decision: 'accept' });
      expect(deviation(w, id)).toMatchObject({
        status: 'open',
        proposals: [
          { by: 'agent:planner', text: 'accept (so)' },
          { by: 'external:client', text: 'accept (so)' },
        ],
      });
      expect(w.text(page)).toBe('One.\n');
      expect(w.world.inbox()[0]).toMatchObject({ kind: 'deviation', id, before: 'One.\n', after: 'Two.\n' });
    });

    it('an accepted overwrite is applied as the author’s decision, and keeps its origin', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const source = w.page(author, 'S', 'x\n');
      const block = w.block(page).id;
      const more = { derivedFrom: [source], source: 'tool:update_page' };
      const id = w.held(agent, { op: 'update_page', page, text: 'One.\n\nTwo.\n' }, more);
      w.look();
      const resolved = w.ok(author, {
        op: 'resolve_deviation',
        deviation: id,
        decision: 'accept',
        note: 'yes',
      });
      expect(resolved).toMatchObject({ applied: true, deviation_ids: [id] });
      expect(deviation(w, id)).toMatchObject({ status: 'resolved', resolution: 'accept: yes' });
      expect(w.world.read(page)).toMatchObject({
        origin: 'Authored',
        blocks: [
          { id: block, origin: 'Authored', lifecycle: 'Canonical' },
          { origin: 'AgentProduced', lifecycle: 'Canonical', origin_source_id: 'tool:update_page' },
        ],
      });
      expect(w.world.sourcesOf(page)).toMatchObject([{ source_id: source, created_by: 'agent:planner' }]);
      w.no('not_open', author, { op: 'resolve_deviation', deviation: id, decision: 'keep' });
      w.no('not_open', agent, { op: 'resolve_deviation', deviation: id, decision: 'keep' });
      w.no('unknown_content', author, { op: 'resolve_deviation', deviation: 'dv-no', decision: 'keep' });
    });

    it('a refused overwrite changes nothing, and a third text may be given instead', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const block = w.block(page).id;
      const [a, b, c] = ['A.\n', 'B.\n', 'C.\n'].map((text) =>
        w.held(agent, { op: 'update_block', block, text }),
      );
      w.ok(author, { op: 'resolve_deviation', deviation: a!, decision: 'keep' });
      expect(w.text(page)).toBe('One.\n');
      w.ok(author, { op: 'resolve_deviation', deviation: b!, decision: { text: 'Third.\n' } });
      expect(w.text(page)).toBe('Third.\n');
      expect(w.world.block(block)).toMatchObject({ origin: 'Authored', lifecycle: 'Canonical' });
      w.ok(author, { op: 'delete_page', page });
      w.look();
      w.no('deleted_content', author, { op: 'resolve_deviation', deviation: c!, decision: 'accept' });
      w.ok(author, { op: 'resolve_deviation', deviation: c!, decision: 'keep' });
      expect(w.world.deviations({ status: 'open' })).toEqual([]);
    });

    it('a contradiction is accepted by promoting its candidate, and refused by rejecting it', () => {
      const w = get();
      const page = w.page(author, 'P', 'Blue.\n');
      const contradict = (path: string) => {
        const made = w.ok(agent, { op: 'create_page', path, text: 'Red.\n' }, { contradicts: [page] });
        return [made.content_ids[0]!, made.deviation_ids[0]!] as const;
      };
      const [accepted, first] = contradict('A');
      w.look();
      w.ok(author, { op: 'resolve_deviation', deviation: first, decision: 'accept' });
      expect(w.world.page(accepted)).toMatchObject({ lifecycle: 'Canonical', origin: 'AgentProduced' });
      expect(w.text(page)).toBe('Blue.\n');
      const [kept, second] = contradict('B');
      w.ok(author, { op: 'resolve_deviation', deviation: second, decision: 'keep' });
      expect(w.world.page(kept)).toMatchObject({ deleted: true });
      const [third, last] = contradict('C');
      w.ok(author, { op: 'resolve_deviation', deviation: last, decision: { text: 'Violet.\n' } });
      expect(w.text(page)).toBe('Violet.\n');
      expect(w.world.page(third)).toMatchObject({ deleted: true });
      const [rejected, moot] = contradict('D');
      w.look();
      w.ok(author, { op: 'reject', content: rejected });
      expect(deviation(w, moot)).toMatchObject({ status: 'dismissed' });
    });
  });
}
