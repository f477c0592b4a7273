/** Opens the models of a run from the configuration. Notes say what was passed over or chosen. */
import type { Choices } from '../../model/index.ts';
import { type Configuration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openModels } from '../models/models.ts';
import { modelToKeep } from './kept-run.ts';
import type { CallerParts, OfferedModel } from './run-kind.ts';
import type { Watch } from './watch.ts';

export interface RunModels {
  readonly models: {
    readonly planner: Choices['planner']['model'];
    readonly analyst: Choices['analyst']['model'];
    readonly prices: Configuration['values']['prices'];
  };
  /** Maximum calls, if the caller's own model answers them. */
  readonly calls: number | null;
}

const free = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

export async function openRunModels(
  configuration: Configuration,
  { onNote }: Pick<Watch, 'onNote'>,
  {
    offered,
    callerParts,
  }: { readonly offered?: OfferedModel | undefined; readonly callerParts?: CallerParts['models'] },
): Promise<RunModels> {
  if (callerParts !== undefined) return maskCallerModels(configuration, callerParts);
  const values = { ...configuration.values, model: modelToKeep(configuration.values.model) };
  const { planner, analyst } = await openModels(
    values,
    processEnvironment(),
    openMasker(configuration),
    offered?.sample,
  );
  for (const passed of planner.passedOver) onNote?.(passed);
  if (configuration.values.model === 'auto') onNote?.(`model ${planner.model.name}: ${planner.why}`);
  const isChosen = configuration.values.analyst === undefined && analyst.model.name !== planner.model.name;
  if (isChosen) onNote?.(`analyst ${analyst.model.name}: ${analyst.why}`);
  const lent = planner.model.name === 'mcp';
  return {
    models: {
      planner: planner.model,
      analyst: analyst.model,
      // The cost of the caller's own model is between the caller and its provider.
      prices: lent ? { ...values.prices, mcp: free } : values.prices,
    },
    calls: lent ? (offered?.calls ?? null) : null,
  };
}

/** Masks secrets in texts to and from models that the program passed in, as for configured ones. */
export async function maskCallerModels(
  configuration: Configuration,
  { planner, analyst }: NonNullable<CallerParts['models']>,
): Promise<RunModels> {
  const { maskModel } = await import('../../model/index.ts');
  const mask = openMasker(configuration);
  const hidden = maskModel(planner, mask);
  return {
    models: {
      planner: hidden,
      analyst: analyst === planner ? hidden : maskModel(analyst, mask),
      prices: configuration.values.prices,
    },
    calls: null,
  };
}
