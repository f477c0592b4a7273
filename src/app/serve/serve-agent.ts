/** `sonde serve`: a workspace over HTTP, with its agent in a separate process. */

import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../../core/index.ts';
import { openSessionsIn, openStoreIn } from '../../store/index.ts';
import { type FileLock, openFileLock } from '../../store/lock.ts';
import { parseSetName } from '../../tools/index.ts';
import { keysOfAgent } from '../agent/keys.ts';
import { servingLock } from '../agent/port/port.ts';
import { openRuns } from '../compose.ts';
import { type Environment, loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';
import { openHost } from '../host/host.ts';
import { managerRoles, roleOf } from '../http/askers.ts';
import { resolveRoot } from '../root.ts';
import { openRunMeasures } from '../runs/run-metrics.ts';
import type { MetricsDenied, ServerPart } from '../server/server-part.ts';
import { openClients } from '../tokens/clients.ts';
import { openConfiguredAccess } from '../tokens/configured-access.ts';
import { workspacePlace } from '../tokens/place.ts';
import { requireNoSharedToken } from '../tokens/saved-token.ts';
import { openTokenCheck, type TokenCheck } from '../tokens/token-check.ts';
import { followVault } from './follow-vault.ts';
import { openWorkspaceAgent } from './workspace-agent.ts';

export interface ServeAgentRequest {
  /** The name of a set of capabilities: the widest that a token can have here. */
  readonly allow?: string;
  readonly root?: string;
  /** A folder of notes that is synchronised with the pages. */
  readonly vault?: string;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** Whether it exposes metrics of runs. False: another part of the server does. */
  readonly measuresRuns?: boolean;
  /** The environment of the agent's process, with its keys. */
  readonly environment: Environment;
  readonly tell: (line: string) => void;
}

export interface WorkspaceService {
  readonly parts: readonly ServerPart[];
  /** For people: where to get a token. */
  readonly hint: string;
  /** Call it once the server listens, so that `sonde ui` finds the address. */
  listensAt(address: string): void;
  close(): Promise<void>;
}

/** Throws the errors of a missing workspace and of a wrong setting, and `run_state` if another server has the workspace. */
export async function serveAgent(request: ServeAgentRequest): Promise<WorkspaceService> {
  const { allow, root, vault, settings, tell, environment, measuresRuns = true } = request;
  const allowed = allow === undefined ? null : parseSetName(allow);
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    flags: settings,
    ignoredSettings: keysOfAgent,
  });
  const { directories } = configuration;
  requireNoSharedToken(directories);
  const folder = root === undefined ? undefined : resolveRoot(root);
  const { workspace } = configuration.values;
  const opened = await openHost({
    workspace,
    hiddenSettings: keysOfAgent,
    ...(folder !== undefined && { root: folder }),
  });
  const closables: (() => unknown)[] = [() => opened.close()];
  const close = async (): Promise<void> => {
    for (const close of closables.splice(0).reverse()) await close();
  };
  try {
    const { database, world, path } = opened.open;
    const lock = openFileLock(servingLock(path));
    closables.push(() => lock.release());
    if (!(await tryTakeRepeatedly(lock)))
      throw new SondeError('run_state', {
        message: `Another sonde serve already serves the workspace ${path}`,
        remedy: 'Use that one, or end it: a workspace has one agent process.',
      });
    const sessions = openSessionsIn(database);
    closables.push(() => sessions.close());
    const store = openStoreIn(database);
    closables.push(() => store.close());
    const place = workspacePlace(directories, { path, id: world.workspace.id });
    const fileTokens = openTokenCheck({
      directories,
      place,
      serverSet: allowed,
      author: true,
    });
    closables.push(() => fileTokens.close());
    const access = await openConfiguredAccess(configuration, {
      tokenCheck: fileTokens,
      place,
      workspace: null,
    });
    if (access !== null) closables.push(() => access.close());
    const tokenCheck = access?.tokenCheck ?? fileTokens;
    const clients = openClients(tokenCheck, allowed);
    const agent = await openWorkspaceAgent({
      ...{ configuration, opened, sessions, store, environment, clients, tell },
      child: { settings: cloneSettings(settings), ...(folder !== undefined && { root: folder }) },
    });
    closables.push(() => agent.close());
    await agent.start();
    if (vault !== undefined) closables.push(await followVault(opened.open, vault, tell));
    closables.push(async () => {
      // The agent's unfinished work is left; the next start continues it.
      await agent.stop();
    });
    const runs = openRunMeasures(() => openRuns(configuration), [store]);
    closables.push(() => runs.close());
    const part: ServerPart = {
      name: 'workspace',
      ...(measuresRuns && { measure: runs.measure }),
      readRefusal: (token) => checkMetricsAccess(tokenCheck.check(token)),
      mount(app) {
        for (const path of ['/mcp', '/threads', '/threads/*'])
          app.all(path, ({ req }) => agent.handler.answer(req.raw));
      },
      notReady: () => (agent.isUp() ? null : 'the agent is being started'),
    };
    const [{ openApi }, { pagePart: createPagePart }] = await Promise.all([
      import('../http/open-api.ts'),
      import('../http/page-part.ts'),
    ]);
    const api = openApi({
      configuration,
      open: opened.open,
      name: place.kind === 'workspace' ? place.workspace : workspace,
      folder: folder ?? null,
      environment,
      store,
      sessions,
      requests: agent.requests,
      mask: agent.mask,
      findToken(shown) {
        const entry = tokenCheck.check(shown);
        return entry.kind === 'holder' ? entry.token : entry.kind === 'wrong_place' ? 'wrong_place' : null;
      },
      tell: (line) => tell(opened.redact(`api: ${line}`)),
    });
    closables.push(() => api.close());
    const parts = [...(access === null ? [] : [access.part]), part, ...api.parts, createPagePart()];
    return { parts, hint: fileTokens.hint, listensAt: api.listensAt, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Tries again for a moment, since a process that only checks for a server also takes the lock briefly. */
async function tryTakeRepeatedly(lock: FileLock): Promise<boolean> {
  for (let tries = 0; tries < 10; tries += 1) {
    if (lock.tryTake()) return true;
    await sleep(20);
  }
  return false;
}

const metricsHint =
  '/metrics needs a token with the role operator or author (sonde token add NAME --workspace W --role operator)';

export function checkMetricsAccess(entry: ReturnType<TokenCheck['check']>): MetricsDenied | null {
  if (entry.kind === 'unknown')
    return { status: 401, why: `send the header Authorization: Bearer TOKEN; ${metricsHint}` };
  // Metrics count all teams of a store, so a token of one team may not read them.
  const isOfTeam = entry.kind === 'holder' && (entry.token.team ?? '') !== '';
  const role = entry.kind === 'wrong_place' || isOfTeam ? null : roleOf(entry.token);
  return role !== null && managerRoles.includes(role) ? null : { status: 403, why: metricsHint };
}

const cloneSettings = (settings: ServeAgentRequest['settings']): Record<string, unknown> =>
  JSON.parse(JSON.stringify(settings));
