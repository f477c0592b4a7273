/**
 * A conversation about a workspace, with a model and a tool of one's own: streamed, asked back, gone on with under its
 * name: `npx node examples/chat.ts`. No key, no network.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chat, scriptedModel, tool } from 'sonde';
import { z } from 'zod';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
process.env['SONDE_HOME'] = home;

const weather = tool({
  name: 'weather_at',
  description: 'The weather of today at a place.',
  parameters: z.object({ place: z.string() }),
  run: ({ place }) => `${place}: rain, 8 °C`,
});

// In place of a model that reasons: it asks where, looks, and says what it saw.
const model = scriptedModel(({ messages }) => {
  const said = messages
    .slice(1)
    .map(({ text }) => text)
    .join('\n');
  if (said.includes('rain, 8')) return 'Take a coat: rain, 8 °C.';
  if (said.includes('Bremen')) return { calls: [{ name: 'weather_at', input: { place: 'Bremen' } }] };
  return { calls: [{ name: 'ask_user', input: { question: 'Where are you going?' } }] };
}, 'mine:talker');

const options = { workspace: 'notes', thread: 'coats', model, tools: [weather] };

// What it asks back outlives the program that asked.
const first = await chat(options);
const asked = await first.send('Do I need a coat?');
assert.equal(asked.status, 'interrupted');
assert.equal(asked.questions[0]?.text, 'Where are you going?');
await first.close();

const again = await chat(options);
assert.equal((await again.standing()).state, 'interrupted');
let streamed = '';
const turn = await again.answer('To Bremen.', { onText: (piece) => (streamed += piece) });
assert.equal(turn.status, 'answered');
assert.equal(turn.text, 'Take a coat: rain, 8 °C.');
assert.equal(streamed.trim(), turn.text);
await again.close();

console.log(`ok: ${turn.text}`);
rmSync(home, { recursive: true, force: true });
