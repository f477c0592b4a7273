/** A client of the HTTP interface for any program with `fetch`. Its types come from the OpenAPI document. */
import { type Operations, operations } from './operations.ts';

export interface ApiAddress {
  /** `http://127.0.0.1:7077`, as `sonde serve` prints it. */
  readonly address: string;
  /** As printed by `sonde token add NAME --workspace W --role author`. */
  readonly token: string;
  readonly fetch?: typeof fetch;
}

export type OperationId = keyof Operations;
type StreamOperation = {
  [Id in OperationId]: Operations[Id]['answer'] extends EventStream<unknown> ? Id : never;
}[OperationId];

/** The type of an answer that is a stream of events. */
export interface EventStream<Data> {
  readonly stream: 'events';
  /** The type of each event's data. */
  readonly data: Data;
}

type DataOf<Id extends StreamOperation> =
  Operations[Id]['answer'] extends EventStream<infer Data> ? Data : never;

type RequestPart<Part, Value> = [Value] extends [undefined]
  ? { readonly [Name in Part & string]?: never }
  : undefined extends Value
    ? { readonly [Name in Part & string]?: Value }
    : { readonly [Name in Part & string]: Value };

/** The input of an operation: path parameters, query parameters, body. */
export type ApiRequest<Id extends OperationId> = RequestPart<'params', Operations[Id]['params']> &
  RequestPart<'query', Operations[Id]['query']> &
  RequestPart<'body', Operations[Id]['body']> & {
    /** The idempotency key: requests with the same key are done once. */
    readonly key?: string;
    readonly signal?: AbortSignal;
  };

export interface ApiEvent<Data = unknown> {
  /** Null: the event is not stored, and is not sent again after a reconnect. */
  readonly id: string | null;
  readonly kind: string;
  readonly data: Data;
}

export interface ApiClient {
  /** Throws `ApiFailure`. */
  request<Id extends OperationId>(id: Id, request: ApiRequest<Id>): Promise<Operations[Id]['answer']>;
  /**
   * Events from the beginning, or after `last`. If the connection breaks, it continues after the last event. Throws
   * `ApiFailure` with the status 410 if later events are no longer stored.
   */
  follow<Id extends StreamOperation>(
    id: Id,
    request: ApiRequest<Id> & { readonly last?: string },
  ): AsyncGenerator<ApiEvent<DataOf<Id>>, void, undefined>;
  /** All items of a list, page after page. */
  all<Id extends OperationId>(
    id: Id,
    request: ApiRequest<Id>,
  ): AsyncGenerator<
    Operations[Id]['answer'] extends { readonly items: readonly (infer Item)[] } ? Item : never
  >;
}

/** A refusal of the server, with its message. */
export class ApiFailure extends Error {
  readonly status: number;
  /** One of the codes in docs/errors.md. */
  readonly code: string;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    {
      code,
      message,
      remedy,
      details = {},
    }: Pick<ApiFailure, 'code' | 'message' | 'remedy'> & Partial<Pick<ApiFailure, 'details'>>,
  ) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = code;
    this.remedy = remedy;
    this.details = details;
  }
}

/** The wait before reconnecting to a stream. Milliseconds. */
const reconnectMs = 500;

interface UntypedRequest {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly last?: string;
}

/** A client of one server, with one token. */
export function apiClient({ address, token, fetch: doFetch = globalThis.fetch }: ApiAddress): ApiClient {
  const baseUrl = `${address.replace(/\/+$/, '')}/api/v1`;

  async function send(
    id: OperationId,
    { params = {}, query = {}, body, key, signal, last }: UntypedRequest,
  ): Promise<Response> {
    const [method, path] = operations[id];
    const pathname = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(params[name])),
    );
    const queryString = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    ).toString();
    const response = await doFetch(`${baseUrl}${pathname}${queryString === '' ? '' : `?${queryString}`}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(last !== undefined && { 'last-event-id': last }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (!response.ok) throw await toFailure(response);
    return response;
  }

  async function* follow(
    id: OperationId,
    request: UntypedRequest,
  ): AsyncGenerator<ApiEvent, void, undefined> {
    let { last } = request;
    for (;;) {
      try {
        const response = await send(id, { ...request, ...(last !== undefined && { last }) });
        for await (const event of readEvents(response)) {
          if (event.kind === 'end') return;
          last = event.id ?? last;
          yield event;
        }
      } catch (thrown) {
        const isFinal = thrown instanceof ApiFailure && thrown.status !== 503;
        if (isFinal || request.signal?.aborted === true) throw thrown;
      }
      await new Promise((done) => setTimeout(done, reconnectMs));
    }
  }

  return {
    async request(id, request) {
      const response = await send(id, request as UntypedRequest);
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      return (isJson ? response.json() : response.text()) as never;
    },
    follow: (id, request) => follow(id, request as UntypedRequest) as never,
    async *all(id, request) {
      const untypedRequest = request as UntypedRequest;
      for (let cursor: unknown = untypedRequest.query?.['cursor']; ; ) {
        const response = await send(id, { ...untypedRequest, query: { ...untypedRequest.query, cursor } });
        const { items, next } = (await response.json()) as { items: never[]; next: string | null };
        yield* items;
        if (next === null) return;
        cursor = next;
      }
    },
  };
}

async function toFailure(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => null)) as { error?: ApiFailure } | null;
  const { error } = body ?? {};
  if (typeof error === 'object') return new ApiFailure(response.status, error);
  const message = `The server answered ${response.status}`;
  return new ApiFailure(response.status, { code: 'internal', message, remedy: 'Is this a Sonde server?' });
}

async function* readEvents(response: Response): AsyncGenerator<ApiEvent> {
  const decoder = new TextDecoder();
  let unparsedText = '';
  for await (const piece of response.body ?? []) {
    unparsedText += decoder.decode(piece, { stream: true });
    const eventTexts = unparsedText.split('\n\n');
    unparsedText = eventTexts.pop() ?? '';
    for (const text of eventTexts) {
      const readField = (name: string): string | undefined =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
      const data = readField('data');
      if (data !== undefined)
        yield { id: readField('id') ?? null, kind: readField('event') ?? 'message', data: JSON.parse(data) };
    }
  }
}
