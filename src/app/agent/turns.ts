/** The functions that run turns. Loaded with the first turn, since they load LangGraph. */
export { dropTurn, forkThread, listCheckpoints, runIdsOf, runTurn } from '../../session/index.ts';
export {
  describeThread as noteOf,
  readThreadState as stateOf,
  toJsonQuestions as questionsOf,
  toTurnInput as inputOf,
} from './thread-input.ts';
export { readCapabilities as capabilitiesOver } from './tools/scopes.ts';
export {
  collectKnown,
  collectOrigins as originsSoFar,
  collectReads as readSoFar,
  rereadSources as readBefore,
  turnTools,
  workTools,
} from './tools/turn-tools.ts';
