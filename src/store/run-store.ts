/** Second entry point of the room: the part of this room that runs need, without queues, sessions and the carver of damaged files. */
export { heartbeat } from './heartbeat.ts';
export { openStore } from './open-store.ts';
export { replayedSteps } from './replayed-steps.ts';
export { writerOf } from './run-writer.ts';
