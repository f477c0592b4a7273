/** Lists the sources of some content, or the content that derives from it, each with its page. */
import type { z } from 'zod';
import type { Deviation, World } from '../../../world/index.ts';
import type { derivation } from '../schemas/schemas.ts';

export type ApiDerivation = z.input<typeof derivation>;

export function listDerivations(world: World, content: string, side: 'sources' | 'derived'): ApiDerivation[] {
  const links = side === 'sources' ? world.sourcesOf(content) : world.derivedFrom(content);
  return links.map(({ source_id, derived_id, ...link }) =>
    toDerivationEnd(world, side === 'sources' ? source_id : derived_id, link),
  );
}

/** The sources of a held write. They are recorded with the content when it is accepted. */
export const listHeldSources = (
  world: World,
  { created_at, submitted }: Pick<Deviation, 'created_at' | 'submitted'>,
): ApiDerivation[] => {
  const { derivation_sources: ids = [], caller } = submitted as {
    readonly derivation_sources?: readonly string[];
    readonly caller?: { readonly kind: string; readonly name: string };
  };
  return ids.map((id) =>
    toDerivationEnd(world, id, {
      link_type: 'derived_from',
      created_at,
      created_by: caller === undefined ? '' : `${caller.kind}:${caller.name}`,
    }),
  );
};

function toDerivationEnd(
  world: World,
  id: string,
  link: Pick<ApiDerivation, 'link_type' | 'created_at' | 'created_by'>,
): ApiDerivation {
  const block = id.startsWith('bl-') ? world.block(id) : null;
  const page = world.page(block?.page ?? id);
  const { link_type, created_at, created_by } = link;
  return {
    ...{ id, page: page?.id ?? null, path: page?.path ?? null, text: block?.text ?? null },
    ...{ link_type, created_at, created_by },
  };
}
