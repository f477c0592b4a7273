import { failure } from './call/failure.ts';
import type { Model } from './model.ts';

/** The name under which Sonde runs without a model: it searches, reads and cites by a fixed policy, and says so. */
export const extractiveName = 'extractive';

/** A placeholder for code that expects a model. Code that can work without a model checks `isExtractive` first. */
export const extractive: Model = Object.freeze({
  name: extractiveName,
  real: false,
  local: true,
  maxOutput: 0,
  contextWindow: 0,
  generate: async () =>
    failure('no_model', { provider: extractiveName, model: extractiveName, secrets: [], detail: '' }, 'none'),
});

export function isExtractive(model: Pick<Model, 'name'>): boolean {
  return model.name === extractiveName;
}
