/**
 * What a provider of models is to the program: how its models are written, its settings, when `auto` takes it, and how one
 * of its models is opened. A folder with such a `provider.ts` is all that a new provider needs: the settings, the listing,
 * `sonde doctor` and the documentation follow from it (`npm run docs` writes them down).
 *
 * Its author must not: import here what opens a model (it is loaded where one is opened), look at the environment, or
 * reach outside but by the ports.
 */
import type { DeclaredSettings, SettingValues } from '../../core/index.ts';
import type { Model, Tier } from '../model.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';

/** A name as a user wrote it. */
export interface NamedModel {
  /** All of it: `ollama:qwen3:8b`. */
  readonly written: string;
  /** The part after the provider's name; absent if only the provider is named. */
  readonly id: string | undefined;
  readonly tier: Tier;
}

/** A line of `sonde doctor`. */
export type ProviderCheck =
  /** Whether anything answers there. A key is never sent: that would cost, or lock an account. */
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
  /** How its models are written, and what that means, as help and docs/cli.md have it: `anthropic[:MODEL]`. */
  readonly form: string;
  readonly meaning: string;
  /** Ids that can only be its own, and so need no provider before them. */
  readonly bare?: RegExp;
  /** When `auto` looks at it: the lowest comes first. Null: never, it is used by name alone. */
  readonly autoOrder: number | null;
  readonly settings: Declared;
  /** Why `auto` may take it, as people are told; null if nothing says so. */
  whyAuto(settings: SettingsOf<Declared>, ports: ModelPorts): string | null;
  /** Throws `model_config` if what it needs isn't there. */
  open(named: NamedModel, settings: SettingsOf<Declared>, ports: ModelPorts): Promise<Model>;
  /** The id of its usual analyst, where that is known to be cheaper than the model of this id. */
  cheaperAnalyst?(id: string, settings: SettingsOf<Declared>): Promise<string | null>;
  check?(settings: SettingsOf<Declared>, facts: CheckFacts): ProviderCheck | null;
}

/**
 * Opens one provider like the others: the types of its settings are known only to its own file. `Read` are settings
 * that it reads and another provider declares.
 */
export function defineProvider<
  const Declared extends DeclaredSettings,
  Read extends DeclaredSettings = Declared,
>(provider: Omit<Provider<Read>, 'settings'> & { readonly settings: Declared }): Provider {
  return Object.freeze(provider) as unknown as Provider;
}
