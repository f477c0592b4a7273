/** Second entry point of the room: incidents and their reports. */
export { incidentVerbs } from './incident/fields.ts';
export { incidentVerdicts, rootCauseCategories } from './incident/incident.ts';
export { type EarlyJump, findEarlyJump, findOnset, formatShortNumber } from './incident/onset.ts';
export { formatIncidentReport, incidentTitle } from './incident/report.ts';
export { isSameCommit, listRows } from './incident/signal-rows.ts';
