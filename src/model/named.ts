import { isSondeError, messageOf, SondeError } from '../core/index.ts';
import { anthropicUrl, type Connection, isLocal, openaiUrl, originOf, presets } from './connection.ts';
import { extractive } from './extractive.ts';
import { findKnownModel } from './known-models.ts';
import type { Model, Tier } from './model.ts';
import { redact } from './redact.ts';
import type { Access, ModelPorts, ModelSettings } from './settings.ts';

/** Every way to write the name of a model. Help texts and errors show this list. */
export const modelForms: readonly (readonly [form: string, meaning: string])[] = Object.freeze([
  ['auto', 'the first that is configured'],
  ['extractive', 'no model: search, read and cite by a fixed policy'],
  ['anthropic[:MODEL]', 'the Anthropic API; a bare claude-... means the same'],
  ['openai[:MODEL]', 'the OpenAI API; a bare gpt-... means the same'],
  ['ollama:MODEL, lmstudio:MODEL, vllm:MODEL', 'a server on this machine, or where its address points'],
  ['openai-compatible:MODEL', 'any server that speaks Chat Completions, at OPENAI_BASE_URL'],
  ['claude-cli[:MODEL], codex-cli[:MODEL]', 'an installed command-line agent with its own login'],
  ['mcp', 'the model of the MCP client that called, where it offers sampling'],
  ['scripted:FILE', 'answers from a file of JSON lines, for tests and demonstrations'],
]);

/** The models that the bare name of a provider stands for. */
const tierModels = {
  anthropic: { planner: 'claude-sonnet-5-5', analyst: 'claude-haiku-5-5' },
  openai: { planner: 'gpt-6.1-sol', analyst: 'gpt-6.1-terra' },
} as const satisfies Record<string, Record<Tier, string>>;

/**
 * The model of a name that a user wrote; its provider is loaded for it. Throws `model_config` for a name of no known form, and where what the
 * named provider needs is not configured.
 */
export async function openNamedModel(
  written: string,
  tier: Tier,
  settings: ModelSettings,
  ports: ModelPorts,
): Promise<Model> {
  const [provider, id] = split(written.trim());
  const cli = { env: ports.env, ...sizes(settings), ...(ports.learned && { learned: ports.learned }) };
  switch (provider) {
    case 'extractive':
      return extractive;
    case 'scripted':
      return script(id ?? '', ports);
    case 'mcp':
      if (ports.sample) return (await import('./sampling.ts')).samplingModel(ports.sample, sizes(settings));
      throw unusable('mcp', 'the client that called offers no sampling', 'Configure a model of your own.');
    case 'claude-cli':
      return (await import('./claude-cli.ts')).claudeCli(id, {
        ...cli,
        command: settings.cli?.claude ?? ports.which('claude') ?? 'claude',
      });
    case 'codex-cli':
      return (await import('./codex-cli.ts')).codexCli(id, {
        ...cli,
        command: settings.cli?.codex ?? ports.which('codex') ?? 'codex',
      });
    case 'anthropic':
    case 'openai': {
      const access = settings[provider];
      const setting =
        access?.keySetting ?? (provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY');
      if (!access?.apiKey)
        throw unusable(written, `${setting} is not set`, `Set ${setting}, or name another model.`);
      const chosen = id ?? access.model ?? tierModels[provider][tier];
      const connection = connect(
        access,
        provider === 'anthropic' ? anthropicUrl : openaiUrl,
        settings,
        ports,
      );
      return provider === 'anthropic'
        ? (await import('./anthropic.ts')).anthropicModel(chosen, connection)
        : (await import('./openai.ts')).openaiModel(chosen, connection);
    }
    case 'ollama':
    case 'lmstudio':
    case 'vllm':
    case 'openai-compatible': {
      const access = settings[provider === 'openai-compatible' ? 'compatible' : provider] ?? {};
      const usual = provider === 'openai-compatible' ? undefined : presets[provider];
      const baseUrl = access.baseUrl ?? usual;
      if (!baseUrl)
        throw unusable(
          written,
          'no base URL is set',
          'Set OPENAI_BASE_URL to the address of the server, ending in /v1.',
        );
      const connection = connect(access, baseUrl, settings, ports);
      const chosen = id ?? access.model ?? (await findFirstServed(provider, connection));
      return (await import('./openai-compatible.ts')).openaiCompatibleModel(provider, chosen, connection);
    }
    default:
      throw new SondeError('model_config', {
        message: `"${written}" is not the name of a model that Sonde knows`,
        remedy: `Write one of: ${modelForms.map(([form]) => form).join(', ')}.`,
      });
  }
}

/**
 * The usual analyst of a named planner's own provider, where the table of prices says that it is cheaper.
 * Null also where the provider is reached at another address: nobody knows what is served there.
 */
export function cheaperOf(written: string, settings: ModelSettings): string | null {
  const [provider, id] = split(written.trim());
  if ((provider !== 'anthropic' && provider !== 'openai') || id === undefined) return null;
  const own = provider === 'anthropic' ? anthropicUrl : openaiUrl;
  const baseUrl = settings[provider]?.baseUrl ?? own;
  if (!URL.canParse(baseUrl) || originOf(baseUrl) !== originOf(own)) return null;
  const { analyst } = tierModels[provider];
  const [planned, cheap] = [findKnownModel(id)?.price, findKnownModel(analyst)?.price];
  const isCheaper = planned !== undefined && cheap !== undefined && cheap.output < planned.output;
  return isCheaper && cheap.input < planned.input ? `${provider}:${analyst}` : null;
}

/** `provider:model`, or a bare model id that can only be of one provider. */
function split(written: string): readonly [provider: string, id: string | undefined] {
  const colon = written.indexOf(':');
  if (colon >= 0) return [written.slice(0, colon), written.slice(colon + 1) || undefined];
  if (/^claude-(?!cli$)/.test(written)) return ['anthropic', written];
  if (/^(gpt-|o\d)/.test(written)) return ['openai', written];
  return [written, undefined];
}

function sizes({ contextWindow, maxOutput }: ModelSettings): Pick<Connection, 'contextWindow' | 'maxOutput'> {
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput }),
  };
}

