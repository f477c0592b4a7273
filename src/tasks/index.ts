export type { Models as ResearchModels } from './research/crew.ts';
export { researchGraph } from './research/graph.ts';
export { defaultLimits, type Limits as ResearchLimits, mostSteps } from './research/limits.ts';
export type { Material } from './research/material.ts';
export {
  type ResearchRequest,
  type ResearchSetting,
  replayResearch,
  researchShape,
  resumeResearch,
  runResearch,
} from './research/run.ts';
