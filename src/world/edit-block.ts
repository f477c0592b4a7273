import type { Database } from '../store/index.ts';
import { type Act, edited } from './act.ts';
import { insertBlocks, type NewBlock, removeBlock, setPlace, setText } from './block-rows.ts';
import { keepOneBlock } from './edit-page.ts';
import { readPage } from './markdown/index.ts';
import { pageChanged } from './page-rows.ts';
import { newlineOf } from './page-text.ts';
import { placesFor } from './places.ts';
import { type BlockRow, blocksOf, type PageRow } from './rows.ts';
import type { Trace } from './trace.ts';

export function updateBlock(
  db: Database,
  act: Act,
  page: PageRow,
  block: BlockRow,
  text: string,
  trace: Trace,
): void {
  const is = setText(db, act, block, text, trace);
  trace.result(block.id);
  trace.derived(block.id, false);
  pageChanged(db, act, page, { was: block.lifecycle, is }, trace);
}

export function deleteBlock(db: Database, act: Act, page: PageRow, block: BlockRow, trace: Trace): void {
  const is = block.lifecycle === 'Candidate' ? 'Candidate' : edited(act, block.lifecycle, block.id);
  removeBlock(db, act, block, trace);
  trace.result(block.id);
  pageChanged(db, act, page, { was: block.lifecycle, is }, trace);
  keepOneBlock(db, act, page.n, trace);
}

/** Each paragraph of the text becomes a block of its own. `after`: null is the beginning, undefined the end. */
export function addBlock(
  db: Database,
  act: Act,
  page: PageRow,
  after: string | null | undefined,
  text: string,
  trace: Trace,
): void {
  const old = blocksOf(db, page.n);
  const position =
    after === undefined ? old.length : after === null ? 0 : old.findIndex(({ id }) => id === after) + 1;
  const newline = newlineOf(old[0]?.text ?? text);
  const fresh = separated(parts(text), old[position - 1]?.text ?? '', position < old.length, newline);
  const places = placesFor([
    ...old.slice(0, position).map(({ place }) => place),
    ...fresh.map(() => null),
    ...old.slice(position).map(({ place }) => place),
  ]);
  old.forEach((block, at) => {
    setPlace(db, block, places[at < position ? at : at + fresh.length]!, trace);
  });
  const blocks = fresh.map((block, at): NewBlock => ({ ...block, place: places[position + at]! }));
  for (const id of insertBlocks(db, act, page, blocks, trace)) {
    trace.result(id);
    trace.derived(id, true);
  }
  pageChanged(db, act, page, { was: act.lifecycle, is: act.lifecycle }, trace);
}

type Part = Omit<NewBlock, 'place'>;

function parts(text: string): readonly Part[] {
  const { frontMatter, blocks } = readPage(text);
  return frontMatter.raw === '' ? blocks : [{ text, kind: 'rule' }];
}

/** With the blank lines that keep Markdown from joining it to what stands before and after. */
function separated(
  blocks: readonly Part[],
  before: string,
  followed: boolean,
  newline: string,
): readonly Part[] {
  const blank = /(?:^|\r?\n)[ \t]*\r?\n[ \t]*$/;
  return blocks.map((block, index) => {
    let { text } = block;
    if (index === 0 && before !== '' && !blank.test(before)) {
      text = (/\n$/.test(before) ? newline : newline + newline) + text;
    }
    if (!/\n$/.test(text)) text += newline;
    if ((followed || index < blocks.length - 1) && !blank.test(text)) text += newline;
    return { ...block, text };
  });
}
