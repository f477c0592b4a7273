/**
 * The contract of the interface over HTTP: a route is data. Its schemas check what comes in and what goes out, the
 * document of the interface is made of them, and what it says about callers is what is asked at the door.
 *
 * A handler must not: look at who asks beyond what `asker` says, answer what its schema does not hold, or keep
 * anything between two requests but by its ports.
 */
import type { z } from 'zod';
import type { ErrorCode } from '../../core/index.ts';
import type { Asker, Role } from './askers.ts';
import type { ApiPorts } from './ports.ts';

/**
 * read: changes nothing that anybody would see. write: changes something. author: an act of the person whose workspace
 * it is, which no agent has a tool for.
 */
export type RouteEffect = 'read' | 'write' | 'author';
export type Method = 'get' | 'post' | 'patch' | 'delete';

export interface Ask<Params = never, Query = never, Body = never> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly asker: Asker;
  /** As `Idempotency-Key`; null: none. */
  readonly key: string | null;
  /** What of a value this asker may see: secrets are for the author alone. */
  readonly shown: (value: unknown) => unknown;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

export interface Route {
  /** The verb of a client: `listInbox`. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** Who may; `anybody` shows what he knows in the request itself. */
  readonly may: readonly Role[] | 'anybody';
  readonly effect: RouteEffect;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Of the body of a good answer; events and files have a media type instead. */
  readonly answer: z.ZodType | { readonly media: string; readonly of: string };
  readonly status: 200 | 201 | 202;
  /** Beyond those that every route has. */
  readonly errors: readonly ErrorCode[];
  handle(ask: Ask, ports: ApiPorts): unknown;
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
    ask: Ask<Output<Params, Record<never, never>>, Output<Query, Record<never, never>>, Output<Body, null>>,
    ports: ApiPorts,
  ): Answer extends z.ZodType
    ? z.input<Answer> | Response | Promise<z.input<Answer> | Response>
    : Response | Promise<Response>;
}

/** A route as the table holds it, its handler checked against its schemas. */
export const route = <
  const Answer extends Route['answer'],
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  draft: Draft<Params, Query, Body, Answer>,
): Route => Object.freeze({ status: 200, errors: [], ...draft } as unknown as Route);
