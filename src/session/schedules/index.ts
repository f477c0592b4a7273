export { gatherings, matchesSchedule as isWaitedFor, type WorkspaceEvent } from './gathering.ts';
export { dayStart, reasonToHold as heldBy, zoneOf } from './holds.ts';
export {
  type DeliveredFire,
  manualFire as handFire,
  type RunnerPorts,
  type ScheduleRunner,
  scheduleRunner,
} from './runner.ts';
export { nextTime, timesBetween } from './times.ts';
