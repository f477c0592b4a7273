/** Opens the configured embedding model for the search, or none. */
import { SondeError } from '../../core/index.ts';
import { ollamaAddress } from '../../model/providers/ollama/address.ts';
import type { Embedder } from '../../search/index.ts';
import type { Values } from '../config/index.ts';

const usualOpenai = 'https://api.openai.com/v1';
const usualOllama = 'http://127.0.0.1:11434/v1';

/** Splits `provider:model`. Both are empty if the text has another form. */
const parts = (written: string): readonly [provider: string, model: string] => {
  const [, provider = '', model = ''] = /^([^:]+):(.+)$/.exec(written) ?? [];
  return [provider, model];
};

/** The address of the configured model; null if it is no server. */
export function embeddingsAddress(values: Values): string | null {
  return endpointOf(parts(values.embeddings)[0], values)?.baseUrl ?? null;
}

/** Address and key of the provider. A key is sent only to its own address, or to that of the OpenAI key. */
function endpointOf(provider: string, values: Values): { baseUrl: string; apiKey?: string } | null {
  const own = values.embeddings_base_url;
  const ownKey = values.embeddings_api_key?.reveal();
  if (provider === 'ollama') {
    const { ollama_host: host } = values;
    return { baseUrl: own ?? (host === undefined ? usualOllama : ollamaAddress(host)) };
  }
  if (provider !== 'openai' && provider !== 'openai-compatible') return null;
  const baseUrl = own ?? values.openai_base_url ?? (provider === 'openai' ? usualOpenai : undefined);
  if (baseUrl === undefined)
    throw new SondeError('bad_config', {
      message: `embeddings is ${values.embeddings}, and no address is set`,
      remedy: 'Set SONDE_EMBEDDINGS_URL or OPENAI_BASE_URL to the address of the server, ending in /v1.',
    });
  const apiKey = ownKey ?? (own === undefined ? values.openai_api_key?.reveal() : undefined);
  return { baseUrl, ...(apiKey !== undefined && { apiKey }) };
}

/** Throws `bad_config` for a malformed name. Whether the model works shows when it is used. */
export async function openEmbedder(values: Values): Promise<Embedder | undefined> {
  if (values.embeddings === 'off') return undefined;
  const [provider, model] = parts(values.embeddings);
  const { openAiEmbedder, transformersEmbedder } = await import('../../search/embedders.ts');
  if (provider === 'local') return transformersEmbedder({ model });
  const endpoint = endpointOf(provider, values);
  if (endpoint !== null) return openAiEmbedder({ model, ...endpoint });
  throw new SondeError('bad_config', {
    message: `embeddings is ${JSON.stringify(values.embeddings)}, which is no embedding model that Sonde knows`,
    remedy: 'Write off, openai:MODEL, openai-compatible:MODEL, ollama:MODEL or local:MODEL.',
  });
}
