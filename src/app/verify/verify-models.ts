/** Opens the model that decides the claims which the rules leave open. */
import type { Model } from '../../model/index.ts';
import { processEnvironment, type SettingKey } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openModels } from '../models/models.ts';
import { configure } from '../runs/watch.ts';
import { openVerifyReader, type VerifyReader } from './verify-reader.ts';

export interface ReaderRequest {
  /** Overrides of settings, as flags give them: `model`, `max_tokens`, `max_usd`. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Further limits. They can only lower those of the settings. */
  readonly max?: { readonly max_tokens?: number; readonly max_usd?: number };
  /** The folder whose `sonde.json` may lower limits. */
  readonly root: string;
  /** Which model decides: the setting `model`, or the analyst that goes with it. */
  readonly tier: 'named' | 'analyst';
  /** A model of the calling program, instead of a configured one. */
  readonly programModel?: Model;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
}

export interface ConfiguredReader extends VerifyReader {
  /** The name of the model. */
  readonly model: string;
}

/** Throws `model_config` for a named model that cannot be used, and `bad_argument` for a wrong limit. */
export async function openConfiguredReader(readerRequest: ReaderRequest): Promise<ConfiguredReader> {
  const { settings = {}, max = {}, root, tier, programModel, signal, onNote } = readerRequest;
  const configuration = configure(settings, root, { ...(onNote && { onNote }) });
  const { values } = configuration;
  const mask = openMasker(configuration);
  const model =
    programModel === undefined
      ? await openConfigured()
      : (await import('../../model/index.ts')).maskModel(programModel, mask);
  async function openConfigured(): Promise<Model> {
    const modelValues = tier === 'named' ? { ...values, analyst: values.model } : values;
    const { analyst } = await openModels(modelValues, processEnvironment(), mask);
    for (const note of analyst.passedOver) onNote?.(note);
    return analyst.model;
  }
  const reader = openVerifyReader({
    model,
    maxTokens: Math.min(values.max_tokens, max.max_tokens ?? Infinity),
    maxUsd: Math.min(values.max_usd, max.max_usd ?? Infinity),
    ...(values.prices !== undefined && { prices: values.prices }),
    ...(signal !== undefined && { signal }),
  });
  return { ...reader, model: model.name };
}
