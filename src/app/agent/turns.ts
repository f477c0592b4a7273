/** What turns need besides the wire. Loaded with the first turn, since it loads LangGraph. */
export { dropTurn, forkThread, listCheckpoints, runsOf, runTurn } from '../../session/index.ts';
export { capabilitiesOver } from './scopes.ts';
export { inputOf, noteOf, questionsOf, stateOf } from './thread-input.ts';
export { collectKnown, originsSoFar, readBefore, readSoFar, turnTools, workTools } from './turn-tools.ts';
