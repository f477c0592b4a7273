/** The HTTP interface: it identifies the caller, checks the request against its route, and runs the handler. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { type Masker, SondeError, sha256 } from '../../core/index.ts';
import { safeJson } from '../safe-json.ts';
import {
  readBearer,
  type ServerApp,
  type ServerEnvironment,
  type ServerPart,
} from '../server/server-part.ts';
import { hasSameRights, type Token } from '../tokens/tokens.ts';
import { type Asker, type Role, roleOf } from './askers.ts';
import { readBody } from './body.ts';
import { readCookie } from './cookie.ts';
import type { ApiPorts } from './ports.ts';
import type { Route, RouteRequest } from './route.ts';
import { apiRoutes } from './routes.ts';
import { createOpenApiDocument } from './schemas/openapi.ts';
import { statusOf, toErrorBody, toSondeError } from './statuses.ts';

export interface ApiOptions {
  readonly ports: ApiPorts;
  /** Returns the ports that this caller may use. Absent: all callers use `ports`. */
  readonly portsFor?: (asker: Asker) => Promise<ApiPorts>;
  /** Finds a bearer token. `wrong_place`: the token is for another workspace; null: it is unknown. */
  readonly findToken: (bearerToken: string) => Token | 'wrong_place' | null;
  readonly mask: Pick<Masker, 'value'>;
  readonly tell: (line: string) => void;
  readonly routes?: readonly Route[];
  /** Routes that another process answers, after the caller was checked here. */
  readonly forwarded?: {
    has(route: Route): boolean;
    answer(request: Request, asker: Asker): Promise<Response>;
  };
}

const base = '/api/v1';
/** The web page sends this header with every write. A form on another site can't send it. */
const ownHeader = 'x-sonde';
const keyPattern = /^[\w.:-]{1,200}$/;

