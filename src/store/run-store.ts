/** A smaller entry point of this room: what runs need, without queues, sessions and the recovery of damaged files. */

export { openStore } from './open-store.ts';
export { heartbeat } from './runs/heartbeat.ts';
export { replayedSteps } from './runs/replayed-steps.ts';
export { writerOf } from './runs/run-writer.ts';
