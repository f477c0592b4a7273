import { SondeError } from '../core/index.ts';
import { extractive, extractiveName } from './extractive.ts';
import type { Model, Tier } from './model.ts';
import type { Provider, SettingsOf } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import { providerForms } from './providers/settings.ts';
import type { ModelPorts, ModelSettings } from './settings.ts';

/** Every way to write the name of a model. Help texts and errors show this list. */
export const modelForms: readonly (readonly [form: string, meaning: string])[] = Object.freeze([
  ['auto', 'the first that is configured'],
  [extractiveName, 'no model: search, read and cite by a fixed policy'],
  ...providerForms.map(({ form, meaning }) => [form, meaning] as const),
]);

/** Casts the settings: only a provider's own folder knows their types. */
export const toProviderSettings = (settings: ModelSettings): SettingsOf<Provider['settings']> =>
  settings as never;

/**
 * Opens the model that a user named, and loads its provider. Throws `model_config` for a name of unknown form, or if
 * the provider is not configured.
 */
export async function openNamedModel(
  modelName: string,
  tier: Tier,
  settings: ModelSettings,
  ports: ModelPorts,
): Promise<Model> {
  const [name, id] = splitName(modelName.trim());
  if (name === extractiveName) return extractive;
  const provider = await loadProvider(name);
  if (provider !== undefined)
    return provider.open({ written: modelName, id, tier }, toProviderSettings(settings), ports);
  throw new SondeError('model_config', {
    message: `"${modelName}" is not the name of a model that Sonde knows`,
    remedy: `Write one of: ${modelForms.map(([form]) => form).join(', ')}.`,
  });
}

/** The provider's default analyst if it is known to be cheaper than the named planner; null otherwise. */
export async function findCheaperAnalyst(modelName: string, settings: ModelSettings): Promise<string | null> {
  const [name, id] = splitName(modelName.trim());
  if (id === undefined) return null;
  const provider = await loadProvider(name);
  const analyst = (await provider?.cheaperAnalyst?.(id, toProviderSettings(settings))) ?? null;
  return analyst === null ? null : `${name}:${analyst}`;
}

const loadProvider = async (name: string): Promise<Provider | undefined> =>
  Object.hasOwn(providers, name) ? providers[name]!() : undefined;

/** Splits `provider:model`. A bare model id gets the only provider that it can belong to. */
function splitName(modelName: string): readonly [provider: string, id: string | undefined] {
  const colon = modelName.indexOf(':');
  if (colon >= 0) return [modelName.slice(0, colon), modelName.slice(colon + 1) || undefined];
  const owner = providerForms.find(({ bare }) => bare?.test(modelName));
  return owner === undefined ? [modelName, undefined] : [owner.name, modelName];
}
