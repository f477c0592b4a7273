// One folder of notes, edited in three places at once: in an editor, by an agent, and by the author in the workspace.
// No key, no network. Run it in the clone: npx node examples/live-vault.ts
import { strict as assert } from 'node:assert';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WorldOperation, type Write, workspace } from 'sonde';

const folder = mkdtempSync(join(tmpdir(), 'sonde-example-'));
const notes = mkdtempSync(join(folder, 'notes-'));
const fileText = (file: string): string => readFileSync(join(notes, file), 'utf8');
const files = (): string[] => readdirSync(notes).filter((name) => !name.startsWith('.'));

/** As editors save: a new file in the place of the old one. */
function save(file: string, text: string): void {
  writeFileSync(join(notes, '.saving'), text);
  renameSync(join(notes, '.saving'), join(notes, file));
}

const bread = '# Bread\n\nBake at 230 degrees.\n\nLet it cool for an hour.\n';
save('Bread.md', bread);
save('Plan.md', '---\nfor: "[[Bread]]"\n---\n# Plan\n\nOn Friday, see [[Bread]].\n');

const bakery = await workspace(join(folder, 'bakery.db'));
const sync = () => bakery.sync({ root: notes });
const textOf = (path: string): string => bakery.read(path)?.text ?? '';
const idOf = (path: string): string => bakery.world.page(path)!.id;
function write(operation: WorldOperation, options?: Write): readonly string[] {
  const result = bakery.write(operation, options);
  assert.equal(result.kind, 'accepted', result.kind === 'refused' ? result.message : '');
  return result.kind === 'accepted' ? result.content_ids : [];
}
const edit = (path: string, text: string) => write({ op: 'update_page', page: idOf(path), text });

// 1. A first pass brings the notes in.
assert.deepEqual((await sync()).pulled, ['Bread.md', 'Plan.md']);

// 2. Three places at once, each in a paragraph of its own: all of it is in both afterwards.
save('Bread.md', bread.replace('an hour', 'two hours'));
edit('Bread', bread.replace('230', '240'));
const [line] = write(
  { op: 'add_block', page: idOf('Bread'), text: '\nRye needs ten minutes more.\n' },
  { agent: 'baker' },
);
// What the agent wrote stays out of the folder until the author has seen and promoted it.
assert.deepEqual((await sync()).merged, ['Bread.md']);
assert.doesNotMatch(fileText('Bread.md'), /Rye/);
assert.equal(bakery.inbox()[0]?.kind, 'candidate');
write({ op: 'promote', content: line! });
assert.deepEqual((await sync()).pushed, ['Bread.md']);
for (const part of [/240 degrees/, /two hours/, /Rye needs/]) assert.match(fileText('Bread.md'), part);
assert.equal(textOf('Bread'), fileText('Bread.md'));
console.log('merged: the edits of three are in the file and in the page');

// 3. Two of them change one paragraph: both texts stay, and the author is asked.
save('Bread.md', fileText('Bread.md').replace('240', '250'));
edit('Bread', textOf('Bread').replace('240', '220'));
const [conflict] = (await sync()).conflicts;
assert.equal(conflict?.file, 'Bread.md');
assert.match(fileText('Bread.md'), /250/);
assert.match(textOf('Bread'), /220/);
const asked = bakery.inbox().find(({ id }) => id === conflict.id)!;
assert.match(asked.after ?? '', /250/);
console.log(`asked: ${conflict.file} says 250, its page 220`);

// 4. The decision is in both, and nothing else changed.
const decided = textOf('Bread').replace('220', '235');
write({ op: 'resolve_deviation', deviation: conflict.id, decision: { text: decided } });
assert.deepEqual((await sync()).conflicts, []);
assert.equal(fileText('Bread.md'), decided);

// 5. A note that is renamed in the editor is the same page, and links to it follow, also those in properties.
const before = idOf('Bread');
renameSync(join(notes, 'Bread.md'), join(notes, 'Loaf.md'));
const { renamed } = await sync();
assert.deepEqual(renamed, [{ from: 'Bread.md', to: 'Loaf.md', by: 'folder' }]);
assert.equal(idOf('Loaf'), before);
assert.equal(fileText('Plan.md'), '---\nfor: "[[Loaf]]"\n---\n# Plan\n\nOn Friday, see [[Loaf]].\n');

// 6. A folder that is suddenly empty deletes nothing.
for (const file of files()) renameSync(join(notes, file), join(folder, file));
await assert.rejects(sync(), { code: 'run_state' });
assert.equal(bakery.pages().length, 2);
for (const file of ['Loaf.md', 'Plan.md']) renameSync(join(folder, file), join(notes, file));
assert.equal((await sync()).unchanged, 2);

bakery.close();
rmSync(folder, { recursive: true });
console.log('ok');
