export { investigationRun } from './run.ts';
export { investigationHelpers } from './talk/helper-docs.ts';
