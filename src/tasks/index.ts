export type { Material } from './research/material.ts';
export { replayResearch } from './research/replay.ts';
export { resumeResearch, runResearch } from './research/run.ts';
