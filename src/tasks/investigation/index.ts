export { investigationHelpers } from './helper-docs.ts';
export { investigationRun } from './run.ts';
