import type { Database } from '../../store/index.ts';
import { checkPath, checkProperties, checkTag, checkText } from '../limits.ts';
import { findTags } from '../markdown/index.ts';
import { folderOf, joinPath, rangeBelow } from '../names.ts';
import { renderPage } from '../read/page-text.ts';
import { requireNoCycle, requireSource } from '../rows/derivations.ts';
import { renderText } from '../rows/link-rows.ts';
import { isSameValue } from '../rows/page-rows.ts';
import { type BlockRow, findBlock, findPage, type PageRow, selectPages, toPageRow } from '../rows/rows.ts';
import type { View } from '../world.ts';
import type { WorldOperation } from '../world-write.ts';
import { fitUpdatedText } from './edit-block.ts';
import { readTags } from './properties.ts';
import { refuse } from './refusal.ts';

/** The pages below a path, sorted by path, without the page at the path itself. */
function listPagesBelow(db: Database, path: string): readonly PageRow[] {
  const [from, to] = rangeBelow(path);
  return db
    .all(`${selectPages} WHERE p.deleted = 0 AND p.path >= ? AND p.path < ? ORDER BY p.path`, from, to)
    .map(toPageRow);
}

/** An operation that edits content. Decisions of the author, such as promotions, are no edits. */
export type EditOperation = Exclude<
  WorldOperation,
  {
    op: 'promote' | 'reject' | 'resolve_deviation' | 'clear_flag' | 'undo' | 'restore_page';
  }
>;

/** The page, block and pages that an operation changes. */
export interface Targets {
  readonly page: PageRow | null;
  readonly block: BlockRow | null;
  /** The pages below the moved page, which move with it. Empty for other operations. */
  readonly below: readonly PageRow[];
  /** Whether the operation would change nothing. */
  readonly isUnchanged: boolean;
  /** The names of existing properties that the operation would set to another value. */
  readonly differing: readonly string[];
  /** The new text of an updated block in the form in which it is stored; absent if it is unchanged. */
  readonly newText?: string;
}

export function requirePage(db: Database, id: string): PageRow {
  const page = findPage(db, id) ?? throwUnknown(id);
  return page.deleted ? throwDeleted(id) : page;
}

export function requireBlock(db: Database, id: string): BlockRow {
  const block = findBlock(db, id) ?? throwUnknown(id);
  return block.deleted ? throwDeleted(id) : block;
}

export function throwUnknown(id: string): never {
  return refuse(
    'unknown_content',
    `There is no ${/^(pg|bl)-/.test(id) ? 'content' : 'page or block'} ${JSON.stringify(id.slice(0, 200))} in this workspace.`,
    'Take an id from search, a listing or a page that was read.',
    { id },
  );
}

function throwDeleted(id: string): never {
  return refuse('deleted_content', `${id} was deleted.`, 'Its history is kept; write new content instead.', {
    id,
  });
}

