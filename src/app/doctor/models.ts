/** Checks the configured models: whether they are complete and can be reached. */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { ProviderCheck } from '../../model/index.ts';
import { providers } from '../../model/providers/providers.ts';
import type { Configuration, Environment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { createProgramFinder, openModels, toModelSettings } from '../models/models.ts';
import { embeddingsAddress, openEmbedder } from '../search/embeddings.ts';
import { brokenFinding, checkTimeoutMs, type Finding, offFinding, okFinding } from './finding.ts';

/** Checks whether a server answers at an address. Sends no key, which could cost money or lock an account. */
async function checkReachable(name: string, address: string): Promise<Finding> {
  const origin = new URL(address).origin;
  try {
    const response = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(checkTimeoutMs),
    });
    return okFinding(name, `${origin} answers (${response.status})`);
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError'
        ? `no answer within ${checkTimeoutMs / 1000} s`
        : 'no connection';
    return brokenFinding(
      name,
      `${origin}: ${reason}`,
      'Start the server, or check the address and the network.',
    );
  }
}

/** The finding of each provider, in the order in which `auto` tries them. */
export async function checkProviders(
  environment: Environment,
  { values, sources }: Configuration,
): Promise<readonly Finding[]> {
  const settings = toModelSettings(values);
  const checkContext = { sources, which: createProgramFinder(environment) };
  const checks = await Promise.all(
    Object.values(providers).map(
      async (load) => (await load()).check?.(settings as never, checkContext) ?? null,
    ),
  );
  return Promise.all(checks.flatMap((check) => (check === null ? [] : [runProviderCheck(check)])));
}

async function runProviderCheck(check: ProviderCheck): Promise<Finding> {
  switch (check.kind) {
    case 'reach':
      return checkReachable(check.name, check.address);
    case 'ok':
      return okFinding(check.name, check.found);
    case 'off':
      return offFinding(check.name, check.found, check.remedy);
  }
}

const transformers = '@huggingface/transformers';

export async function checkEmbeddings({ values, sources }: Configuration): Promise<Finding> {
  const name = 'embeddings';
  if (values.embeddings === 'off')
    return offFinding(
      name,
      'off: the search uses words only',
      'Set SONDE_EMBEDDINGS to a model to search by meaning too.',
    );
  try {
    await openEmbedder(values);
    const address = embeddingsAddress(values);
    if (address !== null) return await checkReachable(`${name} (${values.embeddings})`, address);
    import.meta.resolve(transformers);
    return okFinding(name, `${values.embeddings}, by ${transformers}`);
  } catch (error) {
    return brokenFinding(
      name,
      `${values.embeddings} (${sources.embeddings}): ${messageOf(error)}`,
      isSondeError(error) ? (error.remedy ?? '') : `Run npm install ${transformers}.`,
    );
  }
}

export async function checkModel(environment: Environment, configuration: Configuration): Promise<Finding> {
  const { values, sources } = configuration;
  try {
    const { planner } = await openModels(values, environment, openMasker(configuration));
    const name = `${planner.model.name} (${planner.why})`;
    if (planner.model.name !== 'extractive' || values.model === 'extractive') return okFinding('model', name);
    return offFinding(
      'model',
      `extractive: ${planner.why}`,
      'Answers consist of the best lines that a search finds. Set a key, OPENAI_BASE_URL or OLLAMA_HOST to use a model.',
    );
  } catch (error) {
    return brokenFinding(
      'model',
      `${values.model} (${sources.model}): ${messageOf(error)}`,
      isSondeError(error) ? (error.remedy ?? '') : '',
    );
  }
}
