/** The interface over HTTP, as the page asks it: one function to read, one to write, errors as the server says them. */

export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

export class ApiError extends Error {
  readonly status: number;
  readonly trouble: Trouble;
  constructor(status: number, trouble: Trouble) {
    super(trouble.message);
    this.name = 'ApiError';
    this.status = status;
    this.trouble = trouble;
  }
}

const base = '/api/v1';

const noServer: Trouble = {
  code: 'no_server',
  message: 'The server does not answer',
  remedy: 'Is sonde still running? Start it again with sonde ui; this page goes on by itself.',
};

/** Told when nobody is known any more by what this window shows. */
const lockedOut = new Set<() => void>();
export function onLockedOut(tell: () => void): () => void {
  lockedOut.add(tell);
  return () => lockedOut.delete(tell);
}

/** The trouble of a thrown value, as views show it. */
export const troubleOf = (thrown: unknown): Trouble =>
  thrown instanceof ApiError
    ? thrown.trouble
    : {
        code: 'page',
        message: thrown instanceof Error ? thrown.message : String(thrown),
        remedy: 'Load the page again; if it stays, report it.',
      };

async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, { credentials: 'same-origin', cache: 'no-store', ...init });
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw new ApiError(0, noServer);
  }
  const body = (await response.json().catch(() => null)) as { error?: Trouble } | null;
  if (response.ok) return body as Answer;
  if (response.status === 401) for (const tell of lockedOut) tell();
  const trouble = body?.error;
  throw new ApiError(
    response.status,
    typeof trouble === 'object'
      ? trouble
      : { code: 'failed', message: `The server answered ${response.status}`, remedy: 'Its log says why.' },
  );
}

/** Asked before the view that needs it is there. */
const begun = new Map<string, Promise<unknown>>();

/** The first `read` of this path takes what is begun here. */
export function begin(path: string): void {
  const asked = ask<unknown>(path, {});
  begun.set(path, asked);
  asked.catch(() => {
    // Called when the session is no longer valid.
  });
}

export function read<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const asked = begun.get(path);
  begun.delete(path);
  return (asked as Promise<Answer> | undefined) ?? ask<Answer>(path, signal === undefined ? {} : { signal });
}

/** Sends a write with an idempotency key of its own, so that it counts once even if it is sent twice. */
export const write = <Answer>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> =>
  ask<Answer>(path, {
    method,
    headers: {
      'x-sonde': 'page',
      'idempotency-key': crypto.randomUUID(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

export interface List<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Adds limit and cursor to a path, which may have a query already. */
export const after = (path: string, cursor: string | null, limit = 200): string =>
  `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
