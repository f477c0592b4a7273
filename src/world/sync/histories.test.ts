/**
 * Random histories: somebody in the folder, an agent and the author in the workspace, and passes that are cut off at
 * any of their effects. In the end both sides are alike, and every line that somebody wrote stands there once, but for
 * those of notes that somebody deleted.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { agent, openScene, type SyncScene } from './sync.contract.ts';

/** How many, and the first of them: more are run now and then, and one by itself. */
const histories = Number(process.env['SYNC_HISTORIES'] ?? 6);
const first = Number(process.env['SYNC_FIRST'] ?? 1);
const steps = 40;

let scene: SyncScene;
afterEach(() => scene.close());

function randomOf(seed: number): (below: number) => number {
  let state = seed * 2654435761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  };
}

const idsIn = (text: string): readonly string[] => text.match(/L\d+/g) ?? [];

it.each(Array.from({ length: histories }, (_, n) => first + n))('history %i', async (seed) => {
  scene = openScene({ 'A.md': 'L1 the first line of all\n', 'In/B.md': 'L2 another line to begin with\n' });
  await scene.sync();
  const random = randomOf(seed);
  let last = 2;
  let name = 0;
  const line = () => `L${++last} a line of ${['ink', 'chalk', 'lead', 'light'][random(4)]} number ${last}`;
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)]!;

  /** A new paragraph, or other words in an old one. */
  function edited(text: string): string {
    const parts = text.replace(/\n+$/, '').split(/\n\n+/);
    const at = random(parts.length + 1);
    if (random(3) === 0 && parts[at] !== undefined) parts[at] = `${parts[at]} and so on ${random(100)}`;
    else parts.splice(at, 0, line());
    return `${parts.join('\n\n')}\n`;
  }

  /** Lines that may be gone in the end: they stood in a note that somebody deleted, on either side. */
  const mayGo = new Set<string>();
  function deleted(text: string): void {
    for (const id of idsIn(text)) mayGo.add(id);
    for (const other of Object.values(scene.pages()))
      if (idsIn(other).some((id) => mayGo.has(id))) for (const id of idsIn(other)) mayGo.add(id);
  }

  const acts: readonly (() => void)[] = [
    () => {
      const file = pick(scene.files());
      scene.put({ [file]: edited(scene.text(file)) });
    },
    () => scene.put({ [`In/N${++name}.md`]: `${line()}\n` }),
    () => {
      const file = pick(scene.files());
      renameSync(join(scene.root, file), join(scene.root, `R${++name}.md`));
    },
    () => {
      const page = pick(scene.world.pages());
      scene.edit(page.path, edited(scene.page(page.path)));
    },
    () => void scene.edit(`N${++name}`, `${line()}\n`),
    () => {
      const page = pick(scene.world.pages());
      scene.write({ op: 'rename_page', page: page.id, name: `P${++name}` });
    },
    () => {
      const page = pick(scene.world.pages()).id;
      const made = scene.write({ op: 'add_block', page, text: `${line()}\n` }, agent);
      if (made.kind !== 'accepted') throw new Error(made.message);
      scene.world.shown('ada', scene.world.inbox());
      scene.write({ op: 'promote', content: made.content_ids[0]! });
    },
    () => {
      const file = pick(scene.files());
      scene.put({ [file]: edited(scene.text(file)) });
    },
    // As many editors save: a new file in its place.
    () => {
      const file = pick(scene.files());
      scene.put({ '.save~': edited(scene.text(file)) });
      renameSync(join(scene.root, '.save~'), join(scene.root, file));
    },
    () => {
      const file = pick(scene.files());
      const to = `In/R${++name}.md`;
      renameSync(join(scene.root, file), join(scene.root, to));
      scene.put({ [to]: edited(scene.text(to)) });
    },
    () => {
      const page = pick(scene.world.pages());
      scene.write({ op: 'move_page', page: page.id, to: `In/M${++name}`, alone: true });
    },
    () => {
      const file = pick(scene.files());
      if (scene.files().length < 4 || random(2) === 0) return;
      deleted(scene.text(file));
      scene.remove(file);
    },
    () => {
      const page = pick(scene.world.pages());
      if (scene.world.pages().length < 4 || random(2) === 0) return;
      deleted(scene.page(page.path));
      scene.write({ op: 'delete_page', page: page.id });
    },
  ];
  const passes = async (): Promise<void> => {
    let left = random(3) === 0 ? random(30) : Number.POSITIVE_INFINITY;
    const onEffect = (what: string): void => {
      if (left-- <= 0) throw new Error(`cut off before: ${what}`);
    };
    await scene.sync({ onEffect }).catch((error: Error) => expect(error.message).toMatch(/cut off/));
  };
  for (let step = 0; step < steps; step++) {
    pick(acts)();
    if (random(3) === 0) await passes();
  }

  let conflicts = 1;
  for (let round = 0; conflicts > 0; round++) {
    expect(round, 'rounds until all is decided').toBeLessThan(6);
    const report = await scene.sync();
    conflicts = report.conflicts.length;
    for (const { id, page } of report.conflicts) {
      const file = scene.world.inbox(1000).find((item) => item.id === id)!.after!;
      const text = scene.page(page);
      const missing = file
        .split(/\n\n+/)
        .filter((part) => idsIn(part).some((each) => !text.includes(`${each} `)));
      scene.write({
        op: 'resolve_deviation',
        deviation: id,
        decision: { text: [text.trimEnd(), ...missing].join('\n\n') },
      });
    }
  }
  for (let left = 5; left > 0; left--) await scene.sync();
  expect(await scene.sync()).toMatchObject({
    pulled: [],
    pushed: [],
    merged: [],
    conflicts: [],
    problems: [],
  });
  const pages = scene.pages();
  expect(
    Object.fromEntries(scene.files().map((file) => [file.replace(/\.md$/, ''), scene.text(file)])),
  ).toEqual(pages);
  const found = idsIn(Object.values(pages).join('\n'));
  const wrote = Array.from({ length: last }, (_, n) => `L${n + 1}`);
  expect(
    wrote.filter((id) => !found.includes(id) && !mayGo.has(id)),
    'lost',
  ).toEqual([]);
  expect(
    found.filter((id, at) => found.indexOf(id) !== at),
    'doubled',
  ).toEqual([]);
});
