import { describe, expect, it } from 'vitest';
import { manualClock, type ToolCall, type ToolResult } from '../core/index.ts';
import { capabilitySet, capabilitySets, intersectCapabilities } from './capability-sets.ts';
import { openToolHost } from './open-host.ts';
import { createCall, plainTools, type RecordedCall } from './testbed/plain-tools.ts';
import { resultBytes } from './tools.ts';

function open() {
  const effects: RecordedCall[] = [];
  const clock = manualClock(1000);
  const host = openToolHost({
    tools: plainTools(effects),
    workspace: { id: 'ws-1', name: 'Notes' },
    redact: (text) => text.replaceAll('the-process-secret', '(hidden)'),
    clock,
  });
  return { host, effects, clock };
}

const errorOf = (result: ToolResult) => (result.ok ? null : result.error);
function told(result: ToolResult) {
  if (!result.ok) throw new Error(result.error.message);
  return result;
}

describe('the catalogue', () => {
  // world.md: MCP tools 4, 5 and Task registry 5.
  it('lists every tool with name, schema, capability, class, derivation and cost', () => {
    const { host } = open();
    for (const listed of host.list()) {
      expect(listed.name).toMatch(/^[a-z_]+$/);
      expect(listed.description.length).toBeGreaterThan(5);
      expect(listed.parameters['type']).toBe('object');
      expect(['read', 'write']).toContain(listed.effect);
      expect(['none', 'arguments', 'read_trail']).toContain(listed.derivation);
      expect(listed.cost).not.toBe('');
    }
    expect(host.list().map(({ name }) => name)).toEqual([
      ...['echo', 'write', 'slow', 'fail', 'large'],
      ...['list_tools', 'list_scopes', 'current_workspace', 'read_result'],
    ]);
    expect(host.list()).toBe(host.list());
    expect(Object.isFrozen(host.list())).toBe(true);
  });

  it.each([
    ['the same name twice', 'echo', /"echo" is there twice/],
    ['the name of a control tool', 'list_tools', /"list_tools" is there twice/],
    ['task', 'task', /dispatched by the agent/],
    ['a registry operation', 'register_shape', /dispatched by the agent/],
    ['a name in capitals', 'Echo', /lower case/],
  ])('refuses %s', (_what, name, words) => {
    const [echo] = plainTools();
    expect(() => openToolHost({ tools: [...plainTools(), { ...echo!, name }] })).toThrow(words);
  });

  it('is closed: the list it was made of may change', async () => {
    const tools = [...plainTools()];
    const host = openToolHost({ tools });
    tools.length = 0;
    expect((await host.callTool('echo', {}, createCall())).ok).toBe(true);
  });
});

interface Refusal {
  readonly name: string;
  readonly tool: string;
  readonly args?: unknown;
  readonly call?: Partial<ToolCall>;
  readonly code: string;
  readonly message: RegExp;
}

const gone = AbortSignal.abort();

describe('refusals come before any effect, and are told apart by their code', () => {
  // world.md: MCP tools 6, 8, 11 and Errors 2, 3, 5, 8.
  it.each<Refusal>([
    { name: 'an unknown tool', tool: 'nope', code: 'validation', message: /no tool named "nope"/ },
    { name: 'task', tool: 'task', code: 'validation', message: /no tool named "task"/ },
    { name: 'a name of every object', tool: 'constructor', code: 'validation', message: /no tool/ },
    { name: 'a missing argument', tool: 'write', args: {}, code: 'validation', message: /write: text: / },
    { name: 'no arguments', tool: 'write', args: undefined, code: 'validation', message: /text/ },
    { name: 'arguments that are no object', tool: 'write', args: [1], code: 'validation', message: /write/ },
    {
      name: 'an argument that nobody knows',
      tool: 'write',
      args: { text: 'x', origin: 'Authored' },
      code: 'validation',
      message: /origin/,
    },
    {
      name: 'a capability that is not held',
      tool: 'write',
      args: { text: 'x' },
      call: { capabilities: capabilitySet('read-only') },
      code: 'capability',
      message: /write needs the capability PagesWrite/,
    },
    {
      name: 'a call that was cancelled before it began',
      tool: 'write',
      args: { text: 'x' },
      call: { signal: gone },
      code: 'cancelled',
      message: /write was cancelled/,
    },
  ])('$name', async ({ tool, args, call, code, message }) => {
    const { host, effects } = open();
    const error = errorOf(await host.callTool(tool, args, createCall(call)));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(effects).toEqual([]);
  });

  it('a denial names the capability', async () => {
    const { host } = open();
    const error = errorOf(await host.callTool('echo', {}, createCall({ capabilities: new Set() })));
    expect(error).toMatchObject({ code: 'capability', details: { capability: 'PagesRead', tool: 'echo' } });
  });

  it.each([
    ['value', 'budget', 'the pool is empty'],
    ['known', 'tool', 'fail: the store is held'],
    ['input', 'validation', 'fail: the pattern is none'],
    ['nothing', 'tool', 'fail failed: null'],
    ['thrown', 'tool', 'fail failed: no way: password=[secret] in (hidden) at line 2'],
    ['circle', 'tool', expect.stringContaining('circular')],
  ])('a handler that fails by %s', async (how, code, message) => {
    const { host } = open();
    expect(errorOf(await host.callTool('fail', { how }, createCall()))).toMatchObject({ code, message });
  });

  it('a reader that does not look at the signal is left behind when it aborts', async () => {
    const { host } = open();
    const controller = new AbortController();
    const running = host.callTool('slow', { ms: 600_000 }, createCall({ signal: controller.signal }));
    controller.abort();
    expect(errorOf(await running)?.code).toBe('cancelled');
  });
});