/** Finds the targets of an operation. Refuses an operation that is impossible for any caller. */
export function findTargets(
  db: Database,
  operation: EditOperation,
  /** The views that the submitter may have read. An update with the text of one of them changes nothing. */
  views: readonly View[] = ['canonical', 'all'],
): Targets {
  const toTargets = (
    page: PageRow | null,
    block: BlockRow | null,
    isUnchanged: boolean,
    otherFields: Partial<Targets> = {},
  ) => ({
    page,
    block,
    below: [],
    isUnchanged,
    differing: [],
    ...otherFields,
  });
  switch (operation.op) {
    case 'create_page': {
      checkPath(operation.path);
      checkText(operation.text, operation.path);
      checkProperties(operation.properties ?? {});
      for (const tag of operation.tags ?? []) checkTag(tag);
      requireFreePath(db, operation.path, new Set());
      return toTargets(null, null, false);
    }
    case 'update_block': {
      checkText(operation.text, operation.block);
      const block = requireBlock(db, operation.block);
      if (operation.text.trim() === '') {
        refuse('bad_value', `The text for ${block.id} is empty.`, 'Delete the block instead.', {
          id: block.id,
        });
      }
      const page = findPage(db, block.page_id)!;
      const presentTexts = [block.text, renderText(db, block, page.path)];
      if (presentTexts.includes(operation.text)) return toTargets(page, block, true);
      const newText = fitUpdatedText(db, page, block, operation.text);
      return presentTexts.includes(newText)
        ? toTargets(page, block, true)
        : toTargets(page, block, false, { newText });
    }
    case 'add_block': {
      checkText(operation.text, operation.page);
      const page = requirePage(db, operation.page);
      if (operation.text.trim() === '') {
        refuse('bad_value', `The block for ${page.path} is empty.`, 'Give it a text.', { id: page.id });
      }
      if (typeof operation.after === 'string' && requireBlock(db, operation.after).page !== page.n) {
        refuse(
          'unknown_content',
          `${operation.after} is not a block of ${page.path}.`,
          'Name a block of that page, or leave `after` out to add it at the end.',
          { page: page.id, after: operation.after },
        );
      }
      return toTargets(page, null, false);
    }
    case 'delete_block': {
      const block = requireBlock(db, operation.block);
      return toTargets(findPage(db, block.page_id), block, false);
    }
    case 'update_page': {
      checkText(operation.text, operation.page);
      const page = requirePage(db, operation.page);
      const isUnchanged = views.some((view) => renderPage(db, page, view) === operation.text);
      return toTargets(page, null, isUnchanged);
    }
    case 'delete_page': {
      const page = requirePage(db, operation.page);
      checkRevision(page, operation.revision);
      return toTargets(page, null, false);
    }
    case 'move_page':
      return findMoveTargets(db, requirePage(db, operation.page), operation.to, operation.alone);
    case 'rename_page': {
      const page = requirePage(db, operation.page);
      if (operation.name.includes('/')) {
        refuse(
          'bad_path',
          `${operation.name} is a path, not a name.`,
          'Use move_page to move it elsewhere.',
          {
            name: operation.name,
          },
        );
      }
      checkPath(operation.name);
      return findMoveTargets(db, page, joinPath(folderOf(page.path), operation.name) ?? '');
    }
    case 'set_properties': {
      checkProperties(operation.set);
      const page = requirePage(db, operation.page);
      const changedProperties = Object.entries(operation.set).filter(
        ([name, value]) => !isSameValue(page.properties[name], value),
      );
      const differing = changedProperties
        .filter(([name]) => Object.hasOwn(page.properties, name))
        .map(([name]) => name);
      return toTargets(page, null, changedProperties.length === 0, { differing });
    }
    case 'add_tag':
    case 'remove_tag': {
      const tag = checkTag(operation.tag);
      const block = operation.content.startsWith('bl-') ? requireBlock(db, operation.content) : null;
      const page = requirePage(db, block?.page_id ?? operation.content);
      const hasTag = (block === null ? readTags(page.properties) : findTags(block.text)).includes(tag);
      if (operation.op === 'add_tag') return toTargets(page, block, hasTag);
      if (!hasTag) {
        refuse(
          'bad_value',
          `${operation.content} itself has no tag ${tag}.`,
          'A tag within the text is removed from the block that contains it.',
          { content: operation.content, tag },
        );
      }
      return toTargets(page, block, false);
    }
    case 'add_derivation_link': {
      const { derived, source, link_type } = operation;
      const block = derived.startsWith('bl-') ? requireBlock(db, derived) : null;
      const page = requirePage(db, block?.page_id ?? derived);
      requireSource(db, source);
      checkLinkType(link_type);
      requireNoCycle(db, { derived, source });
      const sql = 'SELECT 1 FROM world_derivations WHERE derived = ? AND source = ? AND type = ?';
      return toTargets(page, block, db.get(sql, derived, source, link_type) !== undefined);
    }
    case 'add_attachment': {
      checkPath(operation.path);
      return toTargets(operation.page === null ? null : requirePage(db, operation.page), null, false);
    }
    case 'remove_attachment': {
      const row = db.get('SELECT page FROM world_attachments WHERE path = ?', operation.path);
      if (row === undefined) {
        refuse('unknown_content', `There is no attachment ${operation.path}.`, 'List the attachments.', {
          path: operation.path,
        });
      }
      return toTargets(row['page'] === null ? null : findPageByNumber(db, Number(row['page'])), null, false);
    }
  }
}

function checkRevision({ id, path, revision: now }: PageRow, shown: number | undefined): void {
  if (shown === undefined || shown === now) return;
  refuse('stale', `${path} has revision ${now}, not ${shown}.`, 'Read it again, and then decide.', {
    id,
    shown,
    now,
  });
}

function checkLinkType(type: string): void {
  if (/^[a-z][a-z0-9_]{0,63}$/.test(type)) return;
  refuse(
    'bad_value',
    `${JSON.stringify(type.slice(0, 200))} cannot be a type of link.`,
    'Give small letters, digits and _, such as summarizes.',
    { link_type: type },
  );
}

function findPageByNumber(db: Database, n: number): PageRow | null {
  const row = db.get('SELECT id FROM world_pages WHERE n = ?', n);
  return row === undefined ? null : findPage(db, String(row['id']));
}

function findMoveTargets(db: Database, page: PageRow, to: string, alone = false): Targets {
  checkPath(to);
  if (!alone && to.startsWith(`${page.path}/`)) {
    refuse('bad_path', `${page.path} cannot be moved below itself, to ${to}.`, 'Name a path elsewhere.', {
      to,
    });
  }
  const below = alone ? [] : listPagesBelow(db, page.path);
  const movingPaths = new Set([page.path, ...below.map(({ path }) => path)]);
  for (const path of movingPaths) {
    const target = to + path.slice(page.path.length);
    checkPath(target);
    requireFreePath(db, target, movingPaths);
  }
  return { page, block: null, below, isUnchanged: to === page.path, differing: [] };
}

function requireFreePath(db: Database, path: string, movingPaths: ReadonlySet<string>): void {
  if (movingPaths.has(path)) return;
  const pageAtPath = db.get('SELECT id, lifecycle FROM world_pages WHERE path = ? AND deleted = 0', path);
  if (pageAtPath === undefined) return;
  const { id, lifecycle } = pageAtPath;
  refuse(
    'path_taken',
    `There is a page ${path} already: ${id}, ${lifecycle}.`,
    lifecycle === 'Candidate'
      ? 'Promote or reject that candidate, or take another path.'
      : 'Change that page, or take another path.',
    { path, content_id: id, lifecycle },
  );
}
