/**
 * The server through which fronts (processes that serve clients) reach the host, the worker that has a workspace open.
 * It offers the pages, inbox, memory, search, events and tools of the workspace, as `sonde serve` does on one machine.
 * A front authenticates its own clients, and shows a pass for each.
 */
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { messageOf, SondeError } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import {
  type Connection,
  capabilitySet,
  externalConnection,
  mcpHandler,
  type ToolHost,
} from '../../tools/index.ts';
import type { OpenApi } from '../http/open-api.ts';
import { statusOf, toErrorBody } from '../http/statuses.ts';
import { readBearer, type ServerApp, type ServerEnvironment } from '../server/server-part.ts';
import type { Token, TokenPlace } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { createPassKey, type PassHolder, readPass } from './host-pass.ts';

/** The address at which fronts reach the host. */
export interface HostAddress {
  readonly url: string;
  /** The file with its TLS certificate; null: no TLS, since fronts are on the same machine. */
  readonly certFile: string | null;
}

/** What a host publishes about itself in the store. */
export interface HostDescription {
  readonly worker: string;
  readonly version: string;
  readonly url: string;
  /** A certificate that fronts trust besides the usual ones; PEM. */
  readonly certificate: string | null;
  /** Signs passes. */
  readonly key: string;
}

/** The header with the origin under which the client reached its front. */
export const originHeader = 'x-sonde-origin';

/** How long a key signs new passes. The host accepts its passes for as long again after that. Milliseconds. */
const keyMs = 5 * 60_000;
/** How often the certificate file is checked, so that fronts soon trust a renewed one. Milliseconds. */
const lookMs = 2_000;

export interface PassCheck {
  /** The token that a pass stands for; null: the pass is not from this host, or has expired. */
  findToken(bearer: string): Token | null;
  findConnection(bearer: string): Connection | null;
  close(): void;
}

interface HostPassesOptions {
  readonly worker: string;
  readonly place: TokenPlace;
  readonly tell: (line: string) => void;
  /** The interval between checks of the certificate. Milliseconds. */
  readonly everyMs?: number;
}

/** Creates the keys that sign passes, and publishes the newest to fronts. */
export async function openPassCheck(
  seat: Pick<HostSeat, 'setAbout' | 'isHeld'>,
  { url, certFile }: HostAddress,
  { worker, place, tell, everyMs = lookMs }: HostPassesOptions,
): Promise<PassCheck> {
  let keys: readonly string[] = [];
  let publishedCertificate: string | null = null;
  const connections = new Map<string, Connection>();

  async function renewKeys(): Promise<void> {
    keys = [createPassKey(), ...keys].slice(0, 2);
    await publishAbout();
  }
  async function publishAbout(): Promise<void> {
    const certificate = certFile === null ? null : readFileSync(certFile, 'utf8');
    await seat.setAbout({
      worker,
      version: version(),
      url,
      certificate,
      key: keys[0]!,
    } satisfies HostDescription);
    publishedCertificate = certificate;
  }
  async function publishRenewed(): Promise<void> {
    if (certFile !== null && readFileSync(certFile, 'utf8') !== publishedCertificate) await publishAbout();
  }
  function readValidPass(bearer: string): PassHolder | null {
    return seat.isHeld() ? readPass(keys, bearer) : null;
  }
  await renewKeys();
  const renewTimer = setInterval(
    () => void renewKeys().catch((thrown: unknown) => tell(`fronts: ${messageOf(thrown)}`)),
    keyMs,
  );
  // The file may be missing while it is being replaced; the next check reads it then.
  const lookTimer = setInterval(() => void publishRenewed().catch(() => {}), everyMs);
  return {
    findToken(bearer) {
      const holder = readValidPass(bearer);
      if (holder === null) return null;
      const { name, allow, author, team = '' } = holder;
      const tokenFields = { kept: false, sender: null, secretFile: null, created: 0 } as const;
      return { name, place, allow, author, ...tokenFields, ...(team !== '' && { team }) };
    },
    findConnection(bearer) {
      const holder = readValidPass(bearer);
      if (holder === null) return null;
      const { name, allow, client, team } = holder;
      const key = JSON.stringify([client, name, allow, team]);
      // One connection for each holder, kept while this worker is the host, since it remembers which pages were read.
      const connection =
        connections.get(key) ??
        externalConnection(name, client, allow === null ? new Set<never>() : capabilitySet(allow));
      connections.set(key, connection);
      return connection;
    },
    close() {
      clearInterval(renewTimer);
      clearInterval(lookTimer);
    },
  };
}

export interface HostEndpointOptions {
  readonly host: ToolHost;
  readonly passes: PassCheck;
  readonly api: Pick<OpenApi, 'parts'>;
  /** Throws if this process may no longer write. */
  readonly checkWrite: () => void;
  readonly onError: (message: string) => void;
}

export interface HostEndpoint {
  /** `path`: the path and query of the client's request to the front. */
  answer(request: Request, path: string): Promise<Response>;
  close(): Promise<void>;
}

export async function openHostEndpoint({
  host,
  passes,
  api,
  checkWrite,
  onError,
}: HostEndpointOptions): Promise<HostEndpoint> {
  const tools = await mcpHandler({ host, grants: passes, version: version(), onError });
  const app: ServerApp = new Hono<ServerEnvironment>();
  app.use(async ({ req }, next) => {
    // Refused with `passHeader`, so that the front tries again with a new pass instead of refusing its client.
    if (passes.findToken(readBearer(req.raw.headers) ?? '') === null) return refusalResponse(noPassError());
    if (!['GET', 'HEAD'].includes(req.method)) checkWrite();
    return next();
  });
  app.onError((error) => {
    if (error instanceof SondeError) return refusalResponse(error);
    onError(messageOf(error));
    return Response.json(
      { error: 'the request failed here; the log of the worker says why' },
      { status: 500 },
    );
  });
  app.all('/mcp', ({ req }) => tools.answer(req.raw));
  for (const part of api.parts) part.mount(app);
  return {
    async answer(request, path) {
      const origin = request.headers.get(originHeader) ?? 'http://localhost';
      return app.fetch(new Request(new URL(path, origin), request));
    },
    close: () => tools.close(),
  };
}

/** This header tells a front that the host itself refused the request. */
export const passHeader = 'x-sonde-pass';

const refusalResponse = (error: SondeError): Response =>
  Response.json(toErrorBody(error), {
    status: statusOf(error.code),
    headers: { 'retry-after': '5', ...(error.code === 'unauthenticated' && { [passHeader]: 'refused' }) },
  });

const noPassError = (): SondeError =>
  new SondeError('unauthenticated', {
    message: 'Only fronts of this workspace are let in here, with a pass of its host',
    remedy: 'Ask a front: sonde serve with the same store.',
  });
