/** Opens the two models of a run from the settings. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Masker, systemClock } from '../../core/index.ts';
import { type Choices, chooseModels } from '../../model/choose.ts';
import type { ModelSettings, Sample } from '../../model/index.ts';
import { maskModel } from '../../model/mask-model.ts';
import { directories, type Environment, type Values } from '../config/index.ts';
import { openLearnedTokens } from './learned-tokens.ts';

/** Only absolute folders of PATH count: a `claude` in a repository is not the user's. */
export function createProgramFinder(environment: Environment): (program: string) => string | undefined {
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

/** Each provider takes its own values out of all of them. */
export const toModelSettings = (values: Values): ModelSettings => ({
  model: values.model,
  ...(values.analyst !== undefined && { analyst: values.analyst }),
  values,
  agents: values.cli_agents,
  ...(values.context_window !== undefined && { contextWindow: values.context_window }),
  ...(values.max_output !== undefined && { maxOutput: values.max_output }),
  ...(values.thinking !== 'default' && { thinking: values.thinking }),
});

/**
 * Secrets are masked in what both models are sent, and in what they say. Throws `model_config` for a named model that
 * cannot be used.
 */
export async function openModels(
  values: Values,
  environment: Environment,
  mask: Masker,
  sample?: Sample,
): Promise<Choices> {
  const { planner, analyst } = await chooseModels(toModelSettings(values), {
    fetch: globalThis.fetch,
    clock: systemClock,
    env: environment,
    which: createProgramFinder(environment),
    readFile: (path) => readFileSync(path, 'utf8'),
    learned: openLearnedTokens(directories(environment)),
    ...(sample !== undefined && { sample }),
  });
  const maskedPlanner = { ...planner, model: maskModel(planner.model, mask) };
  // If planner and analyst use the same script, they must share one sequence of answers.
  return {
    planner: maskedPlanner,
    analyst: analyst === planner ? maskedPlanner : { ...analyst, model: maskModel(analyst.model, mask) },
  };
}
