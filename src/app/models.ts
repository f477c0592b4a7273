/** From settings to the two models of a run. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Masker, systemClock } from '../core/index.ts';
import {
  type Choices,
  chooseModels,
  type ModelSettings,
  maskModel,
  type Sample,
  settingsFromEnv,
} from '../model/index.ts';
import { directories, type Environment, type Values } from './config/index.ts';
import { openLearnedTokens } from './learned-tokens.ts';

/** Only absolute folders of the path count: a `claude` in a repository is not the user's. */
export function whichIn(environment: Environment): (program: string) => string | undefined {
  return (program) =>
    (environment['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .map((folder) => join(folder, program))
      .find((path) => {
        try {
          accessSync(path, constants.X_OK);
          return true;
        } catch {
          return false;
        }
      });
}

const openaiNames = /^(openai(:|$)|gpt-|o\d)/;

export function modelSettings(values: Values): ModelSettings {
  const { anthropic_api_key, openai_api_key, anthropic_base_url, openai_base_url } = values;
  const openai = {
    keySetting: 'OPENAI_API_KEY',
    ...(openai_api_key !== undefined && { apiKey: openai_api_key.reveal() }),
    ...(openai_base_url !== undefined && { baseUrl: openai_base_url }),
  };
  const asksForOpenai = [values.model, values.analyst].some((name) => openaiNames.test(name ?? ''));
  const ollama = settingsFromEnv({ OLLAMA_HOST: values.ollama_host }).ollama;
  return {
    model: values.model,
    ...(values.analyst !== undefined && { analyst: values.analyst }),
    ...((anthropic_api_key !== undefined || anthropic_base_url !== undefined) && {
      anthropic: {
        keySetting: 'ANTHROPIC_API_KEY',
        ...(anthropic_api_key !== undefined && { apiKey: anthropic_api_key.reveal() }),
        ...(anthropic_base_url !== undefined && { baseUrl: anthropic_base_url }),
      },
    }),
    // A key given with a base URL is for the server there, whatever its models are called.
    ...(openai_base_url !== undefined && { compatible: openai }),
    ...((openai_base_url === undefined || asksForOpenai) && { openai }),
    ...(ollama !== undefined && { ollama }),
    ...(values.lmstudio_base_url !== undefined && { lmstudio: { baseUrl: values.lmstudio_base_url } }),
    ...(values.vllm_base_url !== undefined && { vllm: { baseUrl: values.vllm_base_url } }),
    ...(values.context_window !== undefined && { contextWindow: values.context_window }),
    ...(values.max_output !== undefined && { maxOutput: values.max_output }),
    ...(values.thinking !== 'default' && { thinking: values.thinking }),
    cli: { allowed: values.cli_agents },
  };
}

/**
 * Both models are sent no secret and say none. Throws `model_config` for a model that was named and cannot be
 * used.
 */
export async function openModels(
  values: Values,
  environment: Environment,
  mask: Masker,
  sample?: Sample,
): Promise<Choices> {
  const { planner, analyst } = await chooseModels(modelSettings(values), {
    fetch: globalThis.fetch,
    clock: systemClock,
    env: environment,
    which: whichIn(environment),
    readFile: (path) => readFileSync(path, 'utf8'),
    learned: openLearnedTokens(directories(environment)),
    ...(sample !== undefined && { sample }),
  });
  const hidden = { ...planner, model: maskModel(planner.model, mask) };
  // A script that both share stays one sequence of answers.
  return {
    planner: hidden,
    analyst: analyst === planner ? hidden : { ...analyst, model: maskModel(analyst.model, mask) },
  };
}
