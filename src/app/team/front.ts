/**
 * A front is `sonde serve` over the store of a team. It authenticates clients, answers them from the store, and
 * forwards requests about pages to the host, a worker that has the workspace's file. A front has no pages, code or
 * model keys, and any number of fronts may run.
 */
import { messageOf, SondeError, sha256, systemClock } from '../../core/index.ts';
import { keysOfAgent } from '../agent/keys.ts';
import { describeSettings } from '../config/describe.ts';
import { loadConfiguration, processEnvironment, type SettingKey, storeAddress } from '../config/index.ts';
import { apiPart } from '../http/api-part.ts';
import { tokenRights } from '../http/askers.ts';
import { ChatError, errorResponse } from '../http/chat/chat-error.ts';
import { pagePart } from '../http/page-part.ts';
import type { ApiPorts } from '../http/ports.ts';
import { openRecords } from '../http/records.ts';
import type { Route } from '../http/route.ts';
import { openWorkspaceTokens } from '../http/workspace-tokens.ts';
import { openMasker } from '../masking.ts';
import { openRunMeasures } from '../runs/run-metrics.ts';
import { checkMetricsAccess, type WorkspaceService } from '../serve/serve-agent.ts';
import { readBearer, type ServerPart } from '../server/server-part.ts';
import { openClients } from '../tokens/clients.ts';
import { openConfiguredAccess } from '../tokens/configured-access.ts';
import { createFrontPlace } from '../tokens/place.ts';
import { requireNoSharedToken } from '../tokens/saved-token.ts';
import { openTokenCheck } from '../tokens/token-check.ts';
import { hasSameRights, type Token } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { clusterMeasures } from './cluster-metrics.ts';
import { frontEvents } from './front-events.ts';
import { frontTeams } from './front-team.ts';
import { openHostLink } from './host-link.ts';
import { openHostChannel } from './shared-sessions.ts';
import { watchStore } from './store-watch.ts';

export interface FrontRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** False: another part of the server measures runs. */
  readonly measuresRuns?: boolean;
  readonly tell: (line: string) => void;
}

