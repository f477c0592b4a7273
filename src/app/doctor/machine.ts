/** Checks the programs and folders of this machine. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSondeError, messageOf } from '../../core/index.ts';
import { gitOptions } from '../compose.ts';
import { type Configuration, databaseFile } from '../config/index.ts';
import { brokenFinding, checkTimeoutMs, type Finding, offFinding, okFinding } from './finding.ts';

export function checkNode(): Finding {
  return okFinding('node', `${process.versions.node} at ${process.execPath}`);
}

export async function checkGit(): Promise<Finding> {
  const { gitVersion } = await import('../../code/index.ts');
  try {
    return okFinding('git', await gitVersion(gitOptions()));
  } catch {
    return offFinding(
      'git',
      'not installed',
      'Install git, so that history can be cited and used in the ranking.',
    );
  }
}

/** Returns no finding if the Git history can be read, or if there is none. */
export async function checkHistory(root: string): Promise<readonly Finding[]> {
  const { createGitHistory } = await import('../../code/index.ts');
  const reason = await createGitHistory({ root, git: gitOptions() })
    .unreadableReason?.()
    .catch(() => null);
  return reason == null
    ? []
    : [offFinding('history', reason, 'Only the present files are read; their history is not used.')];
}

/** Searches the folder of this file, which is small, with ripgrep. */
export async function checkRipgrep(): Promise<Finding> {
  const { ripgrep } = await import('../../code/tree.ts');
  try {
    const search = ripgrep({ root: import.meta.dirname, timeoutMs: checkTimeoutMs });
    const { matches } = await search.grep({ pattern: 'Finding', fixed: true, limit: 1 });
    if (matches.length === 1) return okFinding('ripgrep', 'works');
  } catch {
    // Reported below.
  }
  return brokenFinding(
    'ripgrep',
    'the bundled program does not run',
    'Run npm ci again, on the machine that runs Sonde.',
  );
}

export function checkFolder(name: string, path: string): Finding {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return okFinding(name, path);
  } catch (error) {
    return brokenFinding(
      name,
      `${path}: ${messageOf(error)}`,
      'Make the folder writable, or set SONDE_HOME to another.',
    );
  }
}

async function checkSharedStore(configuration: Configuration): Promise<Finding> {
  try {
    const { storeStatus } = await import('../stores/manage-store.ts');
    const { place, version, pending } = await storeStatus(configuration);
    return pending.length > 0 && version > 0
      ? brokenFinding(
          'runs',
          `${place} needs these changes: ${pending.join(', ')}`,
          'Run sonde store upgrade.',
        )
      : okFinding(
          'runs',
          version === 0 ? `none yet; they will be in ${place}` : `in ${place}, version ${version}`,
        );
  } catch (error) {
    return brokenFinding(
      'runs',
      messageOf(error),
      isSondeError(error) ? (error.remedy ?? '') : 'Check that the server of SONDE_STORE_URL runs.',
    );
  }
}

export async function checkStore(configuration: Configuration): Promise<Finding> {
  if (configuration.values.store === 'postgres') return checkSharedStore(configuration);
  const path = databaseFile(configuration.directories);
  if (!existsSync(path)) {
    const folder = checkFolder('runs', dirname(path));
    return folder.state === 'ok' ? okFinding('runs', `none yet; they will be in ${path}`) : folder;
  }
  const { openStore } = await import('../../store/index.ts');
  try {
    const store = openStore(path);
    const count = (await store.runs.list(1000)).length;
    await store.close();
    return okFinding('runs', `${count === 1000 ? '1000 or more' : count} in ${path}`);
  } catch (error) {
    return brokenFinding(
      'runs',
      messageOf(error),
      isSondeError(error) ? (error.remedy ?? '') : 'Move the file away; a new one will be made.',
    );
  }
}

/** Starts the sandbox. Returns a finding for the start and for each protection by the operating system. */
export async function checkSandbox({ directories }: Configuration): Promise<readonly Finding[]> {
  try {
    const { createSandbox } = await import('../../sandbox/index.ts');
    const sandbox = createSandbox({ cacheDirectory: join(directories.cache, 'sandbox') });
    try {
      const health = await sandbox.health();
      return health.facts.map((fact) => {
        const name = `sandbox: ${fact.name}`;
        if (fact.ok) return okFinding(name, fact.detail);
        return fact.name === 'start'
          ? brokenFinding(name, fact.detail, 'Run npm ci again, on the machine that runs Sonde.')
          : offFinding(name, fact.detail, 'The sandbox is safe without it; it is an additional protection.');
      });
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    return [
      brokenFinding(
        'sandbox',
        messageOf(error),
        isSondeError(error) ? (error.remedy ?? '') : 'Run npm ci again.',
      ),
    ];
  }
}
