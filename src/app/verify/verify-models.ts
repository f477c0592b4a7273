/** Opens the configured model that decides the claims which the rules could not decide. */
import type { Model } from '../../model/index.ts';
import { processEnvironment, type SettingKey } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openModels } from '../models/models.ts';
import { configure } from '../runs/watch.ts';
import { type OpenVerifyReader, openVerifyReader } from './verify-reader.ts';

export interface ReaderRequest {
  /** As flags give them: `model`, `max_tokens`, `max_usd`. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Lowers the limits of the settings, but never raises them. */
  readonly max?: { readonly max_tokens?: number; readonly max_usd?: number };
  /** The folder whose `sonde.json` may lower limits. */
  readonly root: string;
  /** Which model decides: the setting `model`, or the analyst that goes with it. */
  readonly tier: 'named' | 'analyst';
  /** A model of the calling program, instead of a configured one. */
  readonly own?: Model;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
}

export interface ConfiguredReader extends OpenVerifyReader {
  /** The name of the model. */
  readonly model: string;
}

/** Throws `model_config` for a named model that cannot be used, and `bad_argument` for a wrong limit. */
export async function openConfiguredReader(readerRequest: ReaderRequest): Promise<ConfiguredReader> {
  const { settings = {}, max = {}, root, tier, own, signal, onNote } = readerRequest;
  const configuration = configure(settings, root, { ...(onNote && { onNote }) });
  const { values } = configuration;
  const mask = openMasker(configuration);
  const model =
    own === undefined ? await openConfigured() : (await import('../../model/index.ts')).maskModel(own, mask);
  async function openConfigured(): Promise<Model> {
    const chosen = tier === 'named' ? { ...values, analyst: values.model } : values;
    const { analyst } = await openModels(chosen, processEnvironment(), mask);
    for (const passed of analyst.passedOver) onNote?.(passed);
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
