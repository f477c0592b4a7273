import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as door from '../../index.ts';
import { openCallerParts } from './caller-parts.ts';

const silent = {
  specificationVersion: 'v4',
  provider: 'acme.chat',
  modelId: 'small',
  supportedUrls: {},
  doGenerate: async () => ({}),
} as unknown as NonNullable<door.AskOptions['model']>;

describe('a model of the AI SDK that cannot stream', () => {
  const error = {
    code: 'model_config',
    message: 'The model acme.chat:small has no doStream, which every model of the AI SDK needs',
  };
  it.each<[string, () => Promise<unknown>]>([
    ['ask', () => door.ask('Who?', { model: silent, root: '.' })],
    ['investigate', () => door.investigate('Who?', { model: silent })],
    ['incident', () => door.incident({ model: silent, alert: 'down' })],
    ['chat', () => door.chat({ model: silent, workspace: 'w' })],
    ['verifyAnswer', () => door.verifyAnswer({ answer: 'Yes.', citations: [] }, { model: silent })],
  ])('is named before %s begins', async (_, work) => {
    await expect(work()).rejects.toMatchObject(error);
  });
});

describe.each(['tools', 'signals'] as const)(
  '%s of an MCP server that do not say that they only read',
  (form) => {
    it('are told once, by name', async () => {
      const server = new McpServer({ name: 'stores', version: '1' });
      const inputSchema = z.object({});
      const done = async () => ({ content: [] });
      server.registerTool('count', { inputSchema, annotations: { readOnlyHint: true } }, done);
      server.registerTool('burn_down', { inputSchema }, done);
      const [here, there] = InMemoryTransport.createLinkedPair();
      await server.connect(there);
      const client = new Client({ name: 'program', version: '1' });
      await client.connect(here);
      const notes: string[] = [];
      const opened = await openCallerParts({ tools: [client], onNote: (note) => notes.push(note) }, form);
      const { tools, signals } = opened.callerParts;
      const offered = form === 'tools' ? tools : signals?.flatMap(({ questions }) => questions);
      expect(offered?.map(({ name }) => name)).toEqual([
        form === 'tools' ? 'stores_count' : 'mcp_stores_count',
      ]);
      expect(notes).toEqual([expect.stringMatching(/stores .*not offered.*: burn_down\. /)]);
      await opened.close();
    });
  },
);
