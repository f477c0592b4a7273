/** A smaller entry point of this room: what runs need, without queues, sessions and the recovery of damaged files. */
export { heartbeat } from './heartbeat.ts';
export { openStore } from './open-store.ts';
export { replayedSteps } from './replayed-steps.ts';
export { writerOf } from './run-writer.ts';
