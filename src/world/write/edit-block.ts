import type { Database } from '../../store/index.ts';
import { readPage } from '../markdown/index.ts';
import { detectNewline, renderPage } from '../read/page-text.ts';
import { insertBlocks, type NewBlock, removeBlock, setPlace, setText } from '../rows/block-rows.ts';
import { renderText } from '../rows/link-rows.ts';
import { markPageChanged } from '../rows/page-rows.ts';
import { type BlockRow, listBlocks, type PageRow } from '../rows/rows.ts';
import { lifecycleAfterEdit } from './act.ts';
import { keepOneBlock } from './edit-page.ts';
import { fitBlock } from './fit.ts';
import { assignPlaces } from './places.ts';
import { refuse } from './refusal.ts';
import {
  joinSurroundings,
  readPromotedSurroundings,
  readSurroundings,
  readSurroundingsAt,
} from './surroundings.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Sets the text of a block. `text` must be the result of `fitUpdatedText`. */
export function updateBlock(unit: UnitOfWork, page: PageRow, block: BlockRow, text: string): void {
  const { trace } = unit;
  const newLifecycle = setText(unit, block, text);
  trace.result(block.id);
  trace.markDerived(block.id, false);
  markPageChanged(unit, page, { was: block.lifecycle, is: newLifecycle });
}

export function deleteBlock(unit: UnitOfWork, page: PageRow, block: BlockRow): void {
  const { db, act, trace } = unit;
  const newLifecycle =
    block.lifecycle === 'Candidate' ? 'Candidate' : lifecycleAfterEdit(act, block.lifecycle, block.id);
  const replacement = fitRemovedText(db, page, block);
  removeBlock(unit, block);
  if (replacement !== '')
    insertBlocks(unit, page, [{ text: replacement, kind: 'blank', place: block.place }], newLifecycle);
  trace.result(block.id);
  markPageChanged(unit, page, { was: block.lifecycle, is: newLifecycle });
  keepOneBlock(unit, page.n);
}

/** Adds the blocks of a text after the block `after`; null: at the beginning; undefined: at the end. */
export function addBlock(
  unit: UnitOfWork,
  page: PageRow,
  after: string | null | undefined,
  text: string,
): void {
  const { db, act, trace } = unit;
  const oldBlocks = listBlocks(db, page.n);
  const position =
    after === undefined
      ? oldBlocks.length
      : after === null
        ? 0
        : oldBlocks.findIndex(({ id }) => id === after) + 1;
  const newBlocks = parseBlocks(fitAddedText(db, page, position, text));
  const places = assignPlaces([
    ...oldBlocks.slice(0, position).map(({ place }) => place),
    ...newBlocks.map(() => null),
    ...oldBlocks.slice(position).map(({ place }) => place),
  ]);
  oldBlocks.forEach((block, index) => {
    setPlace(unit, block, places[index < position ? index : index + newBlocks.length]!);
  });
  const blocks = newBlocks.map((block, index): NewBlock => ({ ...block, place: places[position + index]! }));
  for (const id of insertBlocks(unit, page, blocks)) {
    trace.result(id);
    trace.markDerived(id, true);
  }
  markPageChanged(unit, page, { was: act.lifecycle, is: act.lifecycle });
}

type ParsedBlock = Omit<NewBlock, 'place'>;

function parseBlocks(text: string): readonly ParsedBlock[] {
  const { frontMatter, blocks } = readPage(text);
  return frontMatter.raw === '' ? blocks : [{ text, kind: 'rule' }];
}

/** The updated text in the form in which it is stored. Refuses a text that would change how neighbours are parsed. */
export function fitUpdatedText(db: Database, page: PageRow, block: BlockRow, text: string): string {
  const views = readSurroundings(db, page, block.id);
  const fittedText = fitBlock(text, views, {
    newline: detectNewline(block.text + joinSurroundings(views)),
    needsBlankLine: false,
  });
  return fittedText ?? refuseJoining(`The text for ${block.id}`, { id: block.id });
}

function fitAddedText(db: Database, page: PageRow, position: number, text: string): string {
  const views = readSurroundingsAt(db, page, position);
  const newline = detectNewline(joinSurroundings(views) + text);
  const fittedText = fitBlock(/[\r\n]$/.test(text) ? text : text + newline, views, {
    newline,
    needsBlankLine: true,
  });
  return fittedText ?? refuseJoining(`The block for ${page.path}`, { page: page.id });
}

/** The promoted text in the form in which it is stored. Refuses a text that would change how neighbours are parsed. */
export function fitPromotedText(db: Database, page: PageRow, block: BlockRow): string {
  const text = renderText(db, block, page.path);
  if (page.lifecycle === 'Candidate' || block.lifecycle !== 'Candidate') return text;
  const newline = detectNewline(block.text + renderPage(db, page, 'all'));
  const fittedText = fitBlock(text, [readPromotedSurroundings(db, page, block.id)], {
    newline,
    needsBlankLine: false,
  });
  return fittedText ?? refuseJoining(`The block ${block.id}`, { id: block.id });
}

/** The text that replaces a removed block: a blank line if its neighbours would otherwise be parsed as one block. */
function fitRemovedText(db: Database, page: PageRow, block: BlockRow): string {
  const newline = detectNewline(block.text);
  const fittedText = fitBlock('', readSurroundings(db, page, block.id), { newline, needsBlankLine: false });
  return fittedText ?? refuseJoining(`Without ${block.id}, the page`, { id: block.id });
}

function refuseJoining(subject: string, details: Readonly<Record<string, unknown>>): never {
  return refuse(
    'bad_value',
    `${subject} would change how other blocks of the page are parsed.`,
    'Close what it opens (a fence, a comment, an HTML block), or change the page as a whole.',
    details,
  );
}
