import { describe, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import type { WorldOperation, WorldWrite } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';
import { agent, agents, author, external, importer, schedule, type Workbench } from './workbench.contract.ts';

const write = (operation: WorldOperation, caller: Caller, key: string | null = null) =>
  worldWrite({ operation, caller, source: 'test', idempotencyKey: key });
const newPage = (path: string): WorldOperation => ({ op: 'create_page', path, text: `${path}\n` });

/** Contract tests. Checklist world.md: Submit boundary. The numbers are its own. */
export function boundaryContract(get: () => Workbench): void {
  describe('submit boundary', () => {
    it('1: reading functions change nothing', () => {
      const w = get();
      const page = w.page(author, 'P', '[[Q]] #t\n');
      const before = w.dump();
      const { world } = w;
      world.page('P');
      world.read(page, 'all');
      world.block(w.block(page).id);
      world.pages({ tag: 't' });
      world.tags();
      world.links(page);
      world.backlinks(page);
      world.attachments();
      world.history(page);
      world.events(0);
      world.head();
      world.derivedFrom(page);
      world.sourcesOf(page);
      world.flags();
      world.deviations();
      world.inbox();
      expect(w.dump()).toBe(before);
      const values = [world.read(page), world.page('P'), world.block(w.block(page).id)];
      for (const value of values) expect(() => Object.assign(value!, { path: 'X', text: 'X' })).not.toThrow();
      expect(w.text(page)).toBe('[[Q]] #t\n');
    });

    const real = write(newPage('Look'), author);
    const lookAlikes: Readonly<Record<string, unknown>> = {
      'a copy': { ...real },
      'a clone': structuredClone(real),
      'a child': Object.create(real),
      'a proxy': new Proxy(real, {}),
      'one read from JSON': JSON.parse(JSON.stringify(real)),
      'one by hand': {
        operation: newPage('Look'),
        caller: author,
        origin: 'Authored',
        lifecycle: 'Canonical',
        origin_source_id: 'x',
        derivation_sources: [],
        contradicts: [],
        base_revision: null,
        idempotency_key: null,
      },
      nothing: null,
      'a text': 'write',
    };
    it.each(Object.keys(lookAlikes))('2: refuses %s of a write', (name) => {
      const w = get();
      const before = w.dump();
      const fake = lookAlikes[name] as WorldWrite;
      expect(w.world.submit(fake)).toMatchObject({ kind: 'refused', code: 'not_a_write' });
      expect(w.world.submitAll([real, fake])).toMatchObject({ kind: 'refused', code: 'not_a_write' });
      expect(w.dump()).toBe(before);
    });

    it('2: a later change of the request does not change the write', () => {
      const w = get();
      const tags = ['one'];
      const caller = { ...agent };
      const operation = { op: 'create_page' as const, path: 'P', text: 'x\n', tags };
      const request = { operation, caller, source: 'test', idempotencyKey: null };
      const made = worldWrite(request);
      tags.push('two');
      operation.path = 'Q';
      Object.assign(caller, author);
      Object.assign(request, { source: 'other', lifecycle: 'Canonical' });
      expect(w.world.submit(made)).toMatchObject({ kind: 'accepted' });
      expect(w.world.pages({ view: 'all' })).toMatchObject([
        { path: 'P', origin: 'AgentProduced', lifecycle: 'Candidate', origin_source_id: 'test' },
      ]);
      expect(w.world.tags(undefined, 'all').map(({ tag }) => tag)).toEqual(['one']);
      expect(() => Object.assign(made, { origin: 'Authored' })).toThrow(TypeError);
      expect(() => Object.assign(made.caller, { kind: 'user' })).toThrow(TypeError);
      expect(() => (made.operation as unknown as { tags: string[] }).tags.push('three')).toThrow(TypeError);
    });

    const bad: Readonly<Record<string, unknown>> = {
      'an unknown operation': { operation: { op: 'drop' } },
      'a field too many': { operation: { ...newPage('P'), origin: 'Authored' } },
      'a field too few': { operation: { op: 'create_page', path: 'P' } },
      'a value of a wrong type': { operation: { op: 'create_page', path: 'P', text: 3 } },
      'what JSON cannot hold': { operation: { ...newPage('P'), properties: { a: () => 1 } } },
      'a caller of no kind': { caller: { ...author, kind: 'root' } },
      'no source': { source: '' },
      'a lifecycle that is none': { lifecycle: 'Eternal' },
      'a revision that is none': { baseRevision: 0 },
    };
    it.each(Object.keys(bad))('refuses a request with %s', (name) => {
      const w = get();
      const request = { operation: newPage('P'), caller: author, source: 'test', idempotencyKey: null };
      const before = w.dump();
      const made = worldWrite({ ...request, ...(bad[name] as object) });
      expect(w.world.submit(made)).toMatchObject({ kind: 'refused', code: 'bad_value' });
      expect(w.dump()).toBe(before);
    });

    it.each([
      [author, 'Authored', 'Canonical'],
      [agent, 'AgentProduced', 'Candidate'],
      [schedule, 'AgentProduced', 'Candidate'],
      [external, 'AgentProduced', 'Candidate'],
      [importer, 'Imported', 'Draft'],
    ] as const)(
      '3, 4, 5, 7, 9: origin and lifecycle come from the caller: $kind',
      (caller, origin, lifecycle) => {
        const w = get();
        const page = w.page(caller, 'P', 'x\n', { source: 'tool:create_page' });
        const has = { origin, lifecycle, origin_source_id: 'tool:create_page' };
        expect(w.world.read(page, 'all')).toMatchObject({ ...has, blocks: [has] });
      },
    );

    it('3: only an import may declare content Observed', () => {
      const w = get();
      const page = w.page(importer, 'P', 'x\n', { observed: true });
      expect(w.world.page(page)).toMatchObject({ origin: 'Observed', lifecycle: 'Draft' });
      for (const caller of [author, ...agents]) w.no('forbidden', caller, newPage('Q'), { observed: true });
    });

    it('5: only the author may request Canonical, and no agent Draft', () => {
      const w = get();
      for (const caller of [...agents, importer])
        w.no('lifecycle', caller, newPage('P'), { lifecycle: 'Canonical' });
      for (const caller of agents) w.no('lifecycle', caller, newPage('P'), { lifecycle: 'Draft' });
      const page = w.page(author, 'P', 'x\n', { lifecycle: 'Candidate' });
      expect(w.world.page(page)).toMatchObject({ origin: 'Authored', lifecycle: 'Candidate' });
    });

    it('6: only an act of the author makes content Canonical', () => {
      const w = get();
      const page = w.page(agent, 'P', 'one two three\n\nfour five six\n');
      for (const caller of [...agents, importer]) {
        w.no('forbidden', caller, { op: 'promote', content: page });
        w.no('forbidden', caller, { op: 'reject', content: page });
      }
      expect(w.world.pages()).toEqual([]);
      w.look();
      w.ok(author, { op: 'promote', content: page });
      const canonical = { lifecycle: 'Canonical', origin: 'AgentProduced' };
      expect(w.world.read(page)).toMatchObject({ ...canonical, blocks: [canonical, canonical] });

      const edited = w.page(agent, 'Q', 'one two three\n\nfour five six\n');
      const block = w.block(edited).id;
      // Its path and properties would become the author's with it.
      w.no('stale', author, { op: 'update_block', block, text: 'one\n\n' });
      w.look();
      w.ok(author, { op: 'update_block', block, text: 'one\n\n' });
      expect(w.world.read(edited, 'all')).toMatchObject({
        ...canonical,
        blocks: [canonical, { lifecycle: 'Candidate' }],
      });
      const organized = w.page(agent, 'T', 'one\n');
      w.ok(author, { op: 'move_page', page: organized, to: 'U' });
      w.ok(author, { op: 'set_properties', page: organized, set: { a: 1 } });
      expect(w.world.read(organized)).toBeNull();
      const draft = w.page(importer, 'R', 'x\n');
      w.look();
      w.ok(author, { op: 'promote', content: w.block(draft).id });
      expect(w.world.read(draft)).toMatchObject({
        origin: 'Imported',
        lifecycle: 'Canonical',
        blocks: [{ lifecycle: 'Canonical' }],
      });
    });

    it('11: refuses a step between lifecycles that does not exist', () => {
      const w = get();
      const page = w.page(author, 'P');
      w.no('lifecycle', author, { op: 'promote', content: page });
      w.no('lifecycle', author, { op: 'promote', content: w.block(page).id });
      w.no('lifecycle', author, { op: 'reject', content: page });
      w.no(
        'lifecycle',
        author,
        { op: 'update_block', block: w.block(page).id, text: 'y\n' },
        { lifecycle: 'Draft' },
      );
      w.no('lifecycle', author, { op: 'update_page', page, text: 'y\n' }, { lifecycle: 'Candidate' });
      const draft = w.page(importer, 'D');
      w.no('lifecycle', author, { op: 'reject', content: draft });
      w.ok(author, { op: 'update_block', block: w.block(draft).id, text: 'y\n' }, { lifecycle: 'Draft' });
      expect(w.world.read(draft)).toMatchObject({ lifecycle: 'Draft', blocks: [{ lifecycle: 'Draft' }] });
    });

    it.each(agents)('8: an edit of $kind never changes what the author reads', (caller) => {
      const w = get();
      const canonical = w.page(author, 'P', '---\na: 1\ntags: [t]\n---\nOne.\n');
      const draft = w.page(importer, 'D', '---\na: 1\ntags: [t]\n---\nOne.\n');
      w.page(author, 'P/Child');
      for (const page of [canonical, draft]) {
        const block = w.block(page).id;
        const edits: readonly WorldOperation[] = [
          { op: 'update_block', block, text: 'Two.\n' },
          { op: 'delete_block', block },
          { op: 'update_page', page, text: 'Two.\n' },
          { op: 'move_page', page, to: 'X' },
          { op: 'rename_page', page, name: 'X' },
          { op: 'delete_page', page },
          { op: 'set_properties', page, set: { a: 2 } },
          { op: 'set_properties', page, set: { b: 2 } },
          { op: 'add_tag', content: page, tag: 'u' },
          { op: 'add_tag', content: block, tag: 'u' },
          { op: 'remove_tag', content: page, tag: 't' },
          { op: 'add_attachment', page, path: 'a.png', bytes: 1, hash: 'h' },
        ];
        for (const edit of edits) w.held(caller, edit);
        expect(w.world.deviations({ content: page }).length).toBeGreaterThan(0);
        // What is there already is no conflict.
        expect(w.ok(caller, { op: 'update_block', block, text: 'One.\n' })).toMatchObject({ applied: true });
        expect(w.ok(caller, { op: 'set_properties', page, set: { a: 1 } })).toMatchObject({ applied: true });
        const read = w.text(page);
        w.ok(caller, { op: 'add_block', page, text: 'A thought.' });
        expect(w.text(page)).toBe(read);
        expect(w.text(page, 'all')).toContain('A thought.');
      }
      const own = w.page(caller, 'P/Own');
      const moved = w.held(caller, { op: 'move_page', page: canonical, to: 'Y' });
      expect(w.world.deviations().find(({ id }) => id === moved)!.canonical_refs).toEqual([
        canonical,
        w.world.page('P/Child')!.id,
      ]);
      expect(w.world.page('P/Own')?.id).toBe(own);
    });

    it('8: an agent changes its own candidates, and no candidate hides a page of the author', () => {
      const w = get();
      const page = w.page(agent, 'P', '---\na: 1\n---\nOne.\n');
      const applied = { applied: true, deviation_ids: [] };
      expect(w.ok(agent, { op: 'update_block', block: w.block(page).id, text: 'Two.\n' })).toMatchObject(
        applied,
      );
      expect(w.ok(agent, { op: 'set_properties', page, set: { a: 2 } })).toMatchObject(applied);
      expect(w.ok(agent, { op: 'update_page', page, text: 'Three.\n' })).toMatchObject(applied);
      expect(w.ok(agent, { op: 'move_page', page, to: 'Q' })).toMatchObject(applied);
      expect(w.text(page)).toBeNull();
      expect(w.text(page, 'all')).toBe('Three.\n');
      expect(w.ok(agent, { op: 'delete_page', page })).toMatchObject(applied);
      w.page(author, 'R');
      w.no('path_taken', agent, newPage('R'));
    });

    it('10: refuses a source that is no content of this workspace, and the whole write with it', () => {
      const w = get();
      const page = w.page(author, 'P');
      const deviation = w.held(agent, { op: 'delete_page', page });
      const strangers = [
        'pg-0loyw3v2849lwk8pz1e4',
        'https://example.org/',
        deviation,
        '',
        'P',
        w.world.workspace.id,
      ];
      for (const source of strangers) {
        w.no('unknown_source', agent, newPage('Q'), { derivedFrom: [page, source] });
        w.no('unknown_source', agent, {
          op: 'add_derivation_link',
          derived: page,
          source,
          link_type: 'cites',
        });
      }
    });

    it('12: leaves nothing of a batch when one write is refused', () => {
      const w = get();
      const before = w.dump();
      const writes = [
        write(newPage('A'), agent, 'k'),
        write(newPage('A/B'), author),
        write(newPage('A'), agent),
      ];
      expect(w.world.submitAll(writes)).toMatchObject({ kind: 'refused', code: 'path_taken' });
      expect(w.dump()).toBe(before);
      const results = w.world.submitAll(writes.slice(0, 2));
      expect(results).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
      expect(w.world.events(0).map(({ op }) => op)).toEqual(['create_page', 'create_page']);
    });

    it('14: has one event for each accepted write, with who, where, before and after', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const block = w.block(page).id;
      const second = w.ok(author, { op: 'update_block', block, text: 'Two.\n' }, { source: 'cli:edit' });
      const third = w.page(schedule, 'S', 'x\n', { source: 'task:digest' });
      const held = w.ok(agent, { op: 'delete_page', page });
      expect(w.world.events(0).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect(w.world.head()).toBe(4);
      expect(w.world.events(1, 1)).toEqual([
        {
          seq: 2,
          at: expect.any(Number),
          write_id: second.write_id,
          op: 'update_block',
          content_ids: [block],
          before: { [block]: { text: 'One.\n' } },
          after: { [block]: { text: 'Two.\n' } },
          caller: 'ann',
          caller_kind: 'user',
          thread: 'ann-thread',
          device: 'ann-device',
          origin_source_id: 'cli:edit',
        },
      ]);
      const [scheduled] = w.world.history(third);
      expect(scheduled).toMatchObject({
        caller_kind: 'schedule',
        device: 'nightly-device',
        origin_source_id: 'task:digest',
      });
      expect(w.world.history(page)[0]).toMatchObject({ write_id: held.write_id, before: null, after: null });
      expect(w.world.history(block).map(({ op }) => op)).toEqual(
        ['delete_page', 'update_block', 'create_page'].slice(1),
      );
    });

    it('applies a key once, gives back the first result, and refuses it for another write', () => {
      const w = get();
      const page = w.page(author, 'P', 'One.\n');
      const edits: readonly WorldOperation[] = [
        newPage('Q'),
        { op: 'add_block', page, text: 'More.' },
        { op: 'delete_page', page },
      ];
      edits.forEach((operation, index) => {
        const more = { idempotencyKey: `call-${index}` };
        const first = w.ok(agent, operation, more);
        expect(first.repeated).toBe(false);
        const after = w.dump();
        expect(w.ok(agent, operation, more)).toEqual({ ...first, repeated: true });
        // Another process of the same agent, after a crash.
        expect(w.ok({ ...agent, device: 'restarted' }, operation, more)).toEqual({
          ...first,
          repeated: true,
        });
        expect(w.dump()).toBe(after);
        w.no('key_reused', agent, { op: 'add_block', page, text: 'Other.' }, more);
        w.no('key_reused', author, operation, more);
      });
      // A refused write has not used its key.
      w.no('path_taken', author, newPage('P'), { idempotencyKey: 'again' });
      w.ok(author, newPage('R'), { idempotencyKey: 'again' });
    });
  });
}
