import { describe, expect, it } from 'vitest';
import type { Caller, ToolResult } from '../../core/index.ts';
import { scriptedMemory } from '../../memory/scripted.ts';
import { memoryWorld } from '../../world/scripted.ts';
import { capabilitySet } from '../capability-sets.ts';
import { openToolHost } from '../open-host.ts';
import { pageTools } from '../pages/page-entries.ts';
import { scriptedPageSearch } from '../scripted-page-search.ts';
import { createCall } from '../testbed/plain-tools.ts';
import { memoryTools } from './memory-tools.ts';

const at = (thread: string | null, channel: string | null, idempotencyKey: string | null = null) => {
  const caller: Caller = { kind: 'agent', name: 'planner', device: 'test', thread, channel };
  return createCall({ caller, capabilities: capabilitySet('agent'), idempotencyKey });
};

function setting() {
  const memory = scriptedMemory();
  return { memory, host: openToolHost({ tools: memoryTools(() => memory) }) };
}
const data = (result: ToolResult) => (result.ok ? (result.data as Record<string, never>) : result.error);

describe('memory by tools', () => {
  // world.md: Memory 3 and 4, from the side of the agent.
  it.each<[name: string, thread: string | null, channel: string | null, sees: readonly string[]]>([
    ['the conversation', 't1', 'c1', ['conversation', 'channel', 'workspace', 'account']],
    ['another one of the channel', 't2', 'c1', ['channel', 'workspace', 'account']],
    ['one of another channel', 't3', 'c2', ['workspace', 'account']],
    ['no conversation', null, null, ['workspace', 'account']],
  ])('what %s sees follows from the caller', async (_name, thread, channel, sees) => {
    const { host } = setting();
    for (const tier of ['conversation', 'channel', 'workspace', 'account']) {
      const put = await host.callTool('put_memory', { tier, key: 'k', text: `in ${tier}` }, at('t1', 'c1'));
      expect(data(put)).toMatchObject({ change: 'created' });
    }
    const call = at(thread, channel);
    const all = data(await host.callTool('get_memory', {}, call)) as unknown as { items: { tier: string }[] };
    expect(all.items.map(({ tier }) => tier)).toEqual(sees);
    expect(data(await host.callTool('get_memory', { key: 'k' }, call))).toMatchObject({
      item: { tier: sees[0] },
    });
    const { hits } = data(await host.callTool('search_memory', { query: 'in' }, call)) as unknown as {
      hits: { item: { tier: string } }[];
    };
    expect(hits.map(({ item }) => item.tier)).toEqual(sees);
  });

  it('a place cannot be named', async () => {
    const { host } = setting();
    const args = { tier: 'conversation', key: 'k', text: 'x', thread: 't1' };
    expect(data(await host.callTool('put_memory', args, at('t2', null)))).toMatchObject({
      code: 'validation',
    });
  });

  it('a tier that is not there is told: writing refused, reading empty', async () => {
    const { host } = setting();
    const put = await host.callTool('put_memory', { tier: 'channel', key: 'k', text: 'x' }, at('t1', null));
    expect(data(put)).toMatchObject({ code: 'validation', details: { refusal: 'no_place' } });
    const read = await host.callTool('get_memory', { key: 'k', tier: 'channel' }, at('t1', null));
    expect(read).toMatchObject({ ok: true, notes: ['the tier channel does not exist for this caller'] });
  });

  it('a write that is sent again applies once, and one by another name does not meet it', async () => {
    const { host, memory } = setting();
    const put = (text: string, key: string) =>
      host.callTool('put_memory', { tier: 'workspace', key: 'k', text }, at('t1', null, key));
    await put('one', 'a');
    await put('two', 'b');
    expect(data(await put('one', 'a'))).toMatchObject({ change: 'created', repeated: true });
    expect(data(await put('three', 'a'))).toMatchObject({ details: { refusal: 'key_reused' } });
    expect(memory.listAll()).toMatchObject([{ text: 'two', writer: 'agent planner' }]);
    await host.callTool('forget_memory', { tier: 'workspace', key: 'k' }, at('t1', null, 'c'));
    expect(memory.listAll()).toEqual([]);
  });

  it.each([
    ['too long', { tier: 'account', key: 'k', text: 'x'.repeat(9000) }, 'too_large'],
    ['a key of two lines', { tier: 'account', key: 'a\nb', text: 'x' }, 'bad_key'],
  ])('%s', async (_name, args, refusal) => {
    const { host } = setting();
    expect(data(await host.callTool('put_memory', args, at('t1', null)))).toMatchObject({
      code: 'validation',
      details: { refusal },
    });
  });

  // world.md: Memory 2, 6, 7.
  it('is read and written with its own capabilities, by nothing else, and crosses no submit boundary', async () => {
    const [memory, world] = [scriptedMemory(), memoryWorld()];
    const host = openToolHost({
      tools: [...memoryTools(() => memory), ...pageTools({ world, search: scriptedPageSearch() })],
    });
    const call = at('t1', null);
    await host.callTool('create_page', { path: 'New', text: 'x\n' }, call);
    expect(memory.calls).toEqual([]);
    const [written] = [world.submitted.length];
    await host.callTool('put_memory', { tier: 'workspace', key: 'k', text: 'x' }, call);
    expect(world.submitted).toHaveLength(written);
    const sets = ['external', 'read-only', 'operator'] as const;
    for (const [name, set] of host
      .list()
      .flatMap(({ name, capability }) =>
        capability?.startsWith('Memory') ? sets.map((set) => [name, set] as const) : [],
      )) {
      const args = { tier: 'workspace', key: 'k', text: 'x', query: 'x' };
      const shaped = Object.fromEntries(
        Object.entries(args).filter(([field]) => {
          const { properties } = host.list().find((tool) => tool.name === name)!.parameters;
          return field in (properties as object);
        }),
      );
      const refused = await host.callTool(name, shaped, { ...call, capabilities: capabilitySet(set) });
      expect(data(refused)).toMatchObject({
        code: 'capability',
        details: {
          capability: name.startsWith('get') || name.startsWith('search') ? 'MemoryRead' : 'MemoryWrite',
        },
      });
    }
    world.close();
  });
});
