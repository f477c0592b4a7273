/** What turns need beyond the wire. It is loaded with the first of them, since it brings the graph along. */
export { dropTurn, forkThread, listCheckpoints, runsOf, runTurn } from '../../session/index.ts';
export { capabilitiesOver } from './scopes.ts';
export { inputOf, noteOf, questionsOf, stateOf } from './thread-input.ts';
export { collectKnown, originsSoFar, readBefore, readSoFar, turnTools, workTools } from './turn-tools.ts';