describe('what a handler gets, and what it gives', () => {
  it('identity, key and trail of the call, and never of the arguments', async () => {
    const { host, effects } = open();
    const call = createCall({ idempotencyKey: 'k1', readTrail: ['pg-7'] });
    const first = told(await host.callTool('write', { text: 'x' }, call));
    // world.md: MCP tools 7.
    expect(first).toMatchObject({
      write: { write_id: 'wr-1', applied: false, content_ids: ['pg-1'] },
      deviation_ids: ['dv-1'],
    });
    expect(await host.callTool('write', { text: 'x' }, call)).toEqual(first);
    expect(effects).toEqual([{ tool: 'write', args: { text: 'x' }, call }]);
  });

  it('data are as JSON makes them', async () => {
    const { host } = open();
    const value = { a: undefined, b: [undefined], at: new Date(0) };
    const { data } = told(await host.callTool('echo', { value }, createCall()));
    expect(data).toEqual({ b: [null], at: '1970-01-01T00:00:00.000Z' });
    expect(told(await host.callTool('echo', {}, createCall())).data).toBeNull();
  });
});

describe('large results', () => {
  const size = (result: ToolResult) =>
    result.ok
      ? Buffer.byteLength(result.text) +
        Buffer.byteLength(JSON.stringify(result.data)) +
        Buffer.byteLength(JSON.stringify(result.evidence))
      : 0;

  // world.md: MCP tools 10.
  it.each([
    ['just fits', { text: resultBytes - 20 }, false],
    ['a long text', { text: 500_000 }, true],
    ['a long text of wide characters', { text: 200_000, unit: '配' }, true],
    ['a long text of pairs', { text: 200_000, unit: '😀' }, true],
    ['many data', { data: 300_000 }, true],
    ['much evidence', { evidence: 400 }, true],
    ['all of it', { text: 300_000, data: 300_000, evidence: 400 }, true],
    ['many data beside a text that is whole', { text: 48_000, data: 300_000 }, true, 'complete'],
    ['much evidence beside one', { text: 48_000, evidence: 400 }, true, 'complete'],
  ])('%s', async (_name, args, cut, completeness = cut ? 'partial' : 'complete') => {
    const { host } = open();
    const result = told(await host.callTool('large', args, createCall()));
    expect(size(result)).toBeLessThanOrEqual(resultBytes);
    expect(result.completeness).toBe(completeness);
    if (!cut) return;
    const notice = result.notes.at(-1)!;
    expect(notice).toMatch(/^Cut: \d+ bytes are more than 102400/);
    const id = /res-[0-9a-f]+/.exec(notice)![0];
    const whole = { text: '', data: '', evidence: '' };
    for (const part of ['text', 'data', 'evidence'] as const)
      for (let offset: number | null = 0; offset !== null; ) {
        const slice = told(await host.callTool('read_result', { result_id: id, offset, part }, createCall()));
        expect(size(slice)).toBeLessThanOrEqual(resultBytes);
        whole[part] += slice.text;
        offset = (slice.data as { next_offset: number | null }).next_offset;
      }
    const { text, data, evidence, unit } = { text: 0, data: 0, evidence: 0, unit: 'x', ...args };
    expect(whole.text).toBe(unit.repeat(text));
    expect(JSON.parse(whole.data)).toEqual({ rows: 'y'.repeat(data) });
    expect(JSON.parse(whole.evidence)).toHaveLength(evidence);
    if (completeness === 'complete') expect(result.text).toBe(whole.text);
    else if (text > 0) {
      expect(result.text.isWellFormed()).toBe(true);
      expect(result.text.endsWith(`[${notice}]`)).toBe(true);
      const offset = Number(/offset (\d+)/.exec(notice)![1]);
      const slice = told(await host.callTool('read_result', { result_id: id, offset }, createCall()));
      expect(whole.text.startsWith(result.text.slice(0, offset) + slice.text.slice(0, 10))).toBe(true);
    }
  });

  it('the rest is for its caller, for a while, and for those who may read it', async () => {
    const { host, clock } = open();
    const result = told(await host.callTool('large', { text: 200_000 }, createCall()));
    const result_id = /res-[0-9a-f]+/.exec(result.notes[0]!)![0];
    const rest = async (call: ToolCall) => (await host.callTool('read_result', { result_id }, call)).ok;
    expect(await rest(createCall())).toBe(true);
    expect(await rest(createCall({ caller: { ...createCall().caller, thread: 't2' } }))).toBe(false);
    expect(await rest(createCall({ capabilities: new Set(['SearchUse']) }))).toBe(false);
    clock.advance(15 * 60_000);
    expect(await rest(createCall())).toBe(false);
  });

  it('keeps so many and so much, the newest; what is too large is told to be lost', async () => {
    const kept = { results: 2, bytes: 700_000, age: 1000 };
    const host = openToolHost({ tools: plainTools(), kept, clock: manualClock() });
    const cut = async (text: number) => told(await host.callTool('large', { text }, createCall())).notes[0]!;
    const ids = [];
    for (const text of [200_000, 200_001, 200_002]) ids.push(/res-[0-9a-f]+/.exec(await cut(text))![0]);
    const there = ids.map((result_id) => host.callTool('read_result', { result_id }, createCall()));
    expect((await Promise.all(there)).map(({ ok }) => ok)).toEqual([false, true, true]);
    expect(await cut(800_000)).toMatch(/the rest was not kept: ask for less/);
  });
});

