/** A part of the server: its routes on the shared port, and whether it is ready. */
import type { HttpBindings } from '@hono/node-server';
import type { Meter } from '@opentelemetry/api';
import type { Hono } from 'hono';

export interface ServerEnvironment {
  readonly Bindings: HttpBindings;
}
export type ServerApp = Hono<ServerEnvironment>;

/** 401: the token is unknown; 403: it is known, and may not read this. */
export interface MetricsDenied {
  readonly status: 401 | 403;
  readonly why: string;
}

export interface ServerPart {
  readonly name: string;
  /** Adds its routes, once, before anything listens. Requests come in only from where they may. */
  mount(app: ServerApp): void;
  /** Why it cannot take work now; null: it can. */
  notReady?(): Promise<string | null> | string | null;
  /** True: it finishes open work, and takes no new work. */
  isDraining?(): boolean;
  /** Adds its metrics to the meter, when they are first asked for. The counters begin when the part is made, not here. */
  measure?(meter: Meter): void;
  /** Why the holder of this bearer token may not read the metrics; null: it may. */
  readRefusal?(token: string | null): MetricsDenied | null;
}

/** The token in the header `Authorization: Bearer TOKEN`; null if there is none. */
export const readBearer = (headers: Headers): string | null =>
  /^Bearer\s+(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
