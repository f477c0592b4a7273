/**
 * The host's server for fronts: pages, inbox, memory, search, events and tools of a workspace, as `sonde serve` offers
 * them on one machine. A front authenticates its own clients, and shows a pass for each.
 */
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { messageOf, SondeError } from '../../core/index.ts';
import type { HostSeat } from '../../store/index.ts';
import { type Connection, capabilitySet, mcpHandler, outside, type ToolHost } from '../../tools/index.ts';
import type { OpenApi } from '../http/open-api.ts';
import { bodyOfError, statusOf } from '../http/statuses.ts';
import { bearerIn, type ServerApp, type ServerEnvironment } from '../server/server-part.ts';
import type { Token, TokenPlace } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { newPassKey, type PassHolder, readPass } from './host-pass.ts';

/** The address at which fronts reach the host. */
export interface HostAddress {
  readonly url: string;
  /** The file with the certificate that it shows; null: it speaks plainly, on its own machine. */
  readonly certFile: string | null;
}

/** What a host publishes about itself in the store. */
export interface AboutHost {
  readonly worker: string;
  readonly version: string;
  readonly url: string;
  /** Trusted beside those that everybody trusts; PEM. */
  readonly certificate: string | null;
  /** Signs passes. */
  readonly key: string;
}

/** The address under which the client asked its front. */
export const originHeader = 'x-sonde-origin';

/** A key is used for so long, and counts for as long again. Milliseconds. */
const keyMs = 5 * 60_000;
/** The server shows a renewed certificate at once, and fronts trust it as soon as it is told. Milliseconds. */
const lookMs = 2_000;

export interface HostPasses {
  /** Null if it is no pass of this host, or has expired. */
  findToken(shown: string): Token | null;
  holder(shown: string): Connection | null;
  close(): void;
}

interface HostPassesOptions {
  readonly worker: string;
  readonly place: TokenPlace;
  readonly tell: (line: string) => void;
  /** Between two looks at the certificate. Milliseconds. */
  readonly everyMs?: number;
}

/** Makes the keys of passes, and tells fronts of the newest. */
export async function openHostPasses(
  seat: Pick<HostSeat, 'setAbout' | 'isHeld'>,
  { url, certFile }: HostAddress,
  { worker, place, tell, everyMs = lookMs }: HostPassesOptions,
): Promise<HostPasses> {
  let keys: readonly string[] = [];
  let told: string | null = null;
  const connections = new Map<string, Connection>();

  async function renew(): Promise<void> {
    keys = [newPassKey(), ...keys].slice(0, 2);
    await say();
  }
  async function say(): Promise<void> {
    const certificate = certFile === null ? null : readFileSync(certFile, 'utf8');
    await seat.setAbout({ worker, version: version(), url, certificate, key: keys[0]! } satisfies AboutHost);
    told = certificate;
  }
  async function sayRenewed(): Promise<void> {
    if (certFile !== null && readFileSync(certFile, 'utf8') !== told) await say();
  }
  function read(shown: string): PassHolder | null {
    return seat.isHeld() ? readPass(keys, shown) : null;
  }
  await renew();
  const renewing = setInterval(
    () => void renew().catch((thrown: unknown) => tell(`fronts: ${messageOf(thrown)}`)),
    keyMs,
  );
  // While the file is being replaced it may not be there: it is looked at again.
  const looking = setInterval(() => void sayRenewed().catch(() => {}), everyMs);
  return {
    findToken(shown) {
      const holder = read(shown);
      if (holder === null) return null;
      const { name, allow, author, team = '' } = holder;
      const own = { kept: false, sender: null, secretFile: null, created: 0 } as const;
      return { name, place, allow, author, ...own, ...(team !== '' && { team }) };
    },
    holder(shown) {
      const holder = read(shown);
      if (holder === null) return null;
      const { name, allow, client, team } = holder;
      const key = JSON.stringify([client, name, allow, team]);
      // One connection for each holder, kept while this worker is the host, since it remembers which pages were read.
      const connection =
        connections.get(key) ??
        outside(name, client, allow === null ? new Set<never>() : capabilitySet(allow));
      connections.set(key, connection);
      return connection;
    },
    close() {
      clearInterval(renewing);
      clearInterval(looking);
    },
  };
}

export interface HostEndpointOptions {
  readonly host: ToolHost;
  readonly passes: HostPasses;
  readonly api: Pick<OpenApi, 'parts'>;
  /** Throws where this process may no longer write. */
  readonly checkWrite: () => void;
  readonly onError: (message: string) => void;
}

export interface HostEndpoint {
  /** `path`: as the front was asked, with its query. */
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
    // An expired pass is not the client's fault: its front makes a new one.
    if (passes.findToken(bearerIn(req.raw.headers) ?? '') === null) return refusalResponse(noPass());
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
  Response.json(bodyOfError(error), {
    status: statusOf(error.code),
    headers: { 'retry-after': '5', ...(error.code === 'unauthenticated' && { [passHeader]: 'refused' }) },
  });

const noPass = (): SondeError =>
  new SondeError('unauthenticated', {
    message: 'Only fronts of this workspace are let in here, with a pass of its host',
    remedy: 'Ask a front: sonde serve with the same store.',
  });
