/** Opens the models of a run. Notes say which models were skipped or chosen. */
import type { Choices } from '../../model/index.ts';
import { type Configuration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openModels } from '../models/models.ts';
import { storableModelName } from './kept-run.ts';
import type { CallerParts, OfferedModel } from './run-kind.ts';
import type { Watch } from './watch.ts';

export interface RunModels {
  readonly models: {
    readonly planner: Choices['planner']['model'];
    readonly analyst: Choices['analyst']['model'];
    readonly prices: Configuration['values']['prices'];
  };
  /** Maximum calls if the caller's own model answers them; null for other models. */
  readonly calls: number | null;
}

const freePrices = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

export async function openRunModels(
  configuration: Configuration,
  { onNote }: Pick<Watch, 'onNote'>,
  {
    offered,
    callerParts,
  }: { readonly offered?: OfferedModel | undefined; readonly callerParts?: CallerParts['models'] },
): Promise<RunModels> {
  if (callerParts !== undefined) return maskCallerModels(configuration, callerParts);
  const values = { ...configuration.values, model: storableModelName(configuration.values.model) };
  const { planner, analyst } = await openModels(
    values,
    processEnvironment(),
    openMasker(configuration),
    offered?.sample,
  );
  for (const note of planner.passedOver) onNote?.(note);
  if (configuration.values.model === 'auto') onNote?.(`model ${planner.model.name}: ${planner.why}`);
  const isAnalystChosen =
    configuration.values.analyst === undefined && analyst.model.name !== planner.model.name;
  if (isAnalystChosen) onNote?.(`analyst ${analyst.model.name}: ${analyst.why}`);
  const isCallersModel = planner.model.name === 'mcp';
  return {
    models: {
      planner: planner.model,
      analyst: analyst.model,
      // The caller pays for its own model, so it counts as free.
      prices: isCallersModel ? { ...values.prices, mcp: freePrices } : values.prices,
    },
    calls: isCallersModel ? (offered?.calls ?? null) : null,
  };
}

/** Wraps models that the program passed in, so that secrets are masked as for configured ones. */
export async function maskCallerModels(
  configuration: Configuration,
  { planner, analyst }: NonNullable<CallerParts['models']>,
): Promise<RunModels> {
  const { maskModel } = await import('../../model/index.ts');
  const mask = openMasker(configuration);
  const maskedPlanner = maskModel(planner, mask);
  return {
    models: {
      planner: maskedPlanner,
      analyst: analyst === planner ? maskedPlanner : maskModel(analyst, mask),
      prices: configuration.values.prices,
    },
    calls: null,
  };
}
