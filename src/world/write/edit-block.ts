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

/** `text`: the result of `writeUpdated`. */
export function updateBlock(unit: UnitOfWork, page: PageRow, block: BlockRow, text: string): void {
  const { trace } = unit;
  const is = setText(unit, block, text);
  trace.result(block.id);
  trace.markDerived(block.id, false);
  markPageChanged(unit, page, { was: block.lifecycle, is });
}

export function deleteBlock(unit: UnitOfWork, page: PageRow, block: BlockRow): void {
  const { db, act, trace } = unit;
  const is =
    block.lifecycle === 'Candidate' ? 'Candidate' : lifecycleAfterEdit(act, block.lifecycle, block.id);
  const rest = writeRemoved(db, page, block);
  removeBlock(unit, block);
  if (rest !== '') insertBlocks(unit, page, [{ text: rest, kind: 'blank', place: block.place }], is);
  trace.result(block.id);
  markPageChanged(unit, page, { was: block.lifecycle, is });
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
  const old = listBlocks(db, page.n);
  const position =
    after === undefined ? old.length : after === null ? 0 : old.findIndex(({ id }) => id === after) + 1;
  const fresh = parseBlocks(writeAdded(db, page, position, text));
  const places = assignPlaces([
    ...old.slice(0, position).map(({ place }) => place),
    ...fresh.map(() => null),
    ...old.slice(position).map(({ place }) => place),
  ]);
  old.forEach((block, at) => {
    setPlace(unit, block, places[at < position ? at : at + fresh.length]!);
  });
  const blocks = fresh.map((block, at): NewBlock => ({ ...block, place: places[position + at]! }));
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
export function writeUpdated(db: Database, page: PageRow, block: BlockRow, text: string): string {
  const views = readSurroundings(db, page, block.id);
  const fit = fitBlock(text, views, {
    newline: detectNewline(block.text + joinSurroundings(views)),
    needsBlankLine: false,
  });
  return fit ?? refuseJoining(`The text for ${block.id}`, { id: block.id });
}

function writeAdded(db: Database, page: PageRow, position: number, text: string): string {
  const views = readSurroundingsAt(db, page, position);
  const newline = detectNewline(joinSurroundings(views) + text);
  const fit = fitBlock(/[\r\n]$/.test(text) ? text : text + newline, views, {
    newline,
    needsBlankLine: true,
  });
  return fit ?? refuseJoining(`The block for ${page.path}`, { page: page.id });
}

/** The promoted text in the form in which it is stored. Refuses a text that would change how neighbours are parsed. */
export function writePromoted(db: Database, page: PageRow, block: BlockRow): string {
  const text = renderText(db, block, page.path);
  if (page.lifecycle === 'Candidate' || block.lifecycle !== 'Candidate') return text;
  const newline = detectNewline(block.text + renderPage(db, page, 'all'));
  const fit = fitBlock(text, [readPromotedSurroundings(db, page, block.id)], {
    newline,
    needsBlankLine: false,
  });
  return fit ?? refuseJoining(`The block ${block.id}`, { id: block.id });
}

/** The text in place of a removed block: a blank line if its neighbours would otherwise be parsed as one. */
function writeRemoved(db: Database, page: PageRow, block: BlockRow): string {
  const newline = detectNewline(block.text);
  const fit = fitBlock('', readSurroundings(db, page, block.id), { newline, needsBlankLine: false });
  return fit ?? refuseJoining(`Without ${block.id}, the page`, { id: block.id });
}

function refuseJoining(what: string, details: Readonly<Record<string, unknown>>): never {
  return refuse(
    'bad_value',
    `${what} would change how other blocks of the page are parsed.`,
    'Close what it opens (a fence, a comment, an HTML block), or change the page as a whole.',
    details,
  );
}
