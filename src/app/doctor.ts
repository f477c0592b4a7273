/** What is installed, configured and reachable, and what to do about the rest. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isSondeError, messageOf } from '../core/index.ts';
import {
  type Configuration,
  databaseFile,
  type Environment,
  loadConfiguration,
  processEnvironment,
} from './config/index.ts';
import { modelSettings, openModels, whichIn } from './models.ts';
import { resolveRoot } from './root.ts';

export interface Finding {
  readonly name: string;
  /** `ok`: works. `off`: not there, and nothing needs it. `broken`: something that was asked for does not work. */
  readonly state: 'ok' | 'off' | 'broken';
  readonly found: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

const ok = (name: string, found: string): Finding => ({ name, state: 'ok', found, remedy: null });
const off = (name: string, found: string, remedy: string): Finding => ({ name, state: 'off', found, remedy });
const broken = (name: string, found: string, remedy: string): Finding => ({
  name,
  state: 'broken',
  found,
  remedy,
});

/** Each check alone; nobody waits longer for the network, or for a program that hangs. */
const patienceMs = 3_000;

const run = promisify(execFile);

async function programVersion(program: string, flag = '--version'): Promise<string | null> {
  try {
    const { stdout } = await run(program, [flag], { timeout: patienceMs, windowsHide: true });
    return stdout.split('\n')[0]?.trim() || 'installed';
  } catch {
    return null;
  }
}

function checkNode(): Finding {
  return ok('node', `${process.versions.node} at ${process.execPath}`);
}

async function checkGit(): Promise<Finding> {
  const found = await programVersion('git');
  return found === null
    ? off('git', 'not installed', 'Install git for history as evidence and as a signal of the ranking.')
    : ok('git', found);
}

/** By using it: on the folder of this very file, which is small. */
async function checkRipgrep(): Promise<Finding> {
  const { ripgrep } = await import('../code/index.ts');
  try {
    const grep = ripgrep({ root: import.meta.dirname, timeoutMs: patienceMs });
    const { matches } = await grep.grep({ pattern: 'Finding', fixed: true, limit: 1 });
    if (matches.length === 1) return ok('ripgrep', 'works');
  } catch {
    // Told below.
  }
  return broken(
    'ripgrep',
    'the bundled program does not run',
    'Run npm ci again, on the machine that runs Sonde.',
  );
}

function checkFolder(name: string, path: string): Finding {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(name, path);
  } catch (error) {
    return broken(
      name,
      `${path}: ${messageOf(error)}`,
      'Make the folder writable, or set SONDE_HOME to another.',
    );
  }
}

async function checkStore(configuration: Configuration): Promise<Finding> {
  const path = databaseFile(configuration.directories);
  if (!existsSync(path)) {
    const folder = checkFolder('runs', dirname(path));
    return folder.state === 'ok' ? ok('runs', `none yet; they will be in ${path}`) : folder;
  }
  const { openStore } = await import('../store/index.ts');
  try {
    const store = openStore(path);
    const count = store.runs.list(1000).length;
    store.close();
    return ok('runs', `${count === 1000 ? '1000 or more' : count} in ${path}`);
  } catch (error) {
    return broken(
      'runs',
      messageOf(error),
      isSondeError(error) ? (error.remedy ?? '') : 'Move the file away; a new one is made.',
    );
  }
}

