/** The functions that run turns. Loaded with the first turn, since they load LangGraph. */
export { dropTurn, forkThread, listCheckpoints, runsOf, runTurn } from '../../session/index.ts';
export { inputOf, noteOf, questionsOf, stateOf } from './thread-input.ts';
export { capabilitiesOver } from './tools/scopes.ts';
export {
  collectKnown,
  originsSoFar,
  readBefore,
  readSoFar,
  turnTools,
  workTools,
} from './tools/turn-tools.ts';
