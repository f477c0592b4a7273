/** Shared by providers with an address: the connection, and the default model. */
import { type HiddenKey, isSondeError } from '../../core/index.ts';
import { type Connection, isLocal, originOf } from '../connection.ts';
import { findKnownModel } from '../known-models.ts';
import type { ModelPorts, ModelSettings } from '../settings.ts';
import { unusable } from './unusable.ts';

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
export const sizes = ({
  contextWindow,
  maxOutput,
}: ModelSettings<unknown>): Pick<Connection, 'contextWindow' | 'maxOutput'> => ({
  ...(contextWindow !== undefined && { contextWindow }),
  ...(maxOutput !== undefined && { maxOutput }),
});

/** Throws `model_config` for an address that is none. */
export function connectionTo(
  { key, ...access }: Access,
  settings: ModelSettings<unknown>,
  ports: ModelPorts,
): Connection {
  const baseUrl = access.baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl))
    throw unusable(baseUrl, 'it is not an http address', 'Write the base URL like http://127.0.0.1:8000/v1.');
  const apiKey = key?.reveal();
  return {
    ...access,
    baseUrl,
    fetch: ports.fetch,
    clock: ports.clock,
    ...(apiKey !== undefined && { apiKey }),
    ...(ports.learned && { learned: ports.learned }),
    ...(settings.thinking !== undefined && { thinking: settings.thinking }),
    ...sizes(settings),
  };
}

/** A key that a model can't be opened without. */
export function needKey(key: HiddenKey | undefined, written: string, keySetting: string): HiddenKey {
  if (key?.reveal()) return key;
  throw unusable(written, `${keySetting} is not set`, `Set ${keySetting}, or name another model.`);
}

/**
 * The usual analyst model if the table of prices says that it is cheaper than the planner. Null at any other address
 * than the provider's own, where prices are not known.
 */
export function cheaperAnalyst(
  analyst: string,
  { id, own, baseUrl = own }: { id: string; own: string; baseUrl: string | undefined },
): string | null {
  if (!URL.canParse(baseUrl) || originOf(baseUrl) !== originOf(own)) return null;
  const [planned, cheap] = [findKnownModel(id)?.price, findKnownModel(analyst)?.price];
  const isCheaper = planned !== undefined && cheap !== undefined && cheap.output < planned.output;
  return isCheaper && cheap.input < planned.input ? analyst : null;
}

const listTimeoutMs = 3_000;

/** The first model that a server lists, for a server named without one. */
export async function findFirstServed(provider: string, connection: Connection): Promise<string> {
  const { baseUrl, apiKey, headers, free = false } = connection;
  const why = (said: string) =>
    unusable(
      provider,
      said,
      `Start the server, or name the model: ${provider}:MODEL. It was asked at ${new URL(baseUrl).origin}.`,
    );
  let listed: unknown;
  try {
    const response = await connection.fetch(`${baseUrl}/models`, {
      headers: { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      redirect: 'manual',
      signal: AbortSignal.timeout(listTimeoutMs),
    });
    if (!response.ok) throw why(`its list of models answers ${response.status}`);
    listed = await response.json();
  } catch (thrown) {
    throw isSondeError(thrown) ? thrown : why('its list of models cannot be read');
  }
  const rows = (listed as { data?: unknown } | null)?.data;
  const ids = (Array.isArray(rows) ? rows : []).map((row: unknown) => (row as { id?: unknown } | null)?.id);
  // An embedding model in the list answers no question.
  const served = ids.filter((id): id is string => typeof id === 'string' && !/embed/i.test(id));
  if (served[0] === undefined) throw why('it serves no model');
  // On a machine of the user's own any is right; of a catalogue the first is chance, and may be dear.
  if (served.length > 1 && !free && !isLocal(baseUrl))
    throw why(`it serves ${served.length} models and none is named`);
  return served[0];
}