/** By running a cell in it; what the operating system adds to its walls is told fact by fact. */
async function checkSandbox({ directories }: Configuration): Promise<readonly Finding[]> {
  try {
    const { createSandbox } = await import('../sandbox/index.ts');
    const sandbox = createSandbox({ cacheDirectory: join(directories.cache, 'sandbox') });
    try {
      const health = await sandbox.health();
      return health.facts.map((fact) => {
        const name = `sandbox: ${fact.name}`;
        if (fact.ok) return ok(name, fact.detail);
        return fact.name === 'start'
          ? broken(name, fact.detail, 'Run npm ci again, on the machine that runs Sonde.')
          : off(name, fact.detail, 'The sandbox holds without it; it would be one more wall.');
      });
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return [
      broken('sandbox', messageOf(error), isSondeError(error) ? (error.remedy ?? '') : 'Run npm ci again.'),
    ];
  }
}

/** Whether anything answers at an address. A key is never sent: that would cost, or lock an account. */
async function reach(name: string, address: string): Promise<Finding> {
  const origin = new URL(address).origin;
  try {
    const response = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    });
    return ok(name, `${origin} answers (${response.status})`);
  } catch (error) {
    const why =
      error instanceof Error && error.name === 'TimeoutError'
        ? `silent for ${patienceMs / 1000} s`
        : 'no connection';
    return broken(name, `${origin}: ${why}`, 'Start the server, or check the address and the network.');
  }
}

const usualAddresses = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com' } as const;

function checkProviders({ values, sources }: Configuration): Promise<Finding>[] {
  const settings = modelSettings(values);
  const checks: Promise<Finding>[] = [];
  for (const provider of ['anthropic', 'openai'] as const) {
    const access = settings[provider];
    const variable = `${provider.toUpperCase()}_API_KEY`;
    if (access?.apiKey !== undefined)
      checks.push(
        reach(
          `${provider} (key from ${sources[`${provider}_api_key`]})`,
          access.baseUrl ?? usualAddresses[provider],
        ),
      );
    else if (provider === 'anthropic' || settings.compatible === undefined)
      checks.push(Promise.resolve(off(provider, 'no key', `Set ${variable} to use its models.`)));
  }
  for (const server of ['compatible', 'ollama', 'lmstudio', 'vllm'] as const) {
    const address = settings[server]?.baseUrl;
    if (address !== undefined)
      checks.push(reach(server === 'compatible' ? 'openai-compatible server' : server, address));
  }
  return checks;
}

function checkAgents(environment: Environment, { values }: Configuration): Finding[] {
  return (['claude', 'codex'] as const).map((program) => {
    const path = whichIn(environment)(program);
    if (path === undefined)
      return off(
        `${program} (command-line agent)`,
        'not installed',
        `Install it to use --model ${program}-cli.`,
      );
    return ok(
      `${program} (command-line agent)`,
      `${path}; ${values.cli_agents ? 'auto may use it' : `used only as --model ${program}-cli`}`,
    );
  });
}

async function checkModel(environment: Environment, { values, sources }: Configuration): Promise<Finding> {
  try {
    const { planner } = await openModels(values, environment);
    const name = `${planner.model.name} (${planner.why})`;
    if (planner.model.name !== 'extractive' || values.model === 'extractive') return ok('model', name);
    return off(
      'model',
      `extractive: ${planner.why}`,
      'Answers are put together from the best lines. Set a key, OPENAI_BASE_URL or OLLAMA_HOST for a model that reasons.',
    );
  } catch (error) {
    return broken(
      'model',
      `${values.model} (${sources.model}): ${messageOf(error)}`,
      isSondeError(error) ? (error.remedy ?? '') : '',
    );
  }
}

/** Throws what a wrong path or a wrong configuration throws. */
export async function examine(path: string): Promise<readonly Finding[]> {
  const environment = processEnvironment();
  const root = resolveRoot(path);
  const configuration = loadConfiguration({ environment, project: root });
  const { directories, files, notes, redact } = configuration;
  const sandbox = checkSandbox(configuration);
  const findings = await Promise.all([
    checkNode(),
    checkGit(),
    checkRipgrep(),
    ok('settings', files.length === 0 ? 'defaults and environment; no file' : files.join(', ')),
    ...notes.map((note) => off('settings', note, 'See sonde config.')),
    checkStore(configuration),
    checkFolder('indexes', directories.cache),
    checkModel(environment, configuration),
    ...checkProviders(configuration),
    ...checkAgents(environment, configuration),
  ]);
  return [...findings, ...(await sandbox)].map((finding) => ({ ...finding, found: redact(finding.found) }));
}