describe('control tools', () => {
  // world.md: MCP tools 9.
  it('report the tools, the scopes of the caller and the workspace', async () => {
    const { host } = open();
    const call = createCall({ capabilities: capabilitySet('read-only') });
    const { data } = told(await host.callTool('list_tools', {}, call));
    const { tools } = data as { tools: { name: string; allowed: boolean }[] };
    expect(tools.map(({ name }) => name)).toEqual(host.list().map(({ name }) => name));
    expect(tools.find(({ name }) => name === 'write')).toMatchObject({
      allowed: false,
      capability: 'PagesWrite',
    });
    expect(told(await host.callTool('list_scopes', {}, call)).data).toEqual({
      caller: { kind: 'agent', name: 'planner', thread: 't1', channel: null },
      capabilities: capabilitySets['read-only'],
    });
    expect(told(await host.callTool('current_workspace', {}, call)).data).toEqual({
      workspace: { id: 'ws-1', name: 'Notes' },
    });
  });
});

describe('capability sets', () => {
  it('are what they are said to be', () => {
    expect([...capabilitySet('owner')]).toHaveLength(11);
    for (const name of ['agent', 'external', 'read-only'] as const) {
      expect(capabilitySet(name).has('PagesDelete')).toBe(false);
      expect(capabilitySet(name).has('ImportExecute')).toBe(false);
    }
    expect(capabilitySet('external').has('MemoryRead')).toBe(false);
    expect(() => capabilitySet('admin')).toThrow(/"admin"/);
    expect(() => capabilitySet('constructor')).toThrow(/"constructor"/);
  });

  it.each([
    ['all that the parent has', 'agent', undefined, 9],
    ['less', 'agent', ['PagesRead'], 1],
    ['never more', 'read-only', ['PagesRead', 'PagesWrite', 'ImportExecute'], 1],
    ['not from nothing', 'read-only', ['PagesDelete'], 0],
  ] as const)('a child gets %s', (_name, parent, wanted, size) => {
    const child = intersectCapabilities(capabilitySet(parent), wanted);
    expect(child.size).toBe(size);
    expect([...child].every((one) => capabilitySet(parent).has(one))).toBe(true);
  });
});
