/** Tests what every memory does. `make` opens an empty one with these limits. */
import { describe, expect, it } from 'vitest';
import {
  type Memory,
  type MemoryPut,
  type MemoryView,
  type ReaderPosition,
  type Tier,
  type TierLimits,
  tiers,
} from './memory.ts';

export type MakeMemory = (limits?: Partial<Record<Tier, Partial<TierLimits>>>) => Memory;

const inChannel: ReaderPosition = { thread: 't1', channel: 'c1' };
const places: Readonly<Record<string, ReaderPosition>> = {
  'the conversation itself': inChannel,
  'another conversation of the channel': { thread: 't2', channel: 'c1' },
  'a conversation of another channel': { thread: 't3', channel: 'c2' },
  'a conversation in no channel': { thread: 't4', channel: null },
  'no conversation': { thread: null, channel: null },
  'a channel without a conversation': { thread: null, channel: 'c1' },
};
const writer = { writer: 'agent test', idempotencyKey: null };
const withKey = (idempotencyKey: string) => ({ writer: 'agent test', idempotencyKey });

function put(view: MemoryView, tier: Tier, key: string, text = `text of ${key}`) {
  return view.put({ tier, key, text }, writer);
}
const keysOf = (view: MemoryView) => tiers.flatMap((tier) => view.list(tier, 100).map((item) => item.key));

