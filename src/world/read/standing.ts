/**
 * The standing of content: its importance, by which the inbox is sorted. Computed, never stored.
 *
 *   weight   = origin × lifecycle
 *              Authored 1, Observed 0.8, Imported 0.7, AgentProduced 0.4; Canonical 1, Draft 0.8, Candidate 0.5
 *   reach    = 1 − 1 / (1 + n), where n counts the links to its page and the content that derives from it
 *   sources  = the mean weight of its sources; without sources 1, or 0 for AgentProduced
 *   standing = weight × (1/2 + reach/4 + sources/4)                                             (0 to 1)
 *
 * Candidates and flags have the standing of their content; a deviation has the highest standing of its targets.
 */
import type { Database } from '../../store/index.ts';
import { listLinksTo } from '../rows/link-rows.ts';
import { findBlock, findPage } from '../rows/rows.ts';
import type { ContentId, Lifecycle, Origin } from '../world.ts';

const origins: Readonly<Record<Origin, number>> = {
  Authored: 1,
  Observed: 0.8,
  Imported: 0.7,
  AgentProduced: 0.4,
};
const lifecycles: Readonly<Record<Lifecycle, number>> = { Canonical: 1, Draft: 0.8, Candidate: 0.5 };

/** Maximum number of counted links: more would hardly change the result. */
const maxCountedLinks = 50;

/** The fields that determine the weight of content. */
export interface WeightFields {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
}

export function computeWeight({ origin, lifecycle }: WeightFields): number {
  return origins[origin] * lifecycles[lifecycle];
}

export function computeStanding(
  content: WeightFields,
  about: { readonly references: number; readonly sources: readonly WeightFields[] },
): number {
  const reach = 1 - 1 / (1 + about.references);
  const { sources } = about;
  const weightWithoutSources = content.origin === 'AgentProduced' ? 0 : 1;
  const sourceWeight =
    sources.length === 0
      ? weightWithoutSources
      : sources.reduce((sum, standing) => sum + computeWeight(standing), 0) / sources.length;
  return computeWeight(content) * (1 / 2 + reach / 4 + sourceWeight / 4);
}

/** The standing of content; 0 if it doesn't exist. */
export function readStanding(db: Database, id: ContentId): number {
  const content = findContent(db, id);
  if (content === null) return 0;
  const derived = db.get('SELECT count(DISTINCT derived) AS n FROM world_derivations WHERE source = ?', id);
  const sources = db
    .all('SELECT DISTINCT source FROM world_derivations WHERE derived = ?', id)
    .map(({ source }) => findContent(db, String(source)))
    .filter((source) => source !== null);
  const links = listLinksTo(db, content.page, maxCountedLinks).length;
  return computeStanding(content, { references: Number(derived!['n']) + links, sources });
}

function findContent(db: Database, id: ContentId): (WeightFields & { readonly page: number }) | null {
  if (id.startsWith('bl-')) return findBlock(db, id);
  const page = findPage(db, id);
  return page && { ...page, page: page.n };
}
