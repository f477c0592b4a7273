/** Opens the configured embedding model for the search, or none. */
import { SondeError } from '../../core/index.ts';
import { ollamaAddress } from '../../model/providers/ollama/address.ts';
import type { Embedder } from '../../search/index.ts';
import type { Values } from '../config/index.ts';

const defaultOpenaiUrl = 'https://api.openai.com/v1';
const defaultOllamaUrl = 'http://127.0.0.1:11434/v1';

/** Splits `provider:model`. Both parts are empty if the text has another form. */
const splitModelName = (modelName: string): readonly [provider: string, model: string] => {
  const [, provider = '', model = ''] = /^([^:]+):(.+)$/.exec(modelName) ?? [];
  return [provider, model];
};

/** The base URL of the configured embedding model; null if the model runs in this process. */
export function embeddingsAddress(values: Values): string | null {
  return findEndpoint(splitModelName(values.embeddings)[0], values)?.baseUrl ?? null;
}

/**
 * Returns the URL and the key of a provider; null for other providers. The OpenAI key is sent only to the OpenAI URL,
 * never to a URL that is set for embeddings.
 */
function findEndpoint(provider: string, values: Values): { baseUrl: string; apiKey?: string } | null {
  const configuredUrl = values.embeddings_base_url;
  const configuredKey = values.embeddings_api_key?.reveal();
  if (provider === 'ollama') {
    const { ollama_host: host } = values;
    return { baseUrl: configuredUrl ?? (host === undefined ? defaultOllamaUrl : ollamaAddress(host)) };
  }
  if (provider !== 'openai' && provider !== 'openai-compatible') return null;
  const baseUrl =
    configuredUrl ?? values.openai_base_url ?? (provider === 'openai' ? defaultOpenaiUrl : undefined);
  if (baseUrl === undefined)
    throw new SondeError('bad_config', {
      message: `embeddings is ${values.embeddings}, and no address is set`,
      remedy: 'Set SONDE_EMBEDDINGS_URL or OPENAI_BASE_URL to the address of the server, ending in /v1.',
    });
  const apiKey = configuredKey ?? (configuredUrl === undefined ? values.openai_api_key?.reveal() : undefined);
  return { baseUrl, ...(apiKey !== undefined && { apiKey }) };
}

/** Throws `bad_config` for a malformed name. Does not check whether the model works. */
export async function openEmbedder(values: Values): Promise<Embedder | undefined> {
  if (values.embeddings === 'off') return undefined;
  const [provider, model] = splitModelName(values.embeddings);
  const { openAiEmbedder, transformersEmbedder } = await import('../../search/embedders.ts');
  if (provider === 'local') return transformersEmbedder({ model });
  const endpoint = findEndpoint(provider, values);
  if (endpoint !== null) return openAiEmbedder({ model, ...endpoint });
  throw new SondeError('bad_config', {
    message: `embeddings is ${JSON.stringify(values.embeddings)}, which is no embedding model that Sonde knows`,
    remedy: 'Write off, openai:MODEL, openai-compatible:MODEL, ollama:MODEL or local:MODEL.',
  });
}