export async function openFront({
  settings,
  measuresRuns = true,
  tell,
}: FrontRequest): Promise<WorkspaceService> {
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    flags: settings,
    ignoredSettings: keysOfAgent,
  });
  const { directories, values } = configuration;
  const { workspace } = values;
  requireNoSharedToken(directories);
  const place = await createFrontPlace(workspace);
  const schema = place.id;
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    const { openPool, readWorkspaceFigures } = await import('../../store/postgres/index.ts');
    const url = storeAddress(values);
    const pools = {
      workspace: openPool({ url, schema, team: '', maxConnections: 8 }),
      shared: openPool({ url, team: '' }),
    };
    closers.push(
      () => pools.workspace.end(),
      () => pools.shared.end(),
    );
    const hostChannel = await openHostChannel(values, schema, { team: '', pool: pools.workspace });
    closers.push(() => hostChannel.close());
    // Fails at once if the store can't be used.
    await hostChannel.readAbout();
    const storeWatch = watchStore(() => hostChannel.readAbout(), tell);
    closers.push(() => storeWatch.close());
    const events = frontEvents(hostChannel);
    closers.push(() => events.close());
    const localCheck = openTokenCheck({ directories, place, serverSet: null, author: true });
    closers.push(() => localCheck.close());
    const configuredAccess = await openConfiguredAccess(configuration, {
      tokenCheck: localCheck,
      place,
      workspace,
    });
    if (configuredAccess !== null) closers.push(() => configuredAccess.close());
    const tokenCheck = configuredAccess?.tokenCheck ?? localCheck;
    const clients = openClients(tokenCheck, null);
    const teams = frontTeams({ configuration, schema, hostChannel, events, tokenOf: clients.tokenOf, pools });
    closers.push(() => teams.close());
    const operators = await teams.get('');
    const records = openRecords(directories);
    closers.push(() => records.close());
    const tokens = openWorkspaceTokens(directories, place);
    closers.push(() => tokens.close());
    const runMeasures = openRunMeasures(async () => operators.queuedRuns, [operators.store]);
    closers.push(() => runMeasures.close());
    // Only figures of this workspace, since its operators must not see those of others.
    const measureWorkspace = clusterMeasures(() => readWorkspaceFigures({ url, team: '' }, schema));
    const notAtFront = (): never => {
      throw notAtFrontError(workspace);
    };
    const ports: ApiPorts = {
      workspace: {
        name: workspace,
        id: schema,
        file: '',
        code: null,
        get world() {
          return notAtFront();
        },
        get person() {
          return notAtFront();
        },
        get tail() {
          return notAtFront();
        },
        search: notAtFront,
      },
      ...operators.ports,
      starter: {
        requireStart() {
          throw noStartError();
        },
        async start() {
          throw noStartError();
        },
        cancel() {
          throw noStartError();
        },
        async close() {},
      },
      records,
      tokens,
      audit: { recordAct: notAtFront, list: notAtFront },
      prune: async (options) => (await import('../prune/prune.ts')).prune(configuration, options),
      memory: async () => notAtFront(),
      readRoles: async () => notAtFront(),
      otherInboxItems: async () => notAtFront(),
      version: version(),
      clock: systemClock,
      settings: () => describeSettings(configuration),
    };
    const workspacePart: ServerPart = {
      name: 'workspace',
      measure(meter) {
        if (measuresRuns) runMeasures.measure(meter);
        measureWorkspace(meter);
      },
      readRefusal: (token) => checkMetricsAccess(tokenCheck.check(token)),
      mount(app) {
        for (const path of ['/mcp', '/v1/*']) app.all(path, ({ req }) => forwardToHost(req.raw));
        for (const path of ['/threads', '/threads/*'])
          app.all(path, async ({ req }) => {
            const bearer = readBearer(req.raw.headers) ?? '';
            const connection = clients.findConnection(bearer);
            if (connection === null)
              return refusal(401, 'a bearer token is needed, or this one is not known');
            if (connection === 'wrong_place') return refusal(403, 'this token is for something else');
            const { answer } = await teams.get(clients.tokenOf(connection)?.team ?? '');
            const mayListen = (): boolean => clients.findConnection(bearer) === connection;
            return (await answer(req.raw, connection, mayListen)) ?? refusal(404, 'there is nothing here');
          });
      },
      notReady: () => storeWatch.reasonAway(),
    };
    const findToken = (bearerToken: string): Token | 'wrong_place' | null => {
      const entry = tokenCheck.check(bearerToken);
      return entry.kind === 'holder' ? entry.token : entry.kind === 'wrong_place' ? 'wrong_place' : null;
    };
    const hostLink = openHostLink({ hostChannel, workspace });
    /** Forwards MCP and chat requests to the host. These clients have a token, never a cookie. */
    async function forwardToHost(request: Request): Promise<Response> {
      const bearer = readBearer(request.headers) ?? '';
      const token = findToken(bearer);
      const toRefusal = new URL(request.url).pathname === '/mcp' ? refusal : chatRefusal;
      if (token === null) return toRefusal(401, 'a bearer token is needed, or this one is not known');
      if (token === 'wrong_place') return toRefusal(403, 'this token is for something else');
      const { name, allow, author, team = '' } = token;
      const holder = { name, allow, author, client: toClientKey(token, bearer), team };
      const mayListen = (): boolean => hasSameRights(token, findToken(bearer));
      try {
        return await hostLink.pass({ request, holder, mayListen, origin: readOrigin(request) });
      } catch (thrown) {
        return toRefusal(503, messageOf(thrown));
      }
    }
    const api = apiPart({
      ports,
      portsFor: async ({ team }) => (team === '' ? ports : { ...ports, ...(await teams.get(team)).ports }),
      findToken,
      forwarded: {
        has: isAnsweredByHost,
        answer: (request, asker) =>
          hostLink.pass({
            request,
            holder: {
              name: asker.name,
              ...tokenRights[asker.role],
              team: asker.team,
              client:
                asker.team === ''
                  ? sha256(request.headers.get('authorization') ?? asker.name).slice(0, 16)
                  : asker.name,
            },
            mayListen: asker.mayListen,
            origin: readOrigin(request),
          }),
      },
      mask: openMasker(configuration),
      tell: (line) => tell(`api: ${line}`),
    });
    return {
      parts: [...(configuredAccess === null ? [] : [configuredAccess.part]), workspacePart, api, pagePart()],
      hint: localCheck.hint,
      listensAt: (address) => records.storeAddress(schema, address),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** A key that tells clients of the same name apart. All access tokens of one person have the same key. */
const toClientKey = ({ name, team }: Token, bearerToken: string): string =>
  team === undefined ? sha256(bearerToken).slice(0, 16) : name;

/** Whether the route is about pages, so that only the host can answer it. */
const isAnsweredByHost = ({ id, path }: Route): boolean =>
  (path.startsWith('/workspaces/') && (!path.includes('/schedules') || id === 'tryScheduleOut')) ||
  path === '/events' ||
  path === '/audit' ||
  path === '/threads/{thread}/context';

const chatCodes: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 403: 'forbidden' };

/** A refusal in the form of OpenAI's API. */
const chatRefusal = (status: number, error: string): Response =>
  errorResponse(new ChatError(status, error, { code: chatCodes[status] ?? 'tool_failed' }));

const readOrigin = (request: Request): string => new URL(request.url).origin;

const refusal = (status: number, error: string): Response =>
  Response.json({ error }, { status, ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }) });

const notAtFrontError = (workspace: string): SondeError =>
  new SondeError('tool_failed', {
    message: `Pages and memory of ${workspace} are with the worker that is its host, and not at this front`,
    remedy: 'Report this as a bug: a front should have forwarded the request to the host.',
  });

const noStartError = (): SondeError =>
  new SondeError('run_state', {
    message: 'This server starts no runs: with the store of a team, workers do',
    remedy:
      'Queue a question: sonde queue add QUESTION REPOSITORY (sonde queue cancel RUN ends it). Send an alert to POST /alerts of a server with --alerts.',
  });
