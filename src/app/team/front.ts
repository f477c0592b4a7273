/**
 * `sonde serve` over the store of a team is a front: it answers clients, and a worker (the host) has the pages of the
 * workspace. A front has no pages, code or model keys, and any number of fronts may run. It checks who asks, and forwards
 * requests about pages to the host.
 */
import { messageOf, SondeError, sha256, systemClock } from '../../core/index.ts';
import { keysOfAgent } from '../agent/keys.ts';
import { describeSettings } from '../config/describe.ts';
import { loadConfiguration, processEnvironment, type SettingKey, storeAddress } from '../config/index.ts';
import { apiPart } from '../http/api-part.ts';
import { rightsOf } from '../http/askers.ts';
import { ChatError, errorResponse } from '../http/chat/chat-error.ts';
import { pagePart } from '../http/page-part.ts';
import type { ApiPorts } from '../http/ports.ts';
import { openRecords } from '../http/records.ts';
import type { Route } from '../http/route.ts';
import { openWorkspaceTokens } from '../http/workspace-tokens.ts';
import { openMasker } from '../masking.ts';
import { runMeasures } from '../runs/run-metrics.ts';
import { metricsRefusal, type WorkspaceService } from '../serve/serve-agent.ts';
import { bearerIn, type ServerPart } from '../server/server-part.ts';
import { clientsOf } from '../tokens/clients.ts';
import { accessTokensOf } from '../tokens/configured-access.ts';
import { refuseSharedToken } from '../tokens/kept-token.ts';
import { frontPlace } from '../tokens/place.ts';
import { openTokenCheck } from '../tokens/token-check.ts';
import { sameRights, type Token } from '../tokens/tokens.ts';
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
  readonly measured?: boolean;
  readonly tell: (line: string) => void;
}

