import { type World, type WorldOperation, worldWrite } from '../../../world/index.ts';
import { findPage } from '../../workspace/author.ts';
import { author, toError } from '../../workspace/workspace.ts';

export type PageChange =
  | { readonly op: 'rename_page' | 'move_page'; readonly name: string; readonly to: string }
  | { readonly op: 'delete_page'; readonly name: string };

export interface OrganizedPage {
  readonly page: string;
  readonly from: string;
  readonly to: string | null;
  readonly write_id: string;
}

/** Applies all changes or none. Throws `not_found` and `bad_argument`. */
export async function organizePages(
  world: World,
  changes: readonly PageChange[],
): Promise<readonly OrganizedPage[]> {
  const changesWithPages = changes.map((change) => ({ change, page: findPage(world, change.name) }));
  // A page may be named twice, such as by its path and by an alias.
  const distinctChanges = changesWithPages.filter(
    ({ page }, index) => changesWithPages.findIndex((other) => other.page.id === page.id) === index,
  );
  const writes = distinctChanges.map(({ change, page }) =>
    worldWrite({
      operation: toOperation(change, page.id),
      caller: author(),
      source: `sonde world ${change.op.replace('_page', '')}`,
      idempotencyKey: null,
    }),
  );
  const results = world.submitAll(writes);
  if ('kind' in results) throw toError(results);
  return distinctChanges.map(({ page }, index) => {
    const result = results[index]!;
    if (result.kind === 'refused') throw toError(result);
    const pageNow = world.page(page.id)!;
    return {
      page: page.id,
      from: page.path,
      to: pageNow.deleted ? null : pageNow.path,
      write_id: result.write_id,
    };
  });
}

function toOperation(change: PageChange, page: string): WorldOperation {
  switch (change.op) {
    case 'rename_page':
      return { op: change.op, page, name: change.to };
    case 'move_page':
      return { op: change.op, page, to: change.to };
    case 'delete_page':
      return { op: change.op, page };
  }
}
