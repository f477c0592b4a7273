/**
 * A model, a tool and a system of one's own, each handed in as it is: `npx node examples/own-parts.ts`. Nothing is asked of
 * the network; runs are kept in a file of the example's own.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, incident, type Model, replay, type Signal, tool } from 'sonde';
import { openLogFiles } from 'sonde/signals';
import { z } from 'zod';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
process.env['SONDE_HOME'] = home;
const root = import.meta.dirname;
const store = join(home, 'own-runs.db');

// A tool: one ability, that says what it gives. What it shows is material, never an order.
const owners = tool({
  name: 'owner_of',
  description: 'Who owns a file, by the list of the team.',
  parameters: z.object({ path: z.string().describe('As it is cited.') }),
  run: ({ path }) => `${path}: the release team`,
});

// A model: it is sent messages, and gives back a text and what that took. This one knows what it wants to do.
let calls = 0;
const model: Model = {
  name: 'mine:planner',
  real: true,
  local: true,
  contextWindow: 32_000,
  maxOutput: 2_000,
  async generate({ messages }) {
    calls++;
    // The first message holds the rules.
    const said = messages
      .slice(1)
      .map(({ text }) => text)
      .join('\n');
    const id = /ev-[0-9a-f]{10}/.exec(said)?.[0];
    // As the rules for calls say that stand in its first message.
    const call = (name: string, args: object): string =>
      `<call name="${name}">\n${Object.entries(args)
        .map(([field, value]) => `<arg name="${field}">${value}</arg>\n`)
        .join('')}</call>`;
    const text = said.includes('the release team')
      ? call('finalize', { answer: `An answer is at most 4 KB [${id}].`, confidence: 0.9 })
      : call('owner_of', { path: 'ask.ts' });
    const usage = { input: said.length, output: text.length, cacheRead: 0, cacheWrite: 0, estimated: true };
    return { kind: 'reply', text, usage, stop: 'end', model: 'planner' };
  },
};

const answered = await ask('How long may an answer be?', {
  ...{ root, scope: 'ask.ts', model, tools: [owners], store },
});
assert.match(answered.answer, /4 KB \[ev-/);
assert.equal(answered.model, 'mine:planner');
const asked = calls;

// It can be worked out again without the model and without the tool.
const again = await replay(answered.run_id, { store });
assert.equal(again.answer, answered.answer);
assert.equal(calls, asked);

// Systems: those that Sonde opens, and any object that holds to the contract of a signal. This one knows a queue.
let looked = 0;
const queue: Signal = {
  system: 'queue',
  source: 'queue in memory',
  offers: 'how long the queue of the shop was',
  questions: [
    {
      name: 'queue_length',
      topic: 'metrics',
      description: 'How many requests waited, minute by minute.',
      parameters: z.object({}),
      cost: 'instant',
      // The window is set by Sonde; what lies outside of it is not asked for.
      async ask(_, { window }) {
        looked++;
        const minute = 60_000;
        const points = Array.from({ length: Math.floor((window.to - window.from) / minute) }, (_, n) => {
          return [window.from + n * minute, n < 10 ? 2 : 140] as const;
        });
        return {
          kind: 'observation',
          query: 'queue_length',
          source: 'queue in memory',
          window,
          at: Date.now(),
          text: points.map(([at, value]) => `${new Date(at).toISOString()} waiting ${value}`).join('\n'),
          rows: { kind: 'series', series: [{ name: 'waiting', labels: { service: 'shop' }, points }] },
          truncated: null,
          completeness: 'complete',
          notes: [],
        };
      },
    },
  ],
  health: async () => ({ kind: 'healthy', version: null }),
  close: async () => {},
};
const log = join(home, 'shop.log');
writeFileSync(log, '2026-05-12T07:40:03Z ERROR shop: no free worker, request waits behind 140 others\n');
const found = await incident('{"title": "shop is slow", "service": "shop", "time": "2026-05-12T07:45:00Z"}', {
  signals: [openLogFiles({ paths: [log] }), queue],
  store,
  settings: { model: 'extractive' },
});
assert.match(JSON.stringify(found), /log_files|logs/);
// It was asked, and what it said can be cited like a line of a file.
assert.ok(looked > 0);
console.log(`ok: ${answered.status}, ${found.verdict}`);
rmSync(home, { recursive: true, force: true });
