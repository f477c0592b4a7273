export { matchesSchedule, openGatherings, type WorkspaceEvent } from './gathering.ts';
export {
  createScheduleRunner,
  type DeliveredFire,
  manualFire,
  type RunnerPorts,
  type ScheduleRunner,
} from './runner.ts';
export { dayStart, reasonToHold, zoneOf } from './start-limits.ts';
export { listTimes, nextTime } from './times.ts';
