/** Contract tests for tool clients: results arrive unchanged, and the host decides who the caller is. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolResult } from '../core/index.ts';
import { capabilitySet } from './capability-sets.ts';
import type { ToolClient, ToolRequest } from './client.ts';
import type { Connection } from './mcp/connection.ts';
import { openToolHost } from './open-host.ts';
import { createCall, plainTools, type RecordedCall } from './testbed/plain-tools.ts';
import type { ToolHost } from './tools.ts';

export type Connect = (host: ToolHost, connection: Connection) => Promise<ToolClient>;

export const agent: Connection = {
  caller: { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: 'c1' },
  capabilities: capabilitySet('agent'),
};
export const outsider: Connection = {
  caller: { kind: 'external', name: 'other', device: 'test', thread: null, channel: null },
  capabilities: capabilitySet('external'),
};

export function checkToolClient(connect: Connect): void {
  const open: ToolClient[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });

  async function openClient(connection: Connection = agent) {
    const effects: RecordedCall[] = [];
    const host = openToolHost({ tools: plainTools(effects), workspace: { id: 'ws-1', name: 'Notes' } });
    const client = await connect(host, connection);
    open.push(client);
    return { host, client, effects };
  }

  // Checklist world.md, MCP tools 4: agents and external clients get the same list.
  it('lists what the host lists, to every caller', async () => {
    for (const connection of [agent, outsider]) {
      const { host, client } = await openClient(connection);
      expect(await client.list()).toEqual(host.list());
    }
  });

  const value = { nested: [{ a: null, b: [1, 2.5, 'ü', '\u2028'] }], empty: {}, zero: 0, no: false };
  it.each<[string, ToolRequest]>([
    ['everything a result can hold', { name: 'echo', args: { value } }],
    ['a list as data', { name: 'echo', args: { value: [1, [2]] } }],
    ['a text as data', { name: 'echo', args: { value: 'plain' } }],
    ['no data', { name: 'echo', args: {} }],
    ['a write', { name: 'write', args: { text: 'x' } }],
    ['a failure that is a value', { name: 'fail', args: { how: 'value' } }],
    ['a failure that was thrown', { name: 'fail', args: { how: 'known' } }],
    ['wrong arguments', { name: 'write', args: { text: 3 } }],
    ['an unknown tool', { name: 'task', args: {} }],
    ['a missing capability', { name: 'denied', args: {} }],
    ['much evidence', { name: 'large', args: { evidence: 50 } }],
  ])('%s arrives as it was', async (_name, { name, args }) => {
    const { host, client } = await openClient();
    const direct = await host.callTool(
      name,
      args,
      createCall({
        caller: agent.caller,
        capabilities: agent.capabilities,
        idempotencyKey: '["agent","planner","k"]',
      }),
    );
    expect(await client.call({ name, args, idempotencyKey: 'k' })).toEqual(direct);
  });

  it('a result that was cut can be read on', async () => {
    const { client } = await openClient();
    const cut = await client.call({ name: 'large', args: { text: 150_000 } });
    const result_id = /res-[0-9a-f]+/.exec(cut.ok ? (cut.notes[0] ?? '') : '')?.[0];
    const rest = await client.call({ name: 'read_result', args: { result_id, offset: 149_990 } });
    expect(rest).toMatchObject({ ok: true, text: 'x'.repeat(10), completeness: 'complete' });
  });

  it('the idempotency key, the read trail and the identity of the connection reach the tool', async () => {
    const { client, effects } = await openClient();
    const trail = { readTrail: ['pg-1', 'bl-2'], origins: ['pg-1', 'tool:grep'] };
    const request = { name: 'write', args: { text: 'x' }, idempotencyKey: 'k', ...trail };
    const first = await client.call(request);
    expect(await client.call(request)).toEqual(first);
    expect(effects).toHaveLength(1);
    expect(effects[0]?.call).toMatchObject({
      caller: agent.caller,
      idempotencyKey: '["agent","planner","k"]',
      ...trail,
    });
    expect([...(effects[0]?.call.capabilities ?? [])]).toEqual([...agent.capabilities]);
  });

  it('an external client cannot change its identity, and its read trail is ignored', async () => {
    const { client, effects } = await openClient(outsider);
    await client.call({ name: 'write', args: { text: 'x' }, idempotencyKey: 'k', readTrail: ['pg-1'] });
    expect(effects[0]?.call).toMatchObject({
      caller: { kind: 'external', thread: null },
      idempotencyKey: '["external","other","k"]',
      readTrail: [],
    });
    const claimed = await client.call({ name: 'write', args: { text: 'x', caller: { kind: 'user' } } });
    expect(claimed).toMatchObject({ ok: false, error: { code: 'validation' } });
  });

  it('calls run in parallel', async () => {
    const { client } = await openClient();
    const controller = new AbortController();
    const slow = client.call({ name: 'slow', args: { ms: 600_000 }, signal: controller.signal });
    let ended = false;
    void slow.then(() => {
      ended = true;
    });
    expect((await client.call({ name: 'echo', args: {} })).ok).toBe(true);
    expect(ended).toBe(false);
    controller.abort();
    await slow;
  });

  describe('cancelled calls and closed clients give results', () => {
    const code = (result: ToolResult) => (result.ok ? null : result.error.code);

    it('a call that is cancelled; its tool is aborted', async () => {
      const { client, effects } = await openClient();
      const controller = new AbortController();
      const call = client.call({ name: 'slow', args: { ms: 600_000 }, signal: controller.signal });
      const tools = () => effects.map(({ tool }) => tool);
      await expect.poll(tools).toEqual(['slow']);
      controller.abort();
      expect(code(await call)).toBe('cancelled');
      await expect.poll(tools).toEqual(['slow', 'slow, aborted']);
      expect(code(await client.call({ name: 'echo', args: {}, signal: controller.signal }))).toBe(
        'cancelled',
      );
      expect((await client.call({ name: 'echo', args: {} })).ok).toBe(true);
    });

    it('a client that was closed', async () => {
      const { client } = await openClient();
      await client.close();
      expect(code(await client.call({ name: 'echo', args: {} }))).toBe('tool');
      await expect(client.list()).rejects.toMatchObject({ code: 'tool_failed' });
      await client.close();
    });
  });
}
