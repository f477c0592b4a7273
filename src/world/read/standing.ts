/**
 * The standing of content: its importance, by which the inbox is sorted. Computed, never stored.
 *
 *   weight   = origin × lifecycle
 *              Authored 1, Observed 0.8, Imported 0.7, AgentProduced 0.4; Canonical 1, Draft 0.8, Candidate 0.5
 *   reach    = 1 − 1 / (1 + n), where n counts the links to its page and the content that derives from it
 *   ground   = the mean weight of its sources; without sources 1, or 0 for AgentProduced
 *   standing = weight × (1/2 + reach/4 + ground/4)                                              (0 to 1)
 *
 * A candidate and a flag have the standing of their content; a deviation has the highest standing among its targets.
 */
import type { Database } from '../../store/index.ts';
import { linksTo } from '../rows/link-rows.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import type { ContentId, Lifecycle, Origin } from '../world.ts';

const origins: Readonly<Record<Origin, number>> = {
  Authored: 1,
  Observed: 0.8,
  Imported: 0.7,
  AgentProduced: 0.4,
};
const lifecycles: Readonly<Record<Lifecycle, number>> = { Canonical: 1, Draft: 0.8, Candidate: 0.5 };

/** Maximum number of links that are counted: more would hardly change the standing. */
const countedLinks = 50;

/** The fields that determine the weight of content. */
export interface WeightFields {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
}

export function weight({ origin, lifecycle }: WeightFields): number {
  return origins[origin] * lifecycles[lifecycle];
}

export function standing(
  content: WeightFields,
  about: { readonly references: number; readonly sources: readonly WeightFields[] },
): number {
  const reach = 1 - 1 / (1 + about.references);
  const { sources } = about;
  const groundWithoutSources = content.origin === 'AgentProduced' ? 0 : 1;
  const ground =
    sources.length === 0
      ? groundWithoutSources
      : sources.reduce((sum, standing) => sum + weight(standing), 0) / sources.length;
  return weight(content) * (1 / 2 + reach / 4 + ground / 4);
}

/** The standing of a content; 0 if there is no such content. */
export function standingOf(db: Database, id: ContentId): number {
  const content = findContent(db, id);
  if (content === null) return 0;
  const derived = db.get('SELECT count(DISTINCT derived) AS n FROM world_derivations WHERE source = ?', id);
  const sources = db
    .all('SELECT DISTINCT source FROM world_derivations WHERE derived = ?', id)
    .map(({ source }) => findContent(db, String(source)))
    .filter((source) => source !== null);
  const links = linksTo(db, content.page, countedLinks).length;
  return standing(content, { references: Number(derived!['n']) + links, sources });
}

function findContent(db: Database, id: ContentId): (WeightFields & { readonly page: number }) | null {
  if (id.startsWith('bl-')) return findBlock(db, id);
  const page = findPage(db, id);
  return page && { ...page, page: page.n };
}
