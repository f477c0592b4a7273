/** What the person at this machine does to the workspace: edits, promotes, rejects, decides. Each act is one write. */
import { SondeError } from '../../core/index.ts';
import type { AcceptedWrite, InboxItem, Page, PageText, World, WorldOperation } from '../../world/index.ts';
import { author, toError } from './workspace.ts';

/** Throws `bad_argument` or `not_found` if the write is refused. */
export async function write(
  world: World,
  operation: WorldOperation,
  source: string,
  baseRevision?: number,
): Promise<AcceptedWrite> {
  const { worldWrite } = await import('../../world/index.ts');
  const result = world.submit(
    worldWrite({
      operation,
      caller: author(),
      source,
      idempotencyKey: null,
      ...(baseRevision !== undefined && { baseRevision }),
    }),
  );
  if (result.kind === 'refused') throw toError(result);
  return result;
}

/** Throws `not_found`. */
export function findPage(world: World, name: string): Page {
  const page = world.page(name);
  if (page !== null && !page.deleted) return page;
  throw new SondeError('not_found', {
    message: page === null ? `There is no page ${name}` : `The page ${name} was deleted`,
    remedy: 'sonde world ls lists the pages; a page is named by its path, an alias or its id.',
  });
}

/** The id of a page or a block, which may be named by its handle. Throws `not_found`. */
export function findContent(world: World, name: string): string {
  const block = /^(?:bl-|#\d)/.test(name) ? world.block(name) : null;
  if (block === null && /^#\d+$/.test(name) && world.page(name) === null)
    throw new SondeError('not_found', {
      message: `There is no block ${name}`,
      remedy: 'A block is named by its handle as the agent shows it, such as #57123, or by its id.',
    });
  return block?.id ?? findPage(world, name).id;
}

/**
 * Splits a name into content and revision. The revision may also follow a path or a handle, unless a page has
 * the whole text as its name.
 */
export function findContentAndRevision(
  world: World,
  name: string,
): { readonly content: string; readonly revision?: number } {
  const { name: contentName, ...revisionPart } = splitRevision(name);
  const [, base, revision] = /^(.+)@([1-9]\d{0,8})$/.exec(contentName) ?? [];
  if (base === undefined || world.page(contentName) !== null)
    return { content: findContent(world, contentName), ...revisionPart };
  return { content: findContent(world, base), revision: Number(revision) };
}

export interface EditResult {
  readonly page: string;
  readonly path: string;
  readonly change: 'created' | 'updated' | 'unchanged' | 'held';
  readonly deviations: readonly string[];
}

/** Replaces the text of a page, or makes the page. `base`: the revision that was edited. */
export async function savePage(
  world: World,
  page: Page | null,
  save: { readonly path: string; readonly text: string; readonly base?: number },
): Promise<EditResult> {
  const source = 'sonde world edit';
  if (page === null) {
    const { content_ids } = await write(
      world,
      { op: 'create_page', path: save.path, text: save.text },
      source,
    );
    return { page: content_ids[0]!, path: save.path, change: 'created', deviations: [] };
  }
  const { id, path } = page;
  const operation = { op: 'update_page', page: id, text: save.text } as const;
  const { applied, deviation_ids } = await write(world, operation, source, save.base);
  return { page: id, path, change: applied ? 'updated' : 'held', deviations: deviation_ids };
}

/** Splits `pg-…@3` into the page, block, deviation or flag and its revision. In a path `@3` is part of the name. */
export function splitRevision(name: string): { readonly name: string; readonly revision?: number } {
  const match = /^((?:pg|bl|dv|fl)-[a-z0-9]{20})@([1-9]\d{0,8})$/.exec(name);
  return match === null ? { name } : { name: match[1]!, revision: Number(match[2]) };
}

/** Records that these were printed to the author in full. */
export function recordShown(world: World, items: readonly (InboxItem | PageText)[]): void {
  world.shown(author().name, items);
}

/** An item of the inbox by its id. Throws `not_found`. */
export function findInboxItem(world: World, id: string): InboxItem {
  const item = world.inbox(Number.MAX_SAFE_INTEGER).find((inboxItem) => inboxItem.id === id);
  if (item !== undefined) return item;
  throw new SondeError('not_found', {
    message: `There is no item ${id} in the inbox`,
    remedy: 'sonde world inbox lists the items.',
  });
}
