/** Finds every place that names a definition, so that all can be renamed and a compiler can check the result. */
import type { Completeness, SymbolRow } from '../../core/index.ts';
import { type FileFacts, listUses } from '../facts/facts.ts';
import { findTarget, listReferencesIn } from './references.ts';
import { type CodeSources, Survey } from './survey.ts';

export interface NamePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface RenamePlaces {
  readonly symbol: string;
  readonly completeness: Completeness;
  readonly why: readonly string[];
  readonly definitions: readonly NamePlace[];
  /** Certain uses. */
  readonly uses: readonly NamePlace[];
}

/** Whether a use is of a local alias of another name: `import { other as name }`. */
function isAlias(facts: FileFacts | null, { line, column }: SymbolRow): boolean {
  if (facts === null) return false;
  const use = listUses(facts, { start: line, end: line }).find((one) => one.column === column);
  if (use?.binding?.kind !== 'import' || use.receiver !== null) return false;
  const { name, local } = facts.imports[use.binding.index]!;
  return name !== local && name !== 'default' && name !== '*' && use.name === local;
}

/** Null if the name refers to no definition, or to several. */
export async function renamePlaces(sources: CodeSources, symbol: string): Promise<RenamePlaces | null> {
  const survey = new Survey(sources);
  await survey.start();
  const found = await findTarget(survey, symbol);
  const listing = await listReferencesIn(survey, { symbol });
  if (found.kind !== 'target' || listing.kind !== 'listed') return null;
  const { completeness, why, rows } = listing;
  return {
    symbol: listing.symbol,
    completeness,
    why,
    definitions: found.target.places.flatMap(({ path, index }) => {
      const definition = survey.facts(path)?.definitions[index];
      return definition === undefined ? [] : [{ path, line: definition.line, column: definition.column }];
    }),
    uses: rows
      .filter((row) => row.sure && !isAlias(survey.facts(row.path), row))
      .map(({ path, line, column }) => ({ path, line, column })),
  };
}
