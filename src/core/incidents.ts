/** Second door: incidents and their reports. */
export { incidentVerdicts, rootCauseCategories } from './incident.ts';
export { incidentReport, incidentTitle } from './incident-report.ts';
export { findOnset, shortNumber } from './onset.ts';
export { rowsIn } from './signal-rows.ts';
