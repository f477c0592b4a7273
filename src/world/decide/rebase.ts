/**
 * Rebases a held edit on the present text: merges it with later changes, or reports a conflict. It never overwrites a
 * change that the submitter of the edit had not seen.
 */
import type { Database } from '../../store/index.ts';
import { readPage, splitTail } from '../markdown/index.ts';
import { type Conflict, type MergeResult, mergeBlocks, type Sides } from '../merge/index.ts';
import { renderPage } from '../read/page-text.ts';
import { findBlockRevisionEvent, findRevisionEvent, type PastPage, readPastPage } from '../read/past-page.ts';
import { renderText } from '../rows/link-rows.ts';
import { isSameValue } from '../rows/page-rows.ts';
import { type BlockRow, findBlock, findPage, type PageRow } from '../rows/rows.ts';
import type { Deviation } from '../world.ts';
import { fitUpdatedText } from '../write/edit-block.ts';
import { WriteRefused } from '../write/refusal.ts';
import type { EditOperation } from '../write/targets.ts';
import { readBaseEvent } from './deviations.ts';

export interface RebaseResult {
  readonly operation: EditOperation;
  /** Places that both sides changed; empty if the edit can be applied. */
  readonly conflicts: readonly Conflict[];
}

export function rebaseEdit(db: Database, deviation: Deviation): RebaseResult {
  const operation = deviation.submitted['operation'] as EditOperation;
  const unchanged: RebaseResult = { operation, conflicts: [] };
  switch (operation.op) {
    case 'update_block':
    case 'delete_block': {
      const block = findBlock(db, operation.block);
      if (block === null || block.deleted) return unchanged;
      return rebaseBlockEdit(db, deviation, operation, block);
    }
    case 'update_page':
    case 'delete_page':
    case 'set_properties':
    case 'move_page':
    case 'rename_page': {
      const page = findPage(db, operation.page);
      if (page === null || page.deleted) return unchanged;
      return rebasePageEdit(db, deviation, operation, page);
    }
    default:
      return unchanged;
  }
}

type BlockEdit = Extract<EditOperation, { op: 'update_block' | 'delete_block' }>;
type PageEdit = Extract<
  EditOperation,
  { op: 'update_page' | 'delete_page' | 'set_properties' | 'move_page' | 'rename_page' }
>;

function rebaseBlockEdit(
  db: Database,
  deviation: Deviation,
  operation: BlockEdit,
  block: BlockRow,
): RebaseResult {
  const page = findPage(db, block.page_id)!;
  const ours = renderText(db, block, page.path);
  const seq = findBaseEvent(db, deviation, (revision) => findBlockRevisionEvent(db, block, revision));
  const base =
    seq === null
      ? null
      : (readPastPage(db, page, seq).blocks.find(({ id }) => id === block.id)?.text ?? null);
  if (operation.op === 'delete_block') return { operation, conflicts: findRemovalConflicts({ base, ours }) };
  const result = mergeSides({ base, ours, theirs: operation.text });
  if (result.kind === 'conflict') return { operation, conflicts: result.conflicts };
  return { operation: { ...operation, text: toStoredText(db, page, block, result.text) }, conflicts: [] };
}

/**
 * The text in the form in which it will be stored, so that it can be shown. A text that can't be stored is returned
 * unchanged, and is refused when the edit is performed.
 */
function toStoredText(db: Database, page: PageRow, block: BlockRow, text: string): string {
  try {
    return fitUpdatedText(db, page, block, text);
  } catch (error) {
    if (error instanceof WriteRefused) return text;
    throw error;
  }
}

function rebasePageEdit(
  db: Database,
  deviation: Deviation,
  operation: PageEdit,
  page: PageRow,
): RebaseResult {
  const seq = findBaseEvent(db, deviation, (revision) => findRevisionEvent(db, page.n, revision));
  const past = seq === null ? null : readPastPage(db, page, seq);
  const conflicts = (foundConflicts: readonly Conflict[]): RebaseResult => ({
    operation,
    conflicts: foundConflicts,
  });
  switch (operation.op) {
    case 'update_page': {
      const { diverged_from: diverged } = deviation.submitted as { readonly diverged_from?: string | null };
      const sides = {
        base: diverged === undefined ? past && joinReadText(past, page) : diverged,
        ours: renderPage(db, page, 'canonical'),
        theirs: operation.text,
      };
      const result = mergeSides(sides);
      if (result.kind === 'conflict') return conflicts(result.conflicts);
      return { operation: { ...operation, text: result.text }, conflicts: [] };
    }
    case 'delete_page':
      return conflicts(
        findRemovalConflicts({
          base: past && joinReadText(past, page),
          ours: renderPage(db, page, 'canonical'),
        }),
      );
    case 'set_properties': {
      const pastProperties = past && readPage(past.front).frontMatter.properties;
      return conflicts(
        Object.entries(operation.set).flatMap(([name, theirs]) => {
          const [base, ours] = [pastProperties?.[name], page.properties[name]];
          if (isSameValue(ours, theirs) || (pastProperties !== null && isSameValue(base, ours))) return [];
          return [
            {
              base: writeProperty(name, base),
              ours: writeProperty(name, ours),
              theirs: writeProperty(name, theirs),
            },
          ];
        }),
      );
    }
    case 'move_page':
    case 'rename_page': {
      const theirs =
        operation.op === 'move_page' ? operation.to : page.path.replace(/[^/]*$/, () => operation.name);
      if (past?.path === page.path || theirs === page.path) return conflicts([]);
      return conflicts([{ base: past?.path ?? '', ours: page.path, theirs }]);
    }
  }
}

const writeProperty = (name: string, value: unknown): string =>
  value === undefined || value === null ? '' : `${name}: ${JSON.stringify(value)}\n`;

/**
 * The text that the submitter of the edit had read: all blocks of a candidate page; of other pages, the blocks that
 * were no candidates at that time.
 */
function joinReadText({ front, blocks }: PastPage, page: PageRow): string {
  const readBlocks = blocks.filter(
    ({ lifecycle }) => page.lifecycle === 'Candidate' || lifecycle !== 'Candidate',
  );
  return front + readBlocks.map(({ text }) => text).join('');
}

/**
 * The number of the last event that the submitter of the edit had seen: the event of the revision that the edit names,
 * or else the last event before the edit. Null if it is not known.
 */
function findBaseEvent(
  db: Database,
  deviation: Deviation,
  ofRevision: (revision: number) => number | null,
): number | null {
  const baseRevision = deviation.submitted['base_revision'];
  return typeof baseRevision === 'number' ? ofRevision(baseRevision) : readBaseEvent(db, deviation);
}

type RemovalSides = Pick<Sides, 'ours'> & { readonly base: string | null };

function mergeSides({ base, ours, theirs }: RemovalSides & Pick<Sides, 'theirs'>): MergeResult {
  if (base !== null) return mergeBlocks({ base, ours, theirs });
  if (ours === theirs) return { kind: 'merged', text: ours };
  return { kind: 'conflict', conflicts: [{ base: '', ours, theirs }] };
}

/** Removing something that has changed since is a conflict. */
function findRemovalConflicts({ base, ours }: RemovalSides): readonly Conflict[] {
  if (base !== null && splitTail(base)[0] === splitTail(ours)[0]) return [];
  return [{ base: base ?? '', ours, theirs: '' }];
}
