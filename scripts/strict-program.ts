// What a strict program of somebody else may write with the library. `npm run types` checks it against the source, and
// check-package.sh against the package. It is never run.
import { ask, chat, incident, investigate, type RunResult, sandbox, search, tool, workspace } from 'sonde';
import { conversationGraph, researchGraph } from 'sonde/langgraph';
import { bearer, openPrometheus } from 'sonde/signals';
import { z } from 'zod';

const parameters = z.object({ path: z.string() });
const owner = tool({
  name: 'owner_of',
  description: 'Who owns it',
  parameters,
  run: ({ path }) => path.trim(),
});
const server = { command: 'npx', args: ['server'] };
const settings = { max_usd: 0.1, max_time: '2m' } as const;
export const result: RunResult = await ask('How?', { root: '.', tools: [owner, server], settings });
export const text: string | undefined = (await search('x'))[0]?.text;
await using box = await sandbox();
const ran = await box.run('1');
export const value: string | undefined = ran.kind === 'ok' ? ran.value?.repr : ran.stderr.text;
using notes = await workspace('notes');
notes.write({ op: 'create_page', path: 'A', text: 'b' });
await using talk = await chat({ workspace: 'notes' });
export const { status } = await talk.send('hello', { onText: (piece: string) => piece });
const prometheus = openPrometheus({ base: 'http://x', authorization: bearer('t') });
await incident('It burns', { signals: [prometheus] });
await investigate('How many?', { tools: [owner] });
const found = await researchGraph({ root: '.' }).invoke({ question: 'How?' });
export const answer: string | undefined = found.result?.answer;
export const graph = conversationGraph();
// @ts-expect-error: there is no such setting.
await ask('How?', { settings: { stepz: 3 } });
// @ts-expect-error: a number of steps is no truth.
await ask('How?', { settings: { steps: true } });
