/** A smaller entry point of this room for runs, without queues, sessions and the recovery of damaged files. */

export { openStore } from './open-store.ts';
export { startHeartbeat } from './runs/heartbeat.ts';
export { openReplaySteps } from './runs/replay-steps.ts';
export { writerOf } from './runs/run-writer.ts';
