import type { CodeContext, Entry } from '../../../catalogue/index.ts';
import type {
  Coverage,
  DefinitionFinder,
  DefinitionSearch,
  GitHistory,
  NameFinder,
  SpanSearch,
  SymbolReader,
  TextGrep,
  TextReader,
} from '../../../core/index.ts';

/**
 * The material of a run: the ports through which it is read. Without a port its actions are missing. Every
 * port is asked with the run's scope, and its answers are checked against it.
 */
export interface Material {
  readonly search: SpanSearch;
  readonly text: TextReader;
  readonly grep?: TextGrep;
  readonly past?: GitHistory;
  readonly definitions?: DefinitionFinder;
  /** Finds definitions by their content, in the best files of a search. */
  readonly best?: DefinitionSearch;
  /** Abilities that a program brought along, offered beside those of the catalogue. Their names are their own. */
  readonly tools?: readonly Entry<CodeContext>[];
  readonly symbols?: SymbolReader;
  /** Names of entries that no planner is offered, although they have a port. */
  readonly withheld?: readonly string[];
  /** Used once at the beginning, to find names of the question. */
  readonly names?: NameFinder;
  /** What the index covers and what it skipped; reported in the result. Taken once, when the run begins. */
  readonly coverage?: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'>;
}
