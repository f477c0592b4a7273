export { researchRun } from './run.ts';
