/**
 * The contract of the HTTP interface: a route is data. Its schemas check requests and answers, the OpenAPI document is
 * generated from them, and its roles are checked before the handler runs. A handler must not: look at the caller beyond
 * `asker`, answer with anything outside of its schema, or keep state between two requests except through its ports.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../core/index.ts';
import type { Asker, Role } from './askers.ts';
import type { ApiPorts } from './ports.ts';

/**
 * read: changes nothing visible. write: changes something. author: an act of the owner of the workspace, for which
 * agents have no tool.
 */
export type RouteEffect = 'read' | 'write' | 'author';
export type Method = 'get' | 'post' | 'patch' | 'delete';

export interface RouteRequest<Params = never, Query = never, Body = never> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly asker: Asker;
  /** The `Idempotency-Key` header; null: none. */
  readonly key: string | null;
  /** The value as this caller may see it: only the author sees secrets. */
  readonly maskForCaller: (value: unknown) => unknown;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

export interface Route {
  /** The name of the operation, such as `listInbox`. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The roles that may call it. `anybody`: the request must prove its right itself. */
  readonly allowedRoles: readonly Role[] | 'anybody';
  readonly effect: RouteEffect;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The schema of a successful answer; events and files have a media type instead. */
  readonly answer:
    | z.ZodType
    | {
        readonly media: string;
        readonly of: string;
        /** For a stream: the schema of each event's data. Each event has an id. */
        readonly event?: z.ZodType;
      };
  readonly status: 200 | 201 | 202;
  /** The errors of this route, besides those that every route has. */
  readonly errors: readonly ErrorCode[];
  handle(ask: RouteRequest, ports: ApiPorts): unknown;
}

type Output<Schema, None> = Schema extends z.ZodType ? z.output<Schema> : None;

interface Draft<
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  Answer,
> extends Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'status' | 'errors' | 'handle'> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  readonly status?: Route['status'];
  readonly errors?: readonly ErrorCode[];
  handle(
    ask: RouteRequest<
      Output<Params, Record<never, never>>,
      Output<Query, Record<never, never>>,
      Output<Body, null>
    >,
    ports: ApiPorts,
  ): Answer extends z.ZodType
    ? z.input<Answer> | Response | Promise<z.input<Answer> | Response>
    : Response | Promise<Response>;
}

/** Makes a route for the table. The types of its handler are checked against its schemas. */
export const route = <
  const Answer extends Route['answer'],
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  draft: Draft<Params, Query, Body, Answer>,
): Route => Object.freeze({ status: 200, errors: [], ...draft } as unknown as Route);
