import { isSondeError } from '../core/index.ts';
import { openaiUrl, originOf } from './connection.ts';
import { extractive } from './extractive.ts';
import type { Model, Tier } from './model.ts';
import { cheaperOf, openNamedModel } from './named.ts';
import type { ModelPorts, ModelSettings } from './settings.ts';

/** A model, and why it is this one: a sentence for people. */
export interface Choice {
  readonly model: Model;
  readonly why: string;
  /** What came before it and could not be used, each with the reason. */
  readonly passedOver: readonly string[];
}

export interface Choices {
  readonly planner: Choice;
  readonly analyst: Choice;
}

/**
 * The models of both tiers. A name is used as written, or fails loudly; `auto`, the default, takes the first
 * that is configured and says which. Throws `model_config`.
 */
export async function chooseModels(given: ModelSettings, ports: ModelPorts): Promise<Choices> {
  const settings = atHome(given);
  const planner = await choose('planner', settings, ports);
  const same = (settings.analyst ?? settings.model) === (settings.planner ?? settings.model);
  // A script is one sequence of answers, whoever asks.
  const shared = same && planner.model.name.startsWith('scripted:');
  if (shared) return { planner, analyst: planner };
  const cheaper =
    settings.analyst === undefined ? cheaperOf(settings.planner ?? settings.model ?? '', settings) : null;
  if (cheaper === null) return { planner, analyst: await choose('analyst', settings, ports) };
  const model = await openNamedModel(cheaper, 'analyst', settings, ports);
  return { planner, analyst: { model, why: 'the cheaper model of the same provider', passedOver: [] } };
}

/** A base URL that is OpenAI's own is no other server. */
function atHome(settings: ModelSettings): ModelSettings {
  const { compatible, ...others } = settings;
  const own = compatible?.baseUrl !== undefined && originOf(compatible.baseUrl) === originOf(openaiUrl);
  return own ? { ...others, openai: { ...compatible, ...others.openai } } : settings;
}

async function choose(tier: Tier, settings: ModelSettings, ports: ModelPorts): Promise<Choice> {
  const written = settings[tier] ?? settings.model;
  if (written !== undefined && written !== '' && written !== 'auto')
    return {
      model: await openNamedModel(written, tier, settings, ports),
      why: `configured as ${written}`,
      passedOver: [],
    };
  const passedOver: string[] = [];
  for (const [name, why] of candidates(settings, ports)) {
    try {
      return { model: await openNamedModel(name, tier, settings, ports), why, passedOver };
    } catch (thrown) {
      if (!isSondeError(thrown, 'model_config')) throw thrown;
      passedOver.push(thrown.message);
    }
  }
  return { model: extractive, why: 'no model is configured', passedOver };
}

/** In the order in which `auto` looks. */
function* candidates(
  settings: ModelSettings,
  ports: ModelPorts,
): Generator<readonly [name: string, why: string]> {
  if (settings.anthropic?.apiKey)
    yield ['anthropic', `${settings.anthropic.keySetting ?? 'an Anthropic key'} is set`];
  if (settings.openai?.apiKey) yield ['openai', `${settings.openai.keySetting ?? 'an OpenAI key'} is set`];
  if (settings.compatible?.baseUrl) yield ['openai-compatible', 'a base URL is set'];
  for (const server of ['ollama', 'lmstudio', 'vllm'] as const)
    if (settings[server]?.baseUrl) yield [server, `the address of ${server} is set`];
  if (ports.sample) yield ['mcp', 'the MCP client offers its model'];
  if (!settings.cli?.allowed) return;
  if (settings.cli.claude ?? ports.which('claude')) yield ['claude-cli', 'claude is installed and allowed'];
  if (settings.cli.codex ?? ports.which('codex')) yield ['codex-cli', 'codex is installed and allowed'];
}
