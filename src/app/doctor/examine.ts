/** `sonde doctor`: checks what is installed, configured and reachable, and says how to fix what is not. */
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { resolveRoot } from '../root.ts';
import { checkTimeoutMs, type Finding, offFinding, okFinding } from './finding.ts';
import {
  checkFolder,
  checkGit,
  checkHistory,
  checkNode,
  checkRipgrep,
  checkSandbox,
  checkStore,
} from './machine.ts';
import { checkEmbeddings, checkModel, checkProviders } from './models.ts';
import { checkServers } from './servers.ts';
import { checkSystems, type SystemFinding } from './systems.ts';

/** Maximum time to check one system. Milliseconds. */
const systemTimeoutMs = 10_000;

/** Checks only the systems, with a longer timeout. Throws as `examine` does. */
export async function examineSystems(path: string): Promise<readonly SystemFinding[]> {
  const configuration = loadConfiguration({ environment: processEnvironment(), project: resolveRoot(path) });
  const findings = await checkSystems(configuration, { timeoutMs: systemTimeoutMs });
  return findings.map((finding) => ({ ...finding, found: configuration.redact(finding.found) }));
}

/** Checks only the processes that share the store of a team. Throws as `examine` does. */
export async function examineSharedStore(path: string): Promise<readonly Finding[]> {
  const configuration = loadConfiguration({ environment: processEnvironment(), project: resolveRoot(path) });
  const { examineCluster } = await import('./cluster.ts');
  const findings = await examineCluster(configuration);
  return findings.map((finding) => ({ ...finding, found: configuration.redact(finding.found) }));
}

/** Runs all checks. Throws for a wrong path or configuration. */
export async function examine(path: string): Promise<readonly Finding[]> {
  const environment = processEnvironment();
  const root = resolveRoot(path);
  const configuration = loadConfiguration({ environment, project: root });
  const { directories, files, notes, redact } = configuration;
  const sandbox = checkSandbox(configuration);
  const systems = checkSystems(configuration, { timeoutMs: checkTimeoutMs });
  const providers = checkProviders(environment, configuration);
  const findings = await Promise.all([
    checkNode(),
    checkGit(),
    checkRipgrep(),
    okFinding('settings', files.length === 0 ? 'defaults and environment; no file' : files.join(', ')),
    ...notes.map((note) => offFinding('settings', note, 'See sonde config.')),
    checkStore(configuration),
    checkFolder('indexes', directories.cache),
    checkModel(environment, configuration),
    checkEmbeddings(configuration),
  ]);
  const allFindings = [
    ...findings,
    ...(await checkHistory(root)),
    ...(await providers),
    ...(await checkServers(configuration, root)),
    ...(await systems),
  ];
  return [...allFindings, ...(await sandbox)].map((finding) => ({
    ...finding,
    found: redact(finding.found),
  }));
}
