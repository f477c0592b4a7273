/**
 * Random edits of random pages: whatever is written into a block, those around it are the same bytes before and after,
 * and both Sonde's reader and one that knows nothing of it (markdown-it) find the same blocks in them. A seed that
 * fails is in the message. `WORLD_EDITS` sets how many pages are tried.
 */
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../core/index.ts';
import { numbers } from './contract/numbers.contract.ts';
import { agent, author } from './contract/workbench.contract.ts';
import { splitPageUnits } from './markdown/index.ts';
import { joinPageText } from './read/page-lines.ts';
import { memoryWorld, type ScriptedWorld } from './scripted.ts';
import type { PageText } from './world.ts';
import type { WorldOperation } from './world-write.ts';
import { worldWrite } from './write/make-write.ts';

const pages = Number(process.env['WORLD_EDITS'] ?? 100);

const pieces = [
  'A paragraph.',
  'Two lines\nof text.',
  '# A heading',
  'Underlined\n===',
  'Underlined\n---',
  '- one\n- two\n- three',
  '- an item\n  - with one below\n- another',
  '- an item\n\n  with a paragraph',
  '1. first\n2. second',
  '* [ ] open\n* [x] done',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '> a quote\n> of two lines',
  '> a quote\nwith a lazy line',
  '> [!note] Title\n> text',
  '```js\ncode();\n\nmore();\n```',
  '~~~\ncode\n~~~',
  '    indented\n\n    code',
  '<div>\nhtml\n</div>',
  '<!-- a\n\ncomment -->',
  '<pre>\n\n</pre>',
  '%% a remark %%',
  '%%\na remark\n%%',
  '$$\na + b\n$$',
  '$$ a + b $$',
  '---',
  '***',
  '[ref]: ./a.md "title"',
  'see [ref] and [[Plan]] #tag',
];
/** What is only ever written into a page: a page that holds it already has no blocks to keep. */
const openings = [
  '```\nnever closed',
  '<!-- never closed',
  '<pre>\nnever closed',
  '%% never closed',
  '$$ never closed',
  '> ```\n> open',
  '- ```\n  open',
];
const joins = ['===', '---', '|---|---|', '    indented', '- x', 'text', '> y', '  - nested', 'a: 1'];
const fronts = ['', '', '---\na: 1\n---\n', '---\ntags: [x]\n---\n\n'];

type Random = ReturnType<typeof numbers>;
const pick = <Value>(random: Random, values: readonly Value[]): Value => values[random(values.length)]!;

function randomPage(random: Random): string {
  const count = 1 + random(6);
  let text = pick(random, fronts) + pick(random, ['', '', '\n']);
  for (let n = 0; n < count; n += 1)
    text +=
      pick(random, pieces) +
      (n === count - 1 ? pick(random, ['', '\n', '\n\n']) : pick(random, ['\n', '\n\n', '\n\n', '\n\n\n']));
  return random(4) === 0 ? text.replaceAll('\n', '\r\n') : text;
}

function randomText(random: Random): string {
  const parts = Array.from({ length: 1 + random(3) }, () =>
    pick(random, random(5) === 0 ? openings : random(3) === 0 ? joins : pieces),
  );
  const text = (random(8) === 0 ? '---\na: 1\n---\n' : '') + parts.join(pick(random, ['\n', '\n\n']));
  return pick(random, ['', '', '\n']) + text + pick(random, ['', '\n', '\n\n']);
}

const reader = new MarkdownIt({ html: true });

