/**
 * The door of the benches: parts that are measured by themselves, below what a program needs.
 *
 * ```ts
 * import { openTreeIndex } from 'sonde/bench';
 * ```
 */
export { type OpenWorkspace, openWorkspace } from './app/workspace/workspace.ts';
export {
  type NamePlace,
  openCodeSources,
  type RenamePlaces,
  renamePlaces,
  symbolOf,
  symbolReader,
} from './code/index.ts';
export { gitHistory } from './code/tree.ts';
export { openPool } from './core/pools.ts';
export { createSandbox, type Sandbox, type SandboxOptions, type Session } from './sandbox/index.ts';
export {
  defaultSettings,
  openTreeIndex,
  type RankingWeights,
  rankingWeights,
  type SearchIndex,
  type TreeIndexOptions,
} from './search/index.ts';
export { openDatabase, openSessionsIn, openStore } from './store/index.ts';
export {
  loadPageSearch,
  openWorld,
  type PageSearch,
  type World,
  type WorldOperation,
  type WorldWrite,
  worldWrite,
} from './world/index.ts';
export { memoryWorld } from './world/scripted.ts';