export function apiPart(options: ApiOptions): ServerPart {
  const { ports, tell, routes = apiRoutes } = options;
  let documentJson: string | undefined;
  return {
    name: 'api',
    mount(app: ServerApp) {
      app.get(`${base}/openapi.json`, () => {
        documentJson ??= JSON.stringify(createOpenApiDocument(routes, ports.version));
        return json(200, documentJson);
      });
      // A fixed word of an address is matched before a parameter at the same position, since `{` sorts after all
      // letters.
      for (const route of [...routes].sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const path = `${base}${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
        app.on(route.method.toUpperCase(), path, (context) => respond(context, route, options));
      }
      app.all(`${base}/*`, ({ req }) => {
        const error = new SondeError('not_found', {
          message: `There is no ${req.method} ${req.path}`,
          remedy: `GET ${base}/openapi.json says what there is.`,
        });
        return json(404, safeJson(toErrorBody(error)));
      });
    },
  };

  async function respond(
    context: Context<ServerEnvironment>,
    route: Route,
    options: ApiOptions,
  ): Promise<Response> {
    try {
      return await handleRequest(context, route, options);
    } catch (thrown) {
      const error = toSondeError(thrown, tell);
      return json(statusOf(error.code), safeJson(toErrorBody(error)), toErrorHeaders(error));
    }
  }
}

const toErrorHeaders = ({ code }: SondeError): Readonly<Record<string, string>> =>
  code === 'unauthenticated'
    ? { 'www-authenticate': 'Bearer' }
    : statusOf(code) === 503
      ? { 'retry-after': '5' }
      : {};

async function handleRequest(
  { req }: Context<ServerEnvironment>,
  route: Route,
  { ports, portsFor, findToken, mask, forwarded }: ApiOptions,
): Promise<Response> {
  const { headers } = req.raw;
  const asker = identifyCaller(req.raw, route, { ports, findToken });
  if (forwarded?.has(route)) return forwarded.answer(req.raw, asker);
  const text = route.body === undefined ? '' : await readBody(req.raw);
  const key = readIdempotencyKey(headers, route);
  // Clients of different workspaces or teams may have the same name.
  const client = `${ports.workspace.id} ${asker.team} ${asker.name}`;
  const request = key === null ? '' : sha256(`${req.method} ${req.url}\n${text}`);
  if (key !== null) {
    const earlierAnswer = ports.records.findAnswer(client, key);
    if (earlierAnswer !== null && earlierAnswer.request !== request) throw keyReusedError(key);
    if (earlierAnswer !== null)
      return json(earlierAnswer.status, earlierAnswer.body, { 'idempotent-replay': 'true' });
  }
  const maskForCaller = (value: unknown) => (asker.role === 'author' ? value : mask.value(value));
  const routeRequest: RouteRequest = {
    params: parseInput(route.params, req.param(), 'The address') as never,
    query: parseInput(route.query, req.query(), 'The query') as never,
    body: (route.body === undefined ? null : parseInput(route.body, parseJson(text), 'The body')) as never,
    asker,
    key,
    maskForCaller: maskForCaller,
    headers,
    signal: req.raw.signal,
  };
  const answer = await route.handle(routeRequest, (await portsFor?.(asker)) ?? ports);
  if (answer instanceof Response) return answer;
  // Removes fields that the schema does not name, and throws if one that it requires is missing.
  const value = (route.answer as z.ZodType).parse(answer);
  const body = safeJson(maskForCaller(value));
  if (key !== null) ports.records.storeAnswer(client, key, { request, status: route.status, body });
  return json(route.status, body);
}

type ApiAccess = Pick<ApiOptions, 'ports' | 'findToken'>;

/** Throws `unauthenticated` and `forbidden`. */
function identifyCaller(request: Request, { allowedRoles, effect }: Route, access: ApiAccess): Asker {
  const { headers } = request;
  const bearer = readBearer(headers);
  const cookie = bearer === null ? readCookie(headers) : null;
  if (effect !== 'read' && bearer === null) requireOwnPage(headers);
  if (allowedRoles === 'anybody')
    return {
      ...{ role: 'reader', name: 'anybody', team: '', isSignedIn: false, expires: null },
      mayListen: () => true,
    };
  const asker =
    bearer !== null ? callerOfToken(bearer, access) : cookie !== null ? callerOfCookie(cookie, access) : null;
  if (asker === null)
    throw new SondeError('unauthenticated', {
      message: 'Nobody is known by what this request shows',
      remedy: `Send Authorization: Bearer TOKEN: sonde token ls names those there are, sonde token add NAME --workspace ${access.ports.workspace.name} --role author makes one.`,
    });
  if (!allowedRoles.includes(asker.role))
    throw new SondeError('forbidden', {
      message: `A token of the role ${asker.role} does not do this`,
      remedy: `It takes one of: ${allowedRoles.join(', ')}. sonde token add NAME --workspace ${access.ports.workspace.name} --role ROLE makes one.`,
    });
  return asker;
}

function callerOfToken(bearerToken: string, { findToken }: ApiAccess): Asker | null {
  const token = findToken(bearerToken);
  if (token === null) return null;
  const role: Role | null = token === 'wrong_place' ? null : roleOf(token);
  if (token === 'wrong_place' || role === null)
    throw new SondeError('forbidden', {
      message:
        token === 'wrong_place'
          ? 'This token is for something else'
          : 'This token opens tools of an agent, and not this interface',
      remedy: 'sonde token add NAME --workspace W --role reader makes one that does.',
    });
  const mayListen = (): boolean => hasSameRights(token, findToken(bearerToken));
  const isSignedIn = token.team !== undefined;
  return { role, name: token.name, team: token.team ?? '', isSignedIn, expires: null, mayListen };
}

function callerOfCookie(cookie: string, { ports: { records, workspace } }: ApiAccess): Asker | null {
  const { id } = workspace;
  const session = records.findSession(cookie, id);
  if (session === null) return null;
  return {
    role: 'author',
    team: '',
    isSignedIn: false,
    ...session,
    mayListen: () => records.findSession(cookie, id) !== null,
    end: (records) => records.endSession(cookie),
  };
}

/** Throws if a browser sends a write without the page's header. The server has already refused other origins. */
function requireOwnPage(headers: Headers): void {
  if (headers.has('origin') && headers.has(ownHeader)) return;
  throw new SondeError('forbidden', {
    message: 'A write without a token comes from our own page alone',
    remedy: `Send a token, or Origin and the header ${ownHeader}.`,
  });
}

function readIdempotencyKey(headers: Headers, { effect }: Route): string | null {
  const key = effect === 'read' ? null : headers.get('idempotency-key');
  if (key === null || keyPattern.test(key)) return key;
  throw new SondeError('bad_argument', {
    message: 'Idempotency-Key is no key',
    remedy: 'Give up to 200 letters, digits and . _ : -, such as a UUID.',
  });
}

const keyReusedError = (key: string): SondeError =>
  new SondeError('run_state', {
    message: `The key ${key} came with another request before`,
    remedy: 'Give each request a key of its own.',
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SondeError('bad_argument', { message: 'The body is no JSON', remedy: 'Send one JSON value.' });
  }
}

function parseInput(schema: z.ZodType | undefined, input: unknown, what: string): unknown {
  if (schema === undefined) return {};
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new SondeError('bad_argument', {
    message:
      `${what} does not fit: ${issues.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`).join('; ')}`.slice(
        0,
        500,
      ),
    remedy: 'GET /api/v1/openapi.json says what fits.',
    details: { issues: issues.slice(0, 20) },
  });
}

function json(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
