/**
 * Recorded requests to a system and its replies, as data: `testbed/recorded.json` beside each client. The replies have
 * the structure of real ones, with invented values. `compared_with` names the real systems that they were compared with;
 * `scripts/record-signals.ts` compares them again.
 */
import { readFileSync } from 'node:fs';
import { maskDeep, maskSecrets, removeKnownSecrets, type Signal } from '../core/index.ts';
import { askQuestion } from './asking.contract.ts';

export interface Recording {
  readonly system: string;
  readonly compared_with: readonly {
    readonly what: string;
    readonly version: string;
    readonly url: string;
  }[];
  /** ISO 8601. */
  readonly window: { readonly baseline_from: string; readonly from: string; readonly to: string };
  /** Paths of objects whose keys a user chooses, such as labels: `result[].stream`. */
  readonly free_keys: readonly string[];
  readonly exchanges: readonly Exchange[];
}

export interface Exchange {
  readonly question: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly calls: readonly Call[];
  /** The text of the observation by lines, or the failure. */
  readonly observed: readonly string[];
}

export interface Call {
  /** Path with its query, names in order. */
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly reply: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** JSON, or a text. */
    readonly body: unknown;
  };
}

/** Headers that clients use. Only these are recorded. */
const keptHeaders =
  /^(content-type|link|retry-after|x-next-page|x-page|x-per-page|x-prev-page|x-ratelimit-(limit|remaining|reset)|ratelimit-(limit|remaining|reset))$/;

export function readRecording(folder: string): Recording {
  return JSON.parse(readFileSync(`${folder}/testbed/recorded.json`, 'utf8')) as Recording;
}

/** The body of a recorded reply, from which a fake can derive replies of the same structure. */
export function readRecordedBody<Body>({ exchanges }: Recording, question: string, call = 0): Body {
  const found = exchanges.find((one) => one.question === question)?.calls[call];
  if (found === undefined) throw new Error(`No reply was recorded for ${question}, call ${call}.`);
  return found.reply.body as Body;
}

export function windowOf({ window }: Recording) {
  const [baseline_from, from, to] = [window.baseline_from, window.from, window.to].map((at) =>
    Date.parse(at),
  );
  return { baseline_from: baseline_from!, from: from!, to: to!, derivation: 'a recording' };
}

/** Answers each recorded request once with its reply. `left`: the requests that were not made. */
export function replay(calls: readonly Call[]): {
  readonly fetch: typeof globalThis.fetch;
  left(): readonly Call['request'][];
} {
  const left = [...calls];
  return {
    left: () => left.map(({ request }) => request),
    async fetch(url, init) {
      const request = requestOf(url, init);
      const at = left.findIndex((one) => JSON.stringify(one.request) === JSON.stringify(request));
      if (at < 0) throw new Error(`nothing was recorded for ${JSON.stringify(request)}`);
      const [{ reply }] = left.splice(at, 1) as [Call];
      const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
      return new Response(text, { status: reply.status, headers: reply.headers });
    },
  };
}

/** Passes requests on, and records them with their replies, without secrets. */
export function recorder(real: typeof globalThis.fetch): {
  readonly fetch: typeof globalThis.fetch;
  takeCalls(): readonly Call[];
} {
  let calls: Call[] = [];
  return {
    takeCalls() {
      const done = calls;
      calls = [];
      return done;
    },
    async fetch(url, init) {
      const response = await real(url, init);
      const text = await response.clone().text();
      const secrets = [...new Headers(init?.headers)]
        .filter(([name]) => /authorization|token|key/.test(name))
        .map(([, value]) => value.replace(/^\w+ /, ''));
      const json = /json/.test(response.headers.get('content-type') ?? '');
      calls.push({
        request: requestOf(url, init),
        reply: {
          status: response.status,
          headers: Object.fromEntries([...response.headers].filter(([name]) => keptHeaders.test(name))),
          body: json
            ? maskDeep(JSON.parse(removeKnownSecrets(text, secrets)))
            : maskSecrets(removeKnownSecrets(text, secrets)),
        },
      });
      return response;
    },
  };
}

/** Asks a question of a recording; returns the lines of the reply. */
export async function observe(
  signal: Signal,
  { question, arguments: args }: Pick<Exchange, 'question' | 'arguments'>,
  window: ReturnType<typeof windowOf>,
): Promise<readonly string[]> {
  const reply = await askQuestion(signal, question, args, window);
  if (reply.kind === 'failure') return [`${reply.reason}: ${reply.message}`];
  return [...reply.text.split('\n'), ...reply.notes.map((note) => `(${note})`)];
}

/** The differences in structure between recorded replies and real ones, as paths: `gone`, `added` and `changed`. */
export function driftOf(
  recorded: readonly Call[],
  real: readonly Call[],
  freeKeys: readonly string[],
): {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
} {
  const [before, now] = [recorded, real].map((calls) => {
    const shape: Shape = new Map();
    for (const { reply } of calls) addShape(shape, reply.body, '', freeKeys);
    return shape;
  }) as [Shape, Shape];
  return {
    gone: [...before.keys()].filter((place) => !now.has(place)),
    added: [...now.keys()].filter((place) => !before.has(place)),
    changed: [...before].flatMap(([place, kinds]) => {
      const found = now.get(place);
      if (found === undefined || [...found].some((kind) => kinds.has(kind))) return [];
      return [`${place}: ${[...kinds].join(' or ')}, now ${[...found].join(' or ')}`];
    }),
  };
}

type Shape = Map<string, Set<string>>;

function addShape(shape: Shape, value: unknown, place: string, freeKeys: readonly string[]): void {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  shape.set(place, (shape.get(place) ?? new Set()).add(kind));
  if (freeKeys.includes(place)) return;
  if (Array.isArray(value)) for (const one of value) addShape(shape, one, `${place}[]`, freeKeys);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value))
      addShape(shape, one, place === '' ? name : `${place}.${name}`, freeKeys);
}

function requestOf(url: string | URL | Request, init: RequestInit | undefined): Call['request'] {
  const { pathname, searchParams } = new URL(url instanceof Request ? url.url : url);
  searchParams.sort();
  const query = searchParams.size === 0 ? '' : `?${searchParams}`;
  return {
    method: init?.method ?? 'GET',
    path: `${pathname}${query}`,
    // A form body is recorded as text.
    ...(typeof init?.body === 'string' && {
      body: /^[[{]/.test(init.body) ? (JSON.parse(init.body) as unknown) : init.body,
    }),
  };
}
