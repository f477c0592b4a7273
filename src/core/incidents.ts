/** Second entry point of the room: incidents and their reports. */
export { incidentVerbs } from './incident/fields.ts';
export { incidentVerdicts, rootCauseCategories } from './incident/incident.ts';
export { type EarlyJump, findEarlyJump, findOnset, shortNumber } from './incident/onset.ts';
export { incidentReport, incidentTitle } from './incident/report.ts';
export { rowsIn, sameCommit } from './incident/signal-rows.ts';
