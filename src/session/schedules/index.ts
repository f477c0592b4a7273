export { gatherings, isWaitedFor, type WorkspaceEvent } from './gathering.ts';
export { dayStart, reasonToHold as heldBy, zoneOf } from './holds.ts';
export {
  type DeliveredFire,
  handFire,
  type RunnerPorts,
  type ScheduleRunner,
  scheduleRunner,
} from './runner.ts';
export { nextTime, timesBetween } from './times.ts';