export function checkMemory(make: MakeMemory): void {
  describe('places', () => {
    // world.md: Memory 1, 3, 4.
    it.each<[place: string, sees: readonly Tier[]]>([
      ['the conversation itself', ['conversation', 'channel', 'workspace', 'account']],
      ['another conversation of the channel', ['channel', 'workspace', 'account']],
      ['a conversation of another channel', ['workspace', 'account']],
      ['a conversation in no channel', ['workspace', 'account']],
      ['no conversation', ['workspace', 'account']],
      ['a channel without a conversation', ['workspace', 'account']],
    ])('from %s', (name, sees) => {
      const memory = make();
      for (const tier of tiers) expect(put(memory.viewFrom(inChannel), tier, tier).kind).toBe('stored');
      const view = memory.viewFrom(places[name]!);
      expect(keysOf(view)).toEqual(sees);
      for (const tier of tiers) {
        expect(view.get(tier, tier)?.tier ?? null).toBe(sees.includes(tier) ? tier : null);
        expect(view.search(tier, 'text', 10).length).toBe(sees.includes(tier) ? 1 : 0);
        // An item that is not seen can't be forgotten either.
        const forgotten = view.forget(tier, tier, writer);
        const gone = forgotten.kind === 'forgotten' && forgotten.id !== null;
        expect(gone).toBe(sees.includes(tier));
      }
      expect(memory.listAll().length).toBe(4 - sees.length);
    });

    it('the same key in two tiers is two items, each in its own', () => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      put(view, 'channel', 'plan', 'wide');
      put(view, 'conversation', 'plan', 'narrow');
      expect(view.get('channel', 'plan')?.text).toBe('wide');
      expect(view.get('conversation', 'plan')).toMatchObject({ text: 'narrow', within: 't1' });
      expect(memory.listAll().map(({ tier }) => tier)).toEqual(['conversation', 'channel']);
    });

    it.each<[Tier, ReaderPosition]>([
      ['conversation', { thread: null, channel: null }],
      ['channel', { thread: 't4', channel: null }],
      ['channel', { thread: null, channel: 'c1' }],
    ])('refuses to write to a tier that is not there: %s', (tier, place) => {
      const memory = make();
      expect(memory.viewFrom(place).tiers).not.toContain(tier);
      expect(put(memory.viewFrom(place), tier, 'k')).toMatchObject({ kind: 'refused', code: 'no_place' });
      expect(memory.listAll()).toEqual([]);
    });
  });

  describe('writing', () => {
    it('says what changed', () => {
      const view = make().viewFrom(inChannel);
      const first = put(view, 'workspace', 'k', 'one');
      expect(first).toMatchObject({ kind: 'stored', change: 'created', repeated: false });
      expect(put(view, 'workspace', 'k', 'one')).toMatchObject({ change: 'unchanged' });
      expect(put(view, 'workspace', 'k', 'two')).toMatchObject({
        change: 'updated',
        id: first.kind === 'stored' ? first.id : '',
      });
      expect(view.get('workspace', 'k')).toMatchObject({ text: 'two', bytes: 4, writer: 'agent test' });
      expect(view.list('workspace', 10)).toHaveLength(1);
    });

    it('a write that is sent again applies once and tells its first result', () => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      const item: MemoryPut = { tier: 'workspace', key: 'k', text: 'one' };
      const first = view.put(item, withKey('a'));
      view.put({ ...item, text: 'two' }, withKey('b'));
      expect(view.put(item, withKey('a'))).toEqual({ ...first, repeated: true });
      expect(view.get('workspace', 'k')?.text).toBe('two');
      const forgotten = view.forget('workspace', 'k', withKey('c'));
      expect(forgotten).toMatchObject({ kind: 'forgotten', repeated: false });
      view.put(item, withKey('d'));
      expect(view.forget('workspace', 'k', withKey('c'))).toEqual({ ...forgotten, repeated: true });
      expect(view.get('workspace', 'k')?.text).toBe('one');
      expect(view.put({ ...item, text: 'other' }, withKey('a'))).toMatchObject({ code: 'key_reused' });
      expect(view.forget('workspace', 'k', withKey('a'))).toMatchObject({ code: 'key_reused' });
    });

    it.each<[name: string, key: string, text: string, code: string]>([
      ['an empty key', '', 'x', 'bad_key'],
      ['a key with a line end', 'a\nb', 'x', 'bad_key'],
      ['a key with space around it', ' a', 'x', 'bad_key'],
      ['an endless key', 'k'.repeat(201), 'x', 'bad_key'],
      ['an empty text', 'k', ' \n', 'bad_text'],
      ['half a character', 'k', 'a\ud800', 'bad_text'],
      ['a text that is too long', 'k', 'x'.repeat(40), 'too_large'],
      ['a text that is too long in bytes', 'k', '配'.repeat(11), 'too_large'],
    ])('refuses %s', (_name, key, text, code) => {
      const memory = make({ workspace: { item_bytes: 32 } });
      expect(put(memory.viewFrom(inChannel), 'workspace', key, text)).toMatchObject({
        kind: 'refused',
        code,
      });
      expect(memory.listAll()).toEqual([]);
    });

    it('refuses what does not fit, in each place by itself, and lets an item be replaced', () => {
      const memory = make({ conversation: { items: 2 }, workspace: { bytes: 20 } });
      const [one, two] = [memory.viewFrom(inChannel), memory.viewFrom({ thread: 't2', channel: null })];
      for (const key of ['a', 'b']) expect(put(one, 'conversation', key).kind).toBe('stored');
      expect(put(one, 'conversation', 'c')).toMatchObject({
        code: 'full',
        details: { what: 'items', would_hold: 3, allowed: 2 },
      });
      expect(put(one, 'conversation', 'b', 'new').kind).toBe('stored');
      expect(put(two, 'conversation', 'c').kind).toBe('stored');
      expect(put(one, 'workspace', 'a', 'x'.repeat(19)).kind).toBe('stored');
      expect(put(one, 'workspace', 'b', 'x')).toMatchObject({ code: 'full', details: { what: 'bytes' } });
      expect(put(one, 'workspace', 'a', 'y'.repeat(19)).kind).toBe('stored');
      one.forget('workspace', 'a', writer);
      expect(put(one, 'workspace', 'b', 'x').kind).toBe('stored');
    });
  });

  describe('search', () => {
    const texts: Readonly<Record<string, string>> = {
      'deploy window': 'Deploys go out on Tuesdays.',
      'on call': 'Ada is on call; deploy questions go to her.',
      配送: '配送は再試行される。',
      café: 'Le CAFÉ ouvre tôt.',
    };
    it.each<[query: string, keys: readonly string[]]>([
      ['deploy', ['deploy window', 'on call']],
      ['who is on call for a deploy?', ['on call', 'deploy window']],
      ['再試行', ['配送']],
      ['Cafe\u0301', ['café']],
      ['nothing of it', []],
      ['?!', []],
      ['', []],
    ])('%s', (query, keys) => {
      const view = make().viewFrom(inChannel);
      for (const [key, text] of Object.entries(texts)) put(view, 'workspace', key, text);
      expect(view.search('workspace', query, 10).map(({ item }) => item.key)).toEqual(keys);
      expect(view.search('workspace', query, 1)).toHaveLength(Math.min(1, keys.length));
      expect(view.search('account', query, 10)).toEqual([]);
    });
  });

  describe('scrub', () => {
    it.each<[name: string, filter: Parameters<Memory['scrub']>[0], left: readonly string[]]>([
      ['everything', undefined, []],
      ['a tier', { tier: 'account' }, ['c', 'b2', 'b1', 'a']],
      ['one conversation', { tier: 'conversation', within: 't2' }, ['d', 'c', 'b1', 'a']],
      ['what holds a text', { match: 'SECRET' }, ['d', 'c', 'b1']],
      ['a text in a tier', { tier: 'conversation', match: 'secret' }, ['d', 'c', 'b1', 'a']],
      ['what nobody has', { match: 'absent' }, ['d', 'c', 'b2', 'b1', 'a']],
    ])('%s', (_name, filter, left) => {
      const memory = make();
      const [one, two] = [memory.viewFrom(inChannel), memory.viewFrom({ thread: 't2', channel: null })];
      const steps: [MemoryView, Tier, string, string][] = [
        [one, 'workspace', 'a', 'the Secret word'],
        [one, 'conversation', 'b1', 'plain'],
        [two, 'conversation', 'b2', 'a secret word'],
        [one, 'channel', 'c', 'plain'],
        [one, 'account', 'd', 'plain'],
      ];
      const stored = steps.map(([view, tier, key, text], n) =>
        view.put({ tier, key, text }, withKey(`k${n}`)),
      );
      expect(stored.map(({ kind }) => kind)).toEqual(steps.map(() => 'stored'));
      const shown = memory.listAll(filter);
      expect(memory.scrub(filter)).toEqual({ items: shown.length, erased: true });
      expect([...memory.listAll()].map(({ key }) => key).sort()).toEqual([...left].sort());
      // A repeated write after the scrub brings nothing back.
      for (const [n, [view, tier, key, text]] of steps.entries())
        expect(view.put({ tier, key, text }, withKey(`k${n}`))).toEqual({ ...stored[n], repeated: true });
      expect(memory.listAll()).toHaveLength(left.length);
    });
  });

  describe('what was stored out of material', () => {
    const withOrigins = (...origins: readonly string[]) => ({ ...writer, origins });
    const account = (view: MemoryView) => view.list('account', 10).map(({ key, text }) => [key, text]);

    it.each(['conversation', 'channel', 'workspace'] as const)('carries its origin: %s', (tier) => {
      const view = make().viewFrom(inChannel);
      view.put({ tier, key: 'k', text: 'x' }, withOrigins('pg-1', 'tool:grep'));
      expect(view.get(tier, 'k')).toMatchObject({ origins: ['pg-1', 'tool:grep'], held: false });
      // A writer that has read nothing foreign replaces the origins.
      view.put({ tier, key: 'k', text: 'x' }, writer);
      expect(view.get(tier, 'k')).toMatchObject({ origins: [] });
    });

    it('goes into the account once its owner takes it in, with its origin', () => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      expect(put(view, 'account', 'mine').kind).toBe('stored');
      const item = { tier: 'account', key: 'k', text: 'planted' } as const;
      expect(view.put(item, withOrigins('pg-1'))).toMatchObject({ kind: 'stored', change: 'held' });
      expect(view.get('account', 'k')).toBeNull();
      expect(account(view)).toEqual([['mine', 'text of mine']]);
      expect(view.search('account', 'planted', 10)).toEqual([]);
      expect(view.forget('account', 'k', writer)).toMatchObject({ id: null });
      const held = memory.listAll({ tier: 'account' }).filter((one) => one.held);
      expect(held).toMatchObject([{ key: 'k', text: 'planted', origins: ['pg-1'], within: null }]);
      expect(memory.decide('k', true)).toMatchObject({ kind: 'stored', change: 'created' });
      expect(view.get('account', 'k')).toMatchObject({ text: 'planted', origins: ['pg-1'], held: false });
      expect(memory.listAll().some((one) => one.held)).toBe(false);
      expect(memory.decide('k', true)).toMatchObject({ kind: 'refused' });
    });

    it('replaces nothing in the account by itself', () => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      put(view, 'account', 'k', 'as it is');
      const item = { tier: 'account', key: 'k', text: 'planted' } as const;
      expect(view.put(item, withOrigins('pg-1'))).toMatchObject({ change: 'held' });
      expect(view.put({ ...item, text: 'as it is' }, withOrigins('pg-1')).kind).toBe('stored');
      expect(account(view)).toEqual([['k', 'as it is']]);
      expect(memory.decide('k', false)).toMatchObject({ kind: 'forgotten' });
      expect(memory.listAll()).toMatchObject([{ text: 'as it is', held: false }]);
    });

    it.each(tiers)('changes and forgets nothing that the owner wrote himself: %s', (tier) => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      const item = { tier, key: 'name', text: 'Ada' };
      view.put(item, { writer: 'user ada', idempotencyKey: null });
      const other = view.put({ ...item, text: 'Mallory' }, withOrigins('pg-1'));
      expect(other).toMatchObject(tier === 'account' ? { change: 'held' } : { code: 'owner_only' });
      expect(view.put(item, withOrigins('pg-1'))).toMatchObject({ kind: 'stored', change: 'unchanged' });
      expect(view.forget(tier, 'name', withOrigins('pg-1'))).toMatchObject({ code: 'owner_only' });
      expect(view.get(tier, 'name')).toMatchObject({ text: 'Ada', writer: 'user ada', origins: [] });
      if (tier !== 'account') {
        expect(view.forget(tier, 'name', writer)).toMatchObject({ kind: 'forgotten' });
        return;
      }
      expect(memory.decide('name', true)).toMatchObject({ kind: 'stored', change: 'updated' });
      expect(view.get(tier, 'name')).toMatchObject({ text: 'Mallory', origins: ['pg-1'] });
    });

    it('forgets nothing of the account, and elsewhere what agents wrote', () => {
      const view = make().viewFrom(inChannel);
      for (const tier of ['workspace', 'account'] as const) put(view, tier, 'k');
      expect(view.forget('account', 'k', withOrigins('pg-1'))).toMatchObject({
        code: 'owner_only',
        remedy: expect.stringContaining('sonde memory rm k --tier account'),
      });
      expect(view.forget('workspace', 'k', withOrigins('pg-1'))).toMatchObject({ kind: 'forgotten' });
      expect(view.forget('account', 'k', writer)).toMatchObject({ kind: 'forgotten' });
      expect(view.forget('account', 'k', withOrigins('pg-1'))).toMatchObject({ kind: 'forgotten', id: null });
    });

    it('is erased with all else, and is done once under its key', () => {
      const memory = make();
      const view = memory.viewFrom(inChannel);
      const item = { tier: 'account', key: 'k', text: 'planted' } as const;
      const by = { ...withKey('call'), origins: ['pg-1'] };
      expect(view.put(item, by)).toMatchObject({ change: 'held', repeated: false });
      expect(view.put(item, by)).toMatchObject({ change: 'held', repeated: true });
      expect(memory.scrub({ match: 'planted' })).toMatchObject({ items: 1 });
      expect(memory.listAll()).toEqual([]);
    });
  });
}