export async function openFront({
  settings,
  measured = true,
  tell,
}: FrontRequest): Promise<WorkspaceService> {
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    flags: settings,
    without: keysOfAgent,
  });
  const { directories, values } = configuration;
  const { workspace } = values;
  refuseSharedToken(directories);
  const place = await frontPlace(workspace);
  const schema = place.id;
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const { openPool, readWorkspaceFigures } = await import('../../store/postgres/index.ts');
    const url = storeAddress(values);
    const pools = {
      workspace: openPool({ url, schema, team: '', maxConnections: 8 }),
      shared: openPool({ url, team: '' }),
    };
    closing.push(
      () => pools.workspace.end(),
      () => pools.shared.end(),
    );
    const hostChannel = await openHostChannel(values, schema, { team: '', pool: pools.workspace });
    closing.push(() => hostChannel.close());
    // Fails at once if the store can't be used.
    await hostChannel.readAbout();
    const watch = watchStore(() => hostChannel.readAbout(), tell);
    closing.push(() => watch.close());
    const events = frontEvents(hostChannel);
    closing.push(() => events.close());
    const local = openTokenCheck({ directories, place, asked: null, author: true });
    closing.push(() => local.close());
    const access = await accessTokensOf(configuration, { tokenCheck: local, place, workspace });
    if (access !== null) closing.push(() => access.close());
    const tokenCheck = access?.tokenCheck ?? local;
    const clients = clientsOf(tokenCheck, null);
    const teams = frontTeams({ configuration, schema, hostChannel, events, tokenOf: clients.tokenOf, pools });
    closing.push(() => teams.close());
    const house = await teams.of('');
    const records = openRecords(directories);
    closing.push(() => records.close());
    const tokens = openWorkspaceTokens(directories, place);
    closing.push(() => tokens.close());
    const measures = runMeasures(async () => house.own, [house.store]);
    closing.push(() => measures.close());
    // Of other workspaces and teams an operator of this one learns nothing.
    const ofWorkspace = clusterMeasures(() => readWorkspaceFigures({ url, team: '' }, schema));
    const notAtFront = (): never => {
      throw withHost(workspace);
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
      ...house.ports,
      starter: {
        requireStart() {
          throw startElsewhere();
        },
        async start() {
          throw startElsewhere();
        },
        cancel() {
          throw startElsewhere();
        },
        async close() {},
      },
      records,
      tokens,
      audit: { keep: notAtFront, list: notAtFront },
      prune: async (options) => (await import('../prune/prune.ts')).prune(configuration, options),
      memory: async () => notAtFront(),
      rolesOf: async () => notAtFront(),
      otherInboxItems: async () => notAtFront(),
      version: version(),
      clock: systemClock,
      settings: () => describeSettings(configuration),
    };
    const part: ServerPart = {
      name: 'workspace',
      measure(meter) {
        if (measured) measures.measure(meter);
        ofWorkspace(meter);
      },
      readRefusal: (token) => metricsRefusal(tokenCheck.check(token)),
      mount(app) {
        for (const path of ['/mcp', '/v1/*']) app.all(path, ({ req }) => passTools(req.raw));
        for (const path of ['/threads', '/threads/*'])
          app.all(path, async ({ req }) => {
            const bearer = bearerIn(req.raw.headers) ?? '';
            const connection = clients.holder(bearer);
            if (connection === null)
              return refusal(401, 'a bearer token is needed, or this one is not known');
            if (connection === 'wrong_place') return refusal(403, 'this token is for something else');
            const { answer } = await teams.of(clients.tokenOf(connection)?.team ?? '');
            const mayListen = (): boolean => clients.holder(bearer) === connection;
            return (await answer(req.raw, connection, mayListen)) ?? refusal(404, 'there is nothing here');
          });
      },
      notReady: () => watch.why(),
    };
    const findToken = (shown: string): Token | 'wrong_place' | null => {
      const entry = tokenCheck.check(shown);
      return entry.kind === 'holder' ? entry.token : entry.kind === 'wrong_place' ? 'wrong_place' : null;
    };
    const link = openHostLink({ hostChannel, workspace });
    /** Forwards MCP and chat requests to the host. These clients have a token, never a cookie. */
    async function passTools(request: Request): Promise<Response> {
      const bearer = bearerIn(request.headers) ?? '';
      const token = findToken(bearer);
      const refuse = new URL(request.url).pathname === '/mcp' ? refusal : chatRefusal;
      if (token === null) return refuse(401, 'a bearer token is needed, or this one is not known');
      if (token === 'wrong_place') return refuse(403, 'this token is for something else');
      const { name, allow, author, team = '' } = token;
      const holder = { name, allow, author, client: clientOf(token, bearer), team };
      const mayListen = (): boolean => sameRights(token, findToken(bearer));
      try {
        return await link.pass({ request, holder, mayListen, origin: originOf(request) });
      } catch (thrown) {
        return refuse(503, messageOf(thrown));
      }
    }
    const api = apiPart({
      ports,
      portsFor: async ({ team }) => (team === '' ? ports : { ...ports, ...(await teams.of(team)).ports }),
      findToken,
      forwarded: {
        has: isOfHost,
        answer: (request, asker) =>
          link.pass({
            request,
            holder: {
              name: asker.name,
              ...rightsOf[asker.role],
              team: asker.team,
              client:
                asker.team === ''
                  ? sha256(request.headers.get('authorization') ?? asker.name).slice(0, 16)
                  : asker.name,
            },
            mayListen: asker.mayListen,
            origin: originOf(request),
          }),
      },
      mask: openMasker(configuration),
      tell: (line) => tell(`api: ${line}`),
    });
    return {
      parts: [...(access === null ? [] : [access.part]), part, api, pagePart()],
      hint: local.hint,
      listensAt: (address) => records.keepAddress(schema, address),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Tells clients of one name apart; the access tokens of one person are one client. */
const clientOf = ({ name, team }: Token, shown: string): string =>
  team === undefined ? sha256(shown).slice(0, 16) : name;

/** Whether only the host can answer the route, since it is about pages. */
const isOfHost = ({ id, path }: Route): boolean =>
  (path.startsWith('/workspaces/') && (!path.includes('/schedules') || id === 'tryScheduleOut')) ||
  path === '/events' ||
  path === '/audit' ||
  path === '/threads/{thread}/context';

const chatCodes: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 403: 'forbidden' };

/** In the form of OpenAI's API. */
const chatRefusal = (status: number, error: string): Response =>
  errorResponse(new ChatError(status, error, { code: chatCodes[status] ?? 'tool_failed' }));

const originOf = (request: Request): string => new URL(request.url).origin;

const refusal = (status: number, error: string): Response =>
  Response.json({ error }, { status, ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }) });

const withHost = (workspace: string): SondeError =>
  new SondeError('tool_failed', {
    message: `Pages and memory of ${workspace} are with the worker that is its host, and not at this front`,
    remedy: 'Report this as a bug: a front should have forwarded the request to the host.',
  });

const startElsewhere = (): SondeError =>
  new SondeError('run_state', {
    message: 'This server starts no runs: with the store of a team, workers do',
    remedy:
      'Queue a question: sonde queue add QUESTION REPOSITORY (sonde queue cancel RUN ends it). Send an alert to POST /alerts of a server with --alerts.',
  });
