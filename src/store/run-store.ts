/** The part of this room that runs need: without queues, sessions, and what reads damaged files. */
export { heartbeat } from './heartbeat.ts';
export { openStore } from './open-store.ts';
export { replayedSteps } from './replayed-steps.ts';
export { writerOf } from './run-writer.ts';
