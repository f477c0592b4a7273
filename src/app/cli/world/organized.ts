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
  const found = changes.map((change) => ({ change, page: findPage(world, change.name) }));
  // A page may be given twice, by its path and by an alias.
  const once = found.filter(({ page }, at) => found.findIndex((each) => each.page.id === page.id) === at);
  const writes = once.map(({ change, page }) =>
    worldWrite({
      operation: operationOf(change, page.id),
      caller: author(),
      source: `sonde world ${change.op.replace('_page', '')}`,
      idempotencyKey: null,
    }),
  );
  const results = world.submitAll(writes);
  if ('kind' in results) throw toError(results);
  return once.map(({ page }, at) => {
    const result = results[at]!;
    if (result.kind === 'refused') throw toError(result);
    const now = world.page(page.id)!;
    return { page: page.id, from: page.path, to: now.deleted ? null : now.path, write_id: result.write_id };
  });
}

function operationOf(change: PageChange, page: string): WorldOperation {
  switch (change.op) {
    case 'rename_page':
      return { op: change.op, page, name: change.to };
    case 'move_page':
      return { op: change.op, page, to: change.to };
    case 'delete_page':
      return { op: change.op, page };
  }
}