interface Piece {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** What markdown-it finds at the top of a text behind its front matter, items of lists one by one, by line. */
function piecesOf(text: string, front: string): readonly Piece[] {
  const body = text.slice(front.length).replace(/\r\n/g, '\n');
  const lines = body.split('\n');
  const above = front.split('\n').length - 1;
  return reader.parse(body, {}).flatMap(({ type, level, map, nesting }) => {
    const isItem = type === 'list_item_open' && level === 1;
    if (map === null || nesting < 0 || !(isItem || (level === 0 && !/_list_open$/.test(type)))) return [];
    let [start, end] = map as [number, number];
    while (end > start && lines[end - 1]!.trim() === '') end -= 1;
    while (start < end && lines[start]!.trim() === '') start += 1;
    return [{ kind: type, start: start + above, end: end + above }];
  });
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Kind and text of whatever lies within the blocks that an edit has not touched, by each of the two readers. */
function untouched(page: PageText, edited: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const text = joinPageText(page);
  const { units } = splitPageUnits(text);
  const parsed = piecesOf(text, page.front);
  const lines = text.split(/\r?\n/);
  const found = new Map<string, readonly string[]>();
  let at = page.front.length;
  for (const block of page.blocks) {
    const end = at + block.text.length;
    const [first, last] = [
      linesIn(text.slice(0, at)) + (/[^\n]$/.test(text.slice(0, at)) ? 1 : 0),
      linesIn(text.slice(0, end)) + (/\n$/.test(block.text) ? 0 : 1),
    ];
    if (block.text.trim() !== '' && !edited.has(block.id))
      found.set(block.id, [
        ...units
          .filter(({ start, end: to }) => start >= at && to <= end)
          .map(({ kind, start, end: to }) => `${kind}: ${text.slice(start, to)}`),
        ...parsed
          .filter(({ start: from, end: to }) => from >= first && to <= last)
          .map(({ kind, start: from, end: to }) => `${kind}: ${lines.slice(from, to).join('\n')}`),
        block.text,
      ]);
    at = end;
  }
  return found;
}

function submit(world: ScriptedWorld, caller: Caller, operation: WorldOperation) {
  return world.submit(worldWrite({ operation, caller, source: 'test', idempotencyKey: null }));
}

function randomEdit(random: Random, page: PageText): WorldOperation {
  const block = pick(random, page.blocks).id;
  const text = randomText(random);
  const edits: readonly WorldOperation[] = [
    { op: 'update_block', block, text },
    { op: 'update_block', block, text },
    { op: 'add_block', page: page.id, after: pick(random, [block, block, null]), text },
    { op: 'add_block', page: page.id, text },
    { op: 'delete_block', block },
    { op: 'add_tag', content: block, tag: 'new' },
    { op: 'remove_tag', content: block, tag: 'tag' },
  ];
  return pick(random, edits);
}

/** As the author, as an agent on its own page, and as an edit of an agent that the author accepts. */
const ways = ['author', 'agent', 'accepted'] as const;

const views = ['canonical', 'all'] as const;

describe.each(ways)('an edit: %s', (way) => {
  it(`of ${pages} pages keeps what stands around it`, () => {
    const count = { applied: 0, refused: 0 };
    for (let seed = 1; seed <= pages; seed += 1) {
      const random = numbers(seed);
      const world = memoryWorld();
      const maker = way === 'agent' ? agent : author;
      const made = submit(world, maker, { op: 'create_page', path: 'P', text: randomPage(random) });
      const id = made.kind === 'accepted' ? made.content_ids[0]! : '';
      for (let step = 0; step < 4; step += 1) {
        const before = new Map(views.map((view) => [view, world.read(id, view)]));
        const edit = randomEdit(random, before.get('all')!);
        let result = submit(world, way === 'author' ? author : agent, edit);
        if (way === 'accepted' && result.kind === 'accepted' && !result.applied) {
          world.shown(author.name, world.inbox());
          const operation = {
            op: 'resolve_deviation',
            deviation: result.deviation_ids[0]!,
            decision: 'accept',
          } as const;
          result = submit(world, author, operation);
        }
        count[result.kind === 'refused' ? 'refused' : 'applied'] += 1;
        if (result.kind === 'refused') continue;
        if ('text' in edit) expect(joinPageText(world.read(id, 'all')!)).toContain(edit.text.trim());
        for (const view of views) {
          const [was, is] = [before.get(view), world.read(id, view)];
          if (was === undefined || was === null || is === null) continue;
          const edited = new Set(edit.op === 'add_block' ? [] : result.content_ids);
          const kept = untouched(was, edited);
          const now = untouched(is, edited);
          for (const [block, parts] of kept)
            expect(
              now.get(block),
              `seed ${seed}, step ${step}, ${view}: ${JSON.stringify({ before: joinPageText(was), edit, after: joinPageText(is) })}`,
            ).toEqual(expect.arrayContaining([...parts]));
        }
      }
      world.close();
    }
    expect(count.applied).toBeGreaterThan(pages);
    expect(count.refused).toBeGreaterThan(pages / 20);
  });
});
