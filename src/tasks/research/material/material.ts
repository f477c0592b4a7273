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
 * The ports through which a run reads its material. Without a port, its actions are not offered. Every port is called
 * with the run's scope, and its answers are checked against the scope.
 */
export interface Material {
  readonly search: SpanSearch;
  readonly text: TextReader;
  readonly grep?: TextGrep;
  readonly past?: GitHistory;
  readonly definitions?: DefinitionFinder;
  /** Finds definitions by their content, in the best files of a search. */
  readonly definitionSearch?: DefinitionSearch;
  /**
   * Tools that the calling program passed in, offered beside the catalogue's entries. Their names must differ from the
   * names of actions.
   */
  readonly tools?: readonly Entry<CodeContext>[];
  readonly symbols?: SymbolReader;
  /** Names of entries that planners are not offered, although their ports are present. */
  readonly withheld?: readonly string[];
  /** Finds out, when the run begins, whether the names in the question occur at all. */
  readonly names?: NameFinder;
  /** What the index covers and what it skipped; reported in the result. Taken once, when the run begins. */
  readonly coverage?: Pick<Coverage, 'files' | 'skipped' | 'completeness' | 'notes'>;
}
