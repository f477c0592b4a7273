// The life of a piece of knowledge, from a folder of notes to a decision of its author, with every promise checked.
// No key, no network. Run it in the clone: npx node examples/world.ts
import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AcceptedWrite, type WorldOperation, type Write, workspace } from 'sonde';

const folder = mkdtempSync(join(tmpdir(), 'sonde-example-'));
const notes = join(folder, 'notes');
mkdirSync(join(notes, 'Ovens'), { recursive: true });
writeFileSync(
  join(notes, 'Ovens', 'Deck oven.md'),
  '---\ntags: [oven]\n---\n# Deck oven\n\nHolds 230 °C for bread.\r\n\nSee [[Rye]].\n',
);
writeFileSync(join(notes, 'Rye.md'), '# Rye\n\nBakes for 50 minutes in the [[Deck oven]]. #bread\n');

const bakery = await workspace(join(folder, 'bakery.db'));
const { world } = bakery;
const agent = 'baker';

/** Asks for one write, which must not be refused. Without an agent it is the author who writes. */
function write(operation: WorldOperation, options?: Write): AcceptedWrite {
  const result = bakery.write(operation, options);
  assert.equal(result.kind, 'accepted', result.kind === 'refused' ? result.message : '');
  return result as AcceptedWrite;
}

const textOf = (path: string): string => bakery.read(path)?.text ?? '';

// 1. A vault is imported, in two phases: the first writes nothing.
const planned = await bakery.analyse({ root: notes });
assert.equal(planned.pages.new, 2);
assert.deepEqual(planned.links, { resolved: 2, unresolved: 0 });
assert.equal(world.pages().length, 0);
const imported = await bakery.import({ root: notes });
const oven = world.page('Ovens/Deck oven')!;
const rye = world.page('Rye')!;
assert.equal(oven.origin, 'Imported');
assert.equal(oven.lifecycle, 'Draft');
assert.equal(oven.origin_source_id, `${imported.run}:Ovens/Deck oven.md`);
assert.deepEqual(
  world.backlinks(rye.id).map((link) => link.from_page),
  [oven.id],
);
console.log(`imported ${world.pages().length} pages as ${imported.run}`);

// 2. An agent writes a page that rests on two of them. It is a candidate: the author does not read it yet.
const plan = write(
  { op: 'create_page', path: 'Plan for Friday', text: 'Rye first: 50 minutes at 230 °C.\n' },
  { agent, derivedFrom: [oven.id, rye.id] },
).content_ids[0]!;
assert.equal(world.page(plan)!.origin, 'AgentProduced');
assert.equal(world.page(plan)!.lifecycle, 'Candidate');
assert.equal(world.read(plan, 'canonical'), null);
assert.deepEqual(
  world
    .sourcesOf(plan)
    .map((link) => link.source_id)
    .sort(),
  [oven.id, rye.id].sort(),
);

// 3. The author edits one source. What rests on it is flagged, and not changed.
write(
  { op: 'update_page', page: oven.id, text: textOf('Ovens/Deck oven').replace('230', '210') },
  { baseRevision: oven.revision },
);
assert.equal(world.page(oven.id)!.lifecycle, 'Canonical');
assert.equal(world.page(oven.id)!.origin, 'Imported', 'where content came from never changes');
const [flag] = world.flags({ content: plan, open: true });
assert.equal(flag?.source_id, oven.id);
assert.match(world.read(plan, 'all')!.blocks[0]!.text, /230/);
console.log('flagged: the plan rests on a page that was edited');

// 4. An agent contradicts what is canonical now. Its text is held; the author goes on reading the own one.
const heat = world.read(oven.id)!.blocks.find((block) => block.text.includes('210'))!;
assert.equal(heat.lifecycle, 'Canonical');
const held = write({ op: 'update_block', block: heat.id, text: 'Holds 250 °C for bread.\r\n\n' }, { agent });
assert.equal(held.applied, false);
assert.equal(held.deviation_ids.length, 1);
assert.match(textOf('Ovens/Deck oven'), /210/);
const waiting = bakery.inbox();
assert.deepEqual(waiting.map((item) => item.kind).sort(), ['candidate', 'deviation', 'flag']);
const deviation = waiting.find((item) => item.kind === 'deviation')!;
console.log(`held: ${deviation.after?.trim()}`);

// 5. Only the author decides. An agent that tries leaves a proposal, and nothing else.
const decide = { op: 'resolve_deviation', deviation: deviation.id, decision: 'accept' } as const;
write(decide, { agent });
assert.equal(world.deviations({ status: 'open' }).length, 1);
write({ ...decide, decision: { text: 'Holds 210 °C, and 250 °C for pizza.\r\n\n' } });
assert.equal(world.deviations({ status: 'open' }).length, 0);
assert.match(textOf('Ovens/Deck oven'), /210 °C, and 250 °C for pizza/);
write({ op: 'clear_flag', flag: world.flags({ open: true })[0]!.id });
write({ op: 'promote', content: plan });
assert.equal(world.inbox().length, 0);

// 6. The notes change as well: what the author decided is not overwritten, what nobody touched is brought up to date.
writeFileSync(join(notes, 'Ovens', 'Deck oven.md'), '# Deck oven\n\nSold.\n');
writeFileSync(join(notes, 'Rye.md'), '# Rye\n\nBakes for 55 minutes.\n');
const again = await bakery.import({ root: notes });
assert.equal(again.pages.changed, 1);
assert.equal(again.pages.conflicting, 1);
assert.match(textOf('Rye'), /55/);
assert.match(textOf('Ovens/Deck oven'), /pizza/);

// 7. And it is Markdown again, in a folder of its own.
const report = await bakery.export({ to: join(folder, 'out') });
assert.deepEqual(report.pages, { written: 3, replaced: 0, unchanged: 0 });
assert.match(
  readFileSync(join(folder, 'out', 'Ovens', 'Deck oven.md'), 'utf8'),
  /^---\ntags: \[oven\]\n---\n/,
);

bakery.close();
rmSync(folder, { recursive: true });
console.log('ok');
