/**
 * An investigation: a model writes code, the sandbox runs it, and a tool of one's own is called by that code. A call
 * of a model that was interrupted is gone on with: `npx node examples/investigate.ts`. No key, no network.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { investigate, replay, resume, run, scriptedModel, tool } from 'sonde';
import { z } from 'zod';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
process.env['SONDE_HOME'] = home;

const price = tool({
  name: 'price_of',
  description: 'What a part costs, in cents.',
  parameters: z.object({ parts: z.array(z.string()) }),
  run: ({ parts }) => ({ data: Object.fromEntries(parts.map((part, n) => [part, (n + 1) * 100])) }),
});

const model = scriptedModel(
  '```python\nprices = call_tool("price_of", parts=["pump", "valve"])\nFINAL(f"Together {sum(prices.values())} cents.")\n```',
  'mine:coder',
);
const asked = { root: import.meta.dirname, model, tools: [price] };
const found = await investigate('What do they cost together?', asked);
assert.match(String(found.answer), /Together 300 cents/);

// Every cell runs once more, in a fresh sandbox; what was answered is recorded, and nobody is asked.
assert.match((await replay(found.run_id)).answer, /300/);

// One that is cancelled goes on where it was.
const stop = new AbortController();
const interrupted = scriptedModel(() => {
  stop.abort();
  return 'too late';
}, 'mine:coder');
const left = await investigate('And once more?', { ...asked, model: interrupted, signal: stop.signal });
assert.match((await resume(left.run_id, { model, tools: [price] })).answer, /300/);

// The same by its shape.
const same = await run('investigation', {
  prompt: 'How many?',
  root: import.meta.dirname,
  settings: { model: 'extractive' },
});
assert.ok(same.run_id);
console.log(`ok: ${found.answer}`);
rmSync(home, { recursive: true, force: true });