function connect(access: Access, usual: string, settings: ModelSettings, ports: ModelPorts): Connection {
  const baseUrl = (access.baseUrl ?? usual).replace(/\/+$/, '');
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl))
    throw unusable(baseUrl, 'it is not an http address', 'Write the base URL like http://127.0.0.1:8000/v1.');
  return {
    baseUrl,
    fetch: ports.fetch,
    clock: ports.clock,
    ...(access.apiKey !== undefined && { apiKey: access.apiKey }),
    ...(access.headers && { headers: access.headers }),
    ...(access.keySetting !== undefined && { keySetting: access.keySetting }),
    ...(ports.learned && { learned: ports.learned }),
    ...(settings.thinking !== undefined && { thinking: settings.thinking }),
    ...sizes(settings),
  };
}

const listTimeoutMs = 3_000;

/** The first model that a server lists, for a server named without one. */
async function findFirstServed(provider: string, connection: Connection): Promise<string> {
  const why = (said: string) =>
    unusable(
      provider,
      said,
      `Start the server, or name the model: ${provider}:MODEL. It was asked at ${new URL(connection.baseUrl).origin}.`,
    );
  let listed: unknown;
  try {
    const response = await connection.fetch(`${connection.baseUrl}/models`, {
      headers: {
        ...connection.headers,
        ...(connection.apiKey && { authorization: `Bearer ${connection.apiKey}` }),
      },
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
  if (served.length > 1 && provider === 'openai-compatible' && !isLocal(connection.baseUrl))
    throw why(`it serves ${served.length} models and none is named`);
  return served[0];
}

async function script(path: string, ports: ModelPorts): Promise<Model> {
  if (path === '') throw unusable('scripted:', 'no file is named', 'Write scripted:FILE.');
  let text: string;
  try {
    text = ports.readFile(path);
  } catch (thrown) {
    throw unusable(`scripted:${path}`, messageOf(thrown), 'Check the path of the script.');
  }
  const { parseScript, scriptedModel } = await import('./scripted.ts');
  return scriptedModel(parseScript(text, path), `scripted:${path}`);
}

function unusable(name: string, why: string, remedy: string): SondeError {
  return new SondeError('model_config', {
    message: redact(`The model ${name} cannot be used: ${why}`),
    remedy,
  });
}
