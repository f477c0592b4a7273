import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { manualClock } from '../../core/index.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { type McpOptions, openMcp } from './mcp.ts';

const noon = Date.UTC(2026, 6, 11, 12);
const window = { from: noon, to: noon + 3_600_000, baseline_from: noon - 3_600_000, derivation: 'a test' };

/** A real server of the protocol, with tools of every temper. */
function server(calls: [string, unknown][], behaviour: 'well' | 'silent' = 'well'): McpServer {
  const made = new McpServer({ name: 'ops', version: '1' });
  const add = (name: string, annotations: object, shape: z.ZodRawShape, answer: (args: unknown) => unknown) =>
    made.registerTool(
      name,
      { description: `Tool ${name}.`, inputSchema: z.object(shape), annotations },
      async (args: unknown) => {
        calls.push([name, args]);
        if (behaviour === 'silent') await new Promise(() => {});
        return answer(args) as { content: { type: 'text'; text: string }[] };
      },
    );
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
  add(
    'listIncidents',
    { readOnlyHint: true },
    { start: z.string(), end: z.string(), service: z.string().optional() },
    () => text('one password=mcp-secret-1\ntwo\n\nthree'),
  );
  add(
    'queue.depth',
    { readOnlyHint: true },
    { from: z.number().describe('Unix seconds'), queue: z.string() },
    () => text('depth 7'),
  );
  add('unlabelled', {}, {}, () => text('from a tool that says nothing\nsecond line'));
  add('restart', { readOnlyHint: false, destructiveHint: true }, {}, () => text('restarted'));
  add('odd', { readOnlyHint: true, destructiveHint: true }, {}, () => text('odd'));
  add('failing', { readOnlyHint: true }, {}, () => ({
    isError: true,
    content: [{ type: 'text', text: 'no right to token=mcp-secret-2' }],
  }));
  return made;
}

async function connect(
  calls: [string, unknown][] = [],
  more: Partial<McpOptions> = {},
  behaviour: 'well' | 'silent' = 'well',
) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await server(calls, behaviour).connect(there);
  await client.connect(here);
  return openMcp({ name: 'Ops 1', client: client as never, clock: manualClock(noon), ...more });
}

signalContract('an MCP server', async () => {
  const ask = {
    mcp_ops_1_list_incidents: {},
    mcp_ops_1_queue_depth: { queue: 'mail' },
    mcp_ops_1_unlabelled: {},
  };
  // Of the tools only those that answer: the one that fails is asked below.
  const answering = ({ signal }: Awaited<ReturnType<typeof connect>>) => ({
    ...signal,
    questions: signal.questions.filter(({ name }) => name in ask),
  });
  return {
    signal: answering(await connect([], { allow: ['unlabelled'] })),
    window,
    ask,
    plentiful: ['mcp_ops_1_list_incidents', 'mcp_ops_1_unlabelled'],
    secrets: ['mcp-secret-1', 'mcp-secret-2'],
    broken: { silent: answering(await connect([], { allow: ['unlabelled'] }, 'silent')) },
    dispose: async () => {},
  };
});

test('only tools that say they read, or that were listed, are offered; the others are named', async () => {
  const { signal, leftOut } = await connect();
  expect(signal.questions.map(({ name }) => name)).toEqual([
    'mcp_ops_1_list_incidents',
    'mcp_ops_1_queue_depth',
    'mcp_ops_1_failing',
  ]);
  expect(leftOut).toEqual([
    { tool: 'unlabelled', reason: 'it does not say that it only reads' },
    { tool: 'restart', reason: 'it does not say that it only reads' },
    { tool: 'odd', reason: 'it says that it destroys' },
  ]);
  expect((await connect([], { allow: ['restart'] })).signal.questions.map(({ name }) => name)).toContain(
    'mcp_ops_1_restart',
  );
});

test('the window is filled in for what takes a time, and can be given by nobody else', async () => {
  const calls: [string, unknown][] = [];
  const { signal } = await connect(calls);
  const ask = (k: number, args: unknown) =>
    signal.questions[k]!.ask(args, { window, limits: contractLimits });
  const first = await ask(0, { service: 'shop', start: '1999-01-01', end: '2030-01-01' });
  expect(first).toMatchObject({
    text: 'line="one password=[secret]"\nline=two\nline=three',
    completeness: 'unknown',
  });
  await ask(1, { queue: 'mail' });
  expect(calls).toEqual([
    [
      'listIncidents',
      { service: 'shop', start: '2026-07-11T11:00:00.000Z', end: '2026-07-11T13:00:00.000Z' },
    ],
    ['queue.depth', { queue: 'mail', from: (noon - 3_600_000) / 1_000 }],
  ]);
  expect(await ask(1, {})).toMatchObject({ kind: 'failure', reason: 'bad_query' });
  expect(await ask(2, {})).toMatchObject({
    kind: 'failure',
    reason: 'refused',
    message: 'failing of Ops 1: no right to token=[secret]',
  });
});

test('a server that has gone away is a value', async () => {
  const { signal } = await connect();
  await signal.close();
  expect(await signal.questions[0]!.ask({}, { window, limits: contractLimits })).toMatchObject({
    kind: 'failure',
    reason: 'unreachable',
  });
  expect((await signal.health()).kind).toBe('unhealthy');
});
