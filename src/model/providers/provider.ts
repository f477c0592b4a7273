/**
 * The contract of a provider of models: how to write the names of its models, its settings, when `auto` uses it, and
 * how to open one of its models. A new provider needs only a folder with such a `provider.ts`. `npm run docs` generates
 * the settings, the listing and the documentation from it.
 *
 * An implementer must not: import at the top what opens a model (`open` loads it), read the environment, or reach
 * outside except by the ports.
 */
import type { DeclaredSettings, SettingValues } from '../../core/index.ts';
import type { Model, Tier } from '../model.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';

/** A name as a user wrote it. */
export interface NamedModel {
  /** The whole name: `ollama:qwen3:8b`. */
  readonly written: string;
  /** The part after the provider's name; absent if only the provider is named. */
  readonly id: string | undefined;
  readonly tier: Tier;
}

/** A line of `sonde doctor`. */
export type ProviderCheck =
  /** Tests whether a server answers at the address. No key is sent: that could cost money, or lock an account. */
  | { readonly kind: 'reach'; readonly name: string; readonly address: string }
  | { readonly kind: 'ok'; readonly name: string; readonly found: string }
  | { readonly kind: 'off'; readonly name: string; readonly found: string; readonly remedy: string };

export interface CheckFacts extends Pick<ModelPorts, 'which'> {
  /** For each setting, where its value came from. */
  readonly sources: Readonly<Record<string, string>>;
}

/** The user's settings of models, including those of this provider. */
export type SettingsOf<Declared extends DeclaredSettings> = ModelSettings<SettingValues<Declared>>;

export interface Provider<Declared extends DeclaredSettings = DeclaredSettings> {
  /** The name of its folder. */
  readonly name: string;
  /** How to write the name of its models, and what it means, for help and docs/cli.md: `anthropic[:MODEL]`. */
  readonly form: string;
  readonly meaning: string;
  /** Matches model ids that only this provider has, so that a user may omit the name of the provider. */
  readonly bare?: RegExp;
  /** Its place in the order of `auto`: the lowest comes first. Null: it is used by name only. */
  readonly autoOrder: number | null;
  readonly settings: Declared;
  /** Why `auto` may use it, as a text for people; null if it is not configured. */
  whyAuto(settings: SettingsOf<Declared>, ports: ModelPorts): string | null;
  /** Throws `model_config` if what it needs isn't there. */
  open(named: NamedModel, settings: SettingsOf<Declared>, ports: ModelPorts): Promise<Model>;
  /** The id of its default analyst if that is known to be cheaper than the model `id`; null otherwise. */
  cheaperAnalyst?(id: string, settings: SettingsOf<Declared>): Promise<string | null>;
  check?(settings: SettingsOf<Declared>, facts: CheckFacts): ProviderCheck | null;
}

/**
 * Erases the types of the settings, which only the provider's own file knows. `Read`: settings that it reads but
 * another provider declares.
 */
export function defineProvider<
  const Declared extends DeclaredSettings,
  Read extends DeclaredSettings = Declared,
>(provider: Omit<Provider<Read>, 'settings'> & { readonly settings: Declared }): Provider {
  return Object.freeze(provider) as unknown as Provider;
}
