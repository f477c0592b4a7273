import { type World, type WorldOperation, worldWrite } from '../../../world/index.ts';
import { findPage } from '../../workspace/author.ts';
import { author, toError } from '../../workspace/workspace.ts';

export type Wish =
  | { readonly op: 'rename_page' | 'move_page'; readonly name: string; readonly to: string }
  | { readonly op: 'delete_page'; readonly name: string };

export interface OrganizedPage {
  readonly page: string;
  readonly from: string;
  readonly to: string | null;
  readonly write_id: string;
}

/** Makes all of the changes or none. Throws `not_found` and `bad_argument`. */
export async function organizePages(
  world: World,
  wishes: readonly Wish[],
): Promise<readonly OrganizedPage[]> {
  const found = wishes.map((wish) => ({ wish, page: findPage(world, wish.name) }));
  // A page may be given twice, by its path and by an alias.
  const once = found.filter(({ page }, at) => found.findIndex((each) => each.page.id === page.id) === at);
  const writes = once.map(({ wish, page }) =>
    worldWrite({
      operation: operationOf(wish, page.id),
      caller: author(),
      source: `sonde world ${wish.op.replace('_page', '')}`,
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

function operationOf(wish: Wish, page: string): WorldOperation {
  switch (wish.op) {
    case 'rename_page':
      return { op: wish.op, page, name: wish.to };
    case 'move_page':
      return { op: wish.op, page, to: wish.to };
    case 'delete_page':
      return { op: wish.op, page };
  }
}
