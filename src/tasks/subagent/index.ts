export { importAnalyst } from './import-analyst/analyst.ts';
export { importReport } from './import-analyst/report.ts';
