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

/** The types of a provider's settings are known only to its folder. */
export const anyOf = (settings: ModelSettings): SettingsOf<Provider['settings']> => settings as never;

/**
 * The model of a name that a user wrote; its provider is loaded for it. Throws `model_config` for a name of no known
 * form, and where what the named provider needs is not configured.
 */
export async function openNamedModel(
  written: string,
  tier: Tier,
  settings: ModelSettings,
  ports: ModelPorts,
): Promise<Model> {
  const [name, id] = split(written.trim());
  if (name === extractiveName) return extractive;
  const provider = await loadProvider(name);
  if (provider !== undefined) return provider.open({ written, id, tier }, anyOf(settings), ports);
  throw new SondeError('model_config', {
    message: `"${written}" is not the name of a model that Sonde knows`,
    remedy: `Write one of: ${modelForms.map(([form]) => form).join(', ')}.`,
  });
}

/** The usual analyst of a named planner's own provider, where that is known to be cheaper. */
export async function cheaperOf(written: string, settings: ModelSettings): Promise<string | null> {
  const [name, id] = split(written.trim());
  if (id === undefined) return null;
  const provider = await loadProvider(name);
  const analyst = (await provider?.cheaperAnalyst?.(id, anyOf(settings))) ?? null;
  return analyst === null ? null : `${name}:${analyst}`;
}

const loadProvider = async (name: string): Promise<Provider | undefined> =>
  Object.hasOwn(providers, name) ? providers[name]!() : undefined;

/** `provider:model`, or a bare model id that can only be of one provider. */
function split(written: string): readonly [provider: string, id: string | undefined] {
  const colon = written.indexOf(':');
  if (colon >= 0) return [written.slice(0, colon), written.slice(colon + 1) || undefined];
  const owner = providerForms.find(({ bare }) => bare?.test(written));
  return owner === undefined ? [written, undefined] : [owner.name, written];
}
