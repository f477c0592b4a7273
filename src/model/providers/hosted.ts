/** Shared by providers with an address: makes the connection, and finds a default model. */
import { type HiddenKey, isSondeError } from '../../core/index.ts';
import { type Connection, isLocal, originOf } from '../connection.ts';
import { findKnownModel } from '../known-models.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';
import { unusableModelError } from './unusable-model.ts';

export interface Access {
  readonly baseUrl: string;
  readonly key?: HiddenKey | undefined;
  /** The variable of the key, as the remedy names it: `ANTHROPIC_API_KEY`. */
  readonly keySetting?: string;
  /** Whether the service bills nobody by the token. */
  readonly free?: true;
  readonly howToList?: string;
}

/** The sizes that a user set for models that the table of known models does not have. */
export const pickSizes = ({
  contextWindow,
  maxOutput,
}: ModelSettings<unknown>): Pick<Connection, 'contextWindow' | 'maxOutput'> => ({
  ...(contextWindow !== undefined && { contextWindow }),
  ...(maxOutput !== undefined && { maxOutput }),
});

/** Throws `model_config` for an invalid address. */
export function createConnection(
  { key, ...access }: Access,
  settings: ModelSettings<unknown>,
  ports: ModelPorts,
): Connection {
  const baseUrl = access.baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl))
    throw unusableModelError(
      baseUrl,
      'it is not an http address',
      'Write the base URL like http://127.0.0.1:8000/v1.',
    );
  const apiKey = key?.reveal();
  return {
    ...access,
    baseUrl,
    fetch: ports.fetch,
    clock: ports.clock,
    ...(apiKey !== undefined && { apiKey }),
    ...(ports.learned && { learned: ports.learned }),
    ...(settings.thinking !== undefined && { thinking: settings.thinking }),
    ...pickSizes(settings),
  };
}

/** Throws `model_config` if the key is missing. */
export function requireKey(key: HiddenKey | undefined, modelName: string, keySetting: string): HiddenKey {
  if (key?.reveal()) return key;
  throw unusableModelError(
    modelName,
    `${keySetting} is not set`,
    `Set ${keySetting}, or name another model.`,
  );
}

/**
 * The default analyst if the price table says that it is cheaper than the planner. Null for any other address than the
 * provider's own, since prices are not known there.
 */
export function cheaperAnalyst(
  analyst: string,
  { id, own, baseUrl = own }: { id: string; own: string; baseUrl: string | undefined },
): string | null {
  if (!URL.canParse(baseUrl) || originOf(baseUrl) !== originOf(own)) return null;
  const [plannerPrice, analystPrice] = [findKnownModel(id)?.price, findKnownModel(analyst)?.price];
  const isCheaper =
    plannerPrice !== undefined && analystPrice !== undefined && analystPrice.output < plannerPrice.output;
  return isCheaper && analystPrice.input < plannerPrice.input ? analyst : null;
}

const listTimeoutMs = 3_000;

/** The first model that a server lists, for a server named without one. */
export async function findFirstServed(provider: string, connection: Connection): Promise<string> {
  const { baseUrl, apiKey, headers, free = false } = connection;
  const createError = (detail: string) =>
    unusableModelError(
      provider,
      detail,
      `Start the server, or name the model: ${provider}:MODEL. It was asked at ${new URL(baseUrl).origin}.`,
    );
  let responseBody: unknown;
  try {
    const response = await connection.fetch(`${baseUrl}/models`, {
      headers: { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(listTimeoutMs),
    });
    if (!response.ok) throw createError(`its list of models answers ${response.status}`);
    responseBody = await response.json();
  } catch (thrown) {
    throw isSondeError(thrown) ? thrown : createError('its list of models cannot be read');
  }
  const rows = (responseBody as { data?: unknown } | null)?.data;
  const ids = (Array.isArray(rows) ? rows : []).map((row: unknown) => (row as { id?: unknown } | null)?.id);
  // Embedding models can't answer.
  const servedIds = ids.filter((id): id is string => typeof id === 'string' && !/embed/i.test(id));
  if (servedIds[0] === undefined) throw createError('it serves no model');
  // On the user's own server any model will do. The first of a provider's list is arbitrary and may be expensive.
  if (servedIds.length > 1 && !free && !isLocal(baseUrl))
    throw createError(`it serves ${servedIds.length} models and none is named`);
  return servedIds[0];
}
