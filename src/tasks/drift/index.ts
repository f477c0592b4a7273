export { driftRun } from './run.ts';
