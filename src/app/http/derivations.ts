/** The sources of some content, or what derives from it, each with its place. */
import type { z } from 'zod';
import type { World } from '../../world/index.ts';
import type { derivation } from './schemas.ts';

export type ShownDerivation = z.input<typeof derivation>;

export function derivationsOf(world: World, content: string, side: 'sources' | 'derived'): ShownDerivation[] {
  const links = side === 'sources' ? world.sourcesOf(content) : world.derivedFrom(content);
  return links.map(({ source_id, derived_id, link_type, created_at, created_by }) => {
    const id = side === 'sources' ? source_id : derived_id;
    const block = id.startsWith('bl-') ? world.block(id) : null;
    const page = world.page(block?.page ?? id);
    return {
      id,
      page: page?.id ?? null,
      path: page?.path ?? null,
      text: block?.text ?? null,
      link_type,
      created_at,
      created_by,
    };
  });
}
