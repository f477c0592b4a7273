import { isSondeError } from '../core/index.ts';
import { extractive } from './extractive.ts';
import type { Model, Tier } from './model.ts';
import { anyOf, cheaperOf, openNamedModel } from './named.ts';
import { providers } from './providers/providers.ts';
import type { ModelPorts, ModelSettings } from './settings.ts';

/** A model, and why it is this one: a sentence for people. */
export interface Choice {
  readonly model: Model;
  readonly why: string;
  /** Models that come first and could not be used, each with the reason. */
  readonly passedOver: readonly string[];
}

export interface Choices {
  readonly planner: Choice;
  readonly analyst: Choice;
}

/**
 * The models of both tiers. A name is used as written, or fails loudly; `auto`, the default, takes the first
 * that is configured and says which. Throws `model_config`.
 */
export async function chooseModels(settings: ModelSettings, ports: ModelPorts): Promise<Choices> {
  const planner = await choose('planner', settings, ports);
  const same = (settings.analyst ?? settings.model) === (settings.planner ?? settings.model);
  // A script is one sequence of answers, shared by both tiers.
  const shared = same && planner.model.name.startsWith('scripted:');
  if (shared) return { planner, analyst: planner };
  const cheaper =
    settings.analyst === undefined
      ? await cheaperOf(settings.planner ?? settings.model ?? '', settings)
      : null;
  if (cheaper === null) return { planner, analyst: await choose('analyst', settings, ports) };
  const model = await openNamedModel(cheaper, 'analyst', settings, ports);
  return { planner, analyst: { model, why: 'the cheaper model of the same provider', passedOver: [] } };
}

async function choose(tier: Tier, settings: ModelSettings, ports: ModelPorts): Promise<Choice> {
  const written = settings[tier] ?? settings.model;
  if (written !== undefined && written !== '' && written !== 'auto')
    return {
      model: await openNamedModel(written, tier, settings, ports),
      why: `configured as ${written}`,
      passedOver: [],
    };
  const passedOver: string[] = [];
  // Providers are in the order in which `auto` tries them.
  for (const load of Object.values(providers)) {
    const provider = await load();
    const why = provider.autoOrder === null ? null : provider.whyAuto(anyOf(settings), ports);
    if (why === null) continue;
    try {
      const named = { written: provider.name, id: undefined, tier };
      return { model: await provider.open(named, anyOf(settings), ports), why, passedOver };
    } catch (thrown) {
      if (!isSondeError(thrown, 'model_config')) throw thrown;
      passedOver.push(thrown.message);
    }
  }
  return { model: extractive, why: 'no model is configured', passedOver };
}
