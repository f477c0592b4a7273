import { isSondeError } from '../core/index.ts';
import { extractive } from './extractive.ts';
import type { Model, Tier } from './model.ts';
import { findCheaperAnalyst, openNamedModel, toProviderSettings } from './model-names.ts';
import { providers } from './providers/providers.ts';
import type { ModelPorts, ModelSettings } from './settings.ts';

/** A model, and a sentence that says why it was chosen. */
export interface Choice {
  readonly model: Model;
  readonly why: string;
  /** The error messages of models that come earlier in the order and could not be opened. */
  readonly passedOver: readonly string[];
}

export interface Choices {
  readonly planner: Choice;
  readonly analyst: Choice;
}

/**
 * Chooses the models of both tiers. A name must be usable as it is written. `auto`, the default, takes the first model
 * that is configured. Throws `model_config`.
 */
export async function chooseModels(settings: ModelSettings, ports: ModelPorts): Promise<Choices> {
  const planner = await choose('planner', settings, ports);
  const isSameModel = (settings.analyst ?? settings.model) === (settings.planner ?? settings.model);
  // A script is one sequence of answers, shared by both tiers.
  const isSharedScript = isSameModel && planner.model.name.startsWith('scripted:');
  if (isSharedScript) return { planner, analyst: planner };
  const cheaperAnalyst =
    settings.analyst === undefined
      ? await findCheaperAnalyst(settings.planner ?? settings.model ?? '', settings)
      : null;
  if (cheaperAnalyst === null) return { planner, analyst: await choose('analyst', settings, ports) };
  const model = await openNamedModel(cheaperAnalyst, 'analyst', settings, ports);
  return { planner, analyst: { model, why: 'the cheaper model of the same provider', passedOver: [] } };
}

async function choose(tier: Tier, settings: ModelSettings, ports: ModelPorts): Promise<Choice> {
  const modelName = settings[tier] ?? settings.model;
  if (modelName !== undefined && modelName !== '' && modelName !== 'auto')
    return {
      model: await openNamedModel(modelName, tier, settings, ports),
      why: `configured as ${modelName}`,
      passedOver: [],
    };
  const passedOver: string[] = [];
  // Providers are in the order in which `auto` tries them.
  for (const load of Object.values(providers)) {
    const provider = await load();
    const why = provider.autoOrder === null ? null : provider.whyAuto(toProviderSettings(settings), ports);
    if (why === null) continue;
    try {
      const namedModel = { written: provider.name, id: undefined, tier };
      return { model: await provider.open(namedModel, toProviderSettings(settings), ports), why, passedOver };
    } catch (thrown) {
      if (!isSondeError(thrown, 'model_config')) throw thrown;
      passedOver.push(thrown.message);
    }
  }
  return { model: extractive, why: 'no model is configured', passedOver };
}
