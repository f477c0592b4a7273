/** What a program brings along to the library: models, tools, signals, a file for its runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import * as door from '../index.ts';
import { scriptedSignal } from '../signals/scripted.ts';
import { createSmallTree } from './testbed/small-tree.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sonde-own-'));
  // What is brought is counted: a reader of claims would be asked, too.
  vi.stubEnv('SONDE_READER', 'off');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const finalize = (answer: string) => ({ calls: [{ name: 'finalize', input: { answer, confidence: 0.9 } }] });
const firstId = (text: string): string => /ev-[0-9a-f]{10}/.exec(text)?.[0] ?? '';

describe('a model', () => {
  it("of one's own plans, and is what the run says that it used", async () => {
    let calls = 0;
    const model = door.scriptedModel(({ messages }) => {
      calls++;
      return finalize(
        `It is retried [${firstId(
          messages
            .slice(1)
            .map(({ text }) => text)
            .join('\n'),
        )}].`,
      );
    }, 'mine:one');
    const result = await door.ask('How is a failed delivery retried?', { root: createSmallTree(), model });
    expect(result.model).toBe('mine:one');
    expect(result.answer).toContain('It is retried');
    expect(calls).toBe(1);
  });

  it('of the AI SDK is taken as it is: streamed, metered, and told by its name', async () => {
    let seen = '';
    const usage = {
      inputTokens: { total: 900, noCache: 900, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 40, text: 40, reasoning: 0 },
    };
    const model: LanguageModelV4 = {
      specificationVersion: 'v4',
      provider: 'acme.chat',
      modelId: 'small-1',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('it is streamed')),
      async doStream({ prompt, tools }) {
        expect(tools?.map(({ name }) => name)).toContain('finalize');
        seen = JSON.stringify(prompt.slice(1));
        const input = JSON.stringify({ answer: `It is retried [${firstId(seen)}].`, confidence: 0.9 });
        const parts: LanguageModelV4StreamPart[] = [
          { type: 'stream-start', warnings: [] },
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'finalize', input },
          { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
        ];
        return { stream: ReadableStream.from(parts) };
      },
    };
    const result = await door.ask('How is a failed delivery retried?', { root: createSmallTree(), model });
    expect(result.answer).toContain('It is retried');
    expect(result.model).toBe('acme:small-1');
    expect(result.spent.tokens).toBe(940);
  });

  it('of unknown price that the budget does not pay for: the answer says how to give its price', async () => {
    let calls = 0;
    const model: LanguageModelV4 = {
      specificationVersion: 'v4',
      provider: 'acme.chat',
      modelId: 'dear-1',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('it is streamed')),
      doStream: () => {
        calls++;
        return Promise.reject(new Error('it was called'));
      },
    };
    const settings = { max_usd: 0.05 };
    const root = createSmallTree();
    const result = await door.ask('How is a failed delivery retried?', { root, model, settings });
    expect(calls).toBe(0);
    expect(result.answer).toContain('The budget ended (money) before a model could answer.');
    expect(result.answer).toContain('The price of acme:dear-1 is not known');
    expect(result.answer).toContain('settings.prices, as {"acme:dear-1": {"input": 1, "output": 4}}');
    expect((await door.replay(result.run_id)).answer).toBe(result.answer);
    const prices = { 'acme:dear-1': { input: 0.1, output: 0.4 } };
    await door.ask('How is a failed delivery retried?', { root, model, settings: { ...settings, prices } });
    expect(calls).toBeGreaterThan(0);
  });

  it('works in an investigation, and in an incident', async () => {
    const coder = door.scriptedModel('```python\nFINAL(str(len(list_paths("."))))\n```', 'mine:two');
    await door.investigate('How many files?', { root: createSmallTree(), model: coder });
    expect(coder.calls.length).toBeGreaterThan(0);
    const model = door.scriptedModel('nothing', 'mine:three');
    const looked = await door.incident('{"title": "shop is slow", "service": "shop"}', { model });
    expect(JSON.stringify(looked)).toContain('verdict');
    expect(model.calls.length).toBeGreaterThan(0);
  });
});

describe('a tool', () => {
  const owner = (name = 'owner_of') =>
    door.tool({
      name,
      description: 'Who owns a file.',
      parameters: z.object({ path: z.string() }),
      capability: 'CodeRead',
      effect: 'read',
      cost: 'nothing',
      run: ({ path }) => door.done({ summary: '1 owner', lines: [`${path} is owned by the tea room`] }),
    });

  it('is offered beside the others, and its result is what the model reads', async () => {
    const seen: string[] = [];
    const model = door.scriptedModel(({ messages }) => {
      const said = messages.map(({ text }) => text).join('\n');
      seen.push(said);
      return said.includes('tea room')
        ? finalize(
            `It is retried [${firstId(
              messages
                .slice(1)
                .map(({ text }) => text)
                .join('\n'),
            )}].`,
          )
        : { calls: [{ name: 'owner_of', input: { path: 'src/delivery.ts' } }] };
    }, 'mine:planner');
    const store = join(home, 'runs.db');
    const root = createSmallTree();
    const given = { root, model, tools: [owner()], store };
    const result = await door.ask('How is a failed delivery retried?', given);
    expect(seen[0]).toContain('owner_of: Who owns a file.');
    expect(seen.at(-1)).toContain('src/delivery.ts is owned by the tea room');
    // Worked out again without the model, the tool and the folder.
    const calls = seen.length;
    rmSync(root, { recursive: true });
    const again = await door.replay(result.run_id, { store });
    expect(again.answer).toBe(result.answer);
    expect(seen).toHaveLength(calls);
    // It is in the file that was named, and in no other.
    await expect(door.replay(result.run_id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['hybrid_search', 'finalize'])('may not take the name %s', async (name) => {
    const asked = door.ask('How?', { root: createSmallTree(), tools: [owner(name)] });
    await expect(asked).rejects.toMatchObject({
      code: 'bad_argument',
      message: expect.stringContaining(name),
    });
  });
});

describe('a signal', () => {
  it('is asked in an incident, and stays open', async () => {
    const signal = scriptedSignal({
      lines: { topic: 'logs', script: { rows: { kind: 'lines', lines: [] } } },
    });
    const alert = '{"title": "shop is slow", "service": "shop", "time": "2026-05-12T07:45:00Z"}';
    await door.incident(alert, { signals: [signal], settings: { model: 'extractive' } });
    expect(signal.asked.length).toBeGreaterThan(0);
    expect(signal.closed).toBe(false);
  });
});

it('says what became of the old form of investigate', async () => {
  await expect(door.investigate(null as never, { replay: 'x' } as never)).rejects.toMatchObject({
    code: 'bad_argument',
    remedy: expect.stringContaining('incident'),
  });
});
