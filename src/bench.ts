/**
 * The entry point `sonde/bench`: internal parts, exported for benchmarks. Programs do not need them.
 *
 * ```ts
 * import { openTreeIndex } from 'sonde/bench';
 * ```
 */
import { definitionUnits } from './code/definitions/definition-units.ts';
import { openTreeIndex as openIndex, type SearchIndex, type TreeIndexOptions } from './search/index.ts';

export { createRunJob as jobFor } from './app/worker/queued-run.ts';
export { type OpenWorkspace, openWorkspace } from './app/workspace/workspace.ts';
export {
  type NamePlace,
  openCodeSources,
  type RenamePlaces,
  renamePlaces,
  symbolOf,
  symbolReader,
} from './code/index.ts';
export { languageServers } from './code/servers/index.ts';
export { createHistoryReader as gitHistory } from './code/tree.ts';
export { openPool } from './core/pools.ts';
export { createSandbox, type Sandbox, type SandboxOptions, type Session } from './sandbox/index.ts';
export {
  defaultSettings,
  type RankingWeights,
  rankingWeights,
  type SearchIndex,
  type TreeIndexOptions,
} from './search/index.ts';
export { readTraits } from './search/passages/read-traits.ts';
export { openDatabase, openSessionsIn, openStore, workOff, writerOf } from './store/index.ts';
export {
  admitFronts,
  openPostgresQueue,
  openPostgresStore,
  openPostgresTeams,
  pruneShared,
  upgradeSchema,
} from './store/postgres/index.ts';
export { lineWords } from './tasks/research/lines/telling-lines.ts';
export {
  loadPageSearch,
  mergeBlocks,
  openWorld,
  type PageSearch,
  type World,
  type WorldOperation,
  type WorldWrite,
  worldWrite,
} from './world/index.ts';
export { memoryWorld } from './world/scripted.ts';
export { definitionUnits };

/** Opens the index of a tree. As in the commands, a search reads the best files again; `units: null` turns this off. */
export const openTreeIndex = (options: TreeIndexOptions): SearchIndex =>
  openIndex({ units: async () => definitionUnits, ...options });
