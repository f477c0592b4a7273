/**
 * Random requests by people of three teams, over everything that a front has: each route of its OpenAPI document, what
 * stands beside it, each MCP tool that it lists, and the store as its database role. What is found has either a row of
 * another place in it, or tells a foreign thing from one that never was.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openPostgresQueue, openPostgresStore } from '../../src/bench.ts';
import { type Identity, type Place, type Scene, type Workspace, workspaces } from './foreign-scene.ts';

export interface Finding {
  readonly kind: 'seen' | 'guessed';
  readonly team: string;
  readonly front: Workspace;
  readonly operation: string;
  readonly sent: string;
  readonly what: string;
}

export interface ForeignReport {
  readonly requests: number;
  /** How many of them were about something foreign, and were compared with the same about what never was. */
  readonly compared: number;
  readonly operations: number;
  /** Of those that were asked, how many answered other than with a refusal at least once. */
  readonly answered: number;
  /** Operations that nobody asked. */
  readonly unasked: readonly string[];
  readonly statuses: Readonly<Record<string, number>>;
  /** Tokens that were made by one request, and used by later ones in the name of who made them. */
  readonly tokens: number;
  /** Answers that no request should have. */
  readonly broken: readonly string[];
  readonly findings: readonly Finding[];
}

interface Answer {
  readonly status: string;
  readonly text: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Something that can be asked. `values`: what stands in the request, by the name of its place. */
interface Operation {
  readonly name: string;
  readonly kind: 'route' | 'beside' | 'tool' | 'store';
  /** Starts work that takes long: asked more rarely. */
  readonly heavy: boolean;
  /** Only looks. */
  readonly reads: boolean;
  /** What to fill in, as a JSON schema of an object. */
  readonly schema: Schema;
  ask(as: Identity, front: Workspace, values: Values): Promise<Answer>;
}

type Values = Readonly<Record<string, unknown>>;

export interface ForeignTerms {
  readonly requests: number;
  readonly seed: number;
  readonly atOnce: number;
  /** Of which operations. Default: of all. */
  readonly only?: RegExp;
  /** A fault of the front's, for tests: what it answers in place of its answer. */
  readonly fault?: (sent: string, answer: Answer) => Answer;
}

/** The same from run to run: mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A stream is looked at for so long. Milliseconds. */
const streamMs = 120;
const maxFindings = 50;
/** Starts a turn, or makes what stays. */
const isHeavy = (path: string, method: string): boolean =>
  method !== 'get' &&
  /messages|answers|continue|edit|steer|fork|run$|completions|dry-run|search_all|python/.test(path);

export async function askAtRandom(
  scene: Scene,
  { requests, seed, atOnce, only, fault = (_sent, answer) => answer }: ForeignTerms,
): Promise<ForeignReport> {
  const { planted, fronts } = scene;
  const identities = [...scene.identities];
  const opened: (() => Promise<unknown>)[] = [];
  try {
    const operations = [
      ...(await routesOf(scene)),
      ...besideOf(scene),
      ...(await toolsOf(scene, opened)),
      ...storeOf(scene, opened),
    ].filter(({ name }) => only?.test(name) ?? true);
    const asked = new Set<string>();
    const answered = new Set<string>();
    const statuses: Record<string, number> = {};
    const findings: Finding[] = [];
    const broken: string[] = [];
    /** By front and name: which request made something there under a name that is foreign elsewhere, or was nobody's. */
    const made = new Map<string, number | 'several'>();
    let [begun, count, compared] = [0, 0, 0];
    const random = randomOf(seed);

    async function one(): Promise<void> {
      begun += 1;
      const me = begun;
      const next = randomOf(random(2 ** 31));
      const as = identities[next(identities.length)]!;
      const front = next(4) > 0 ? as.home : workspaces[next(2)]!;
      const drawn = operations[next(operations.length)]!;
      const operation = drawn.heavy && next(30) > 0 ? operations[next(operations.length)]! : drawn;
      if (operation.heavy && operation !== drawn) return;
      // What is behind a front that one may not enter at all is no place of one's own.
      const isAtHome = front === as.home || operation.kind === 'store';
      const sees: ReadonlySet<Place> = isAtHome ? as.sees : new Set();
      const sent: string[] = [];
      const values = fill(operation.schema, operation.schema, {
        random: next,
        name: '',
        pick: (name) => pick(name, { random: next, planted, sees, front, sent, reads: operation.reads }),
      }) as Values;
      const ask = async (given: Values): Promise<Answer> => {
        const text = JSON.stringify(given);
        return fault(text, await operation.ask(as, front, given));
      };
      const isMade = (id: string): boolean => ![undefined, me].includes(made.get(`${front} ${id}`) as number);
      /** Something with this in its name. */
      const hasMade = (id: string): boolean =>
        [...made.keys()].some((key) => key.startsWith(`${front} `) && key.includes(id));
      /** Others may see it before this one has its answer. */
      const making = async (ids: readonly string[], given: Values): Promise<Answer> => {
        if (operation.reads) return ask(given);
        const before = ids.map((id) => [`${front} ${id}`, made.get(`${front} ${id}`)] as const);
        for (const id of ids) made.set(`${front} ${id}`, isMade(id) ? 'several' : me);
        const told = await ask(given);
        if (!/^(2|ok)/.test(told.status))
          for (const [key, was] of before) if (was === undefined && made.get(key) === me) made.delete(key);
        return told;
      };
      asked.add(operation.name);
      const answer = await making(sent, values);
      count += 1;
      const lent = operation.name.endsWith('/tokens')
        ? /"token":"([\w-]{40,})"/.exec(answer.text)?.[1]
        : undefined;
      if (lent !== undefined) identities.push({ ...as, token: lent });
      const status = `${operation.kind} ${answer.status}`;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (!/^(40[0134]|-32|error)/.test(answer.status)) answered.add(operation.name);
      if (/^5/.test(answer.status) && broken.length < 10)
        broken.push(
          `${as.team} ${operation.name} ${JSON.stringify(values).slice(0, 200)}: ${answer.text.slice(0, 200)}`,
        );
      const found = (kind: Finding['kind'], what: string): void => {
        if (findings.length < maxFindings)
          findings.push({
            ...{ kind, team: as.team, front, operation: operation.name, what },
            sent: JSON.stringify(values).slice(0, 400),
          });
      };
      const seen = foreignIn(
        answer.text,
        planted,
        sees,
        (id) => hasMade(id) || sent.some((one) => one.includes(id)),
      );
      if (seen !== undefined) found('seen', `${seen} in ${around(answer.text, seen)}`);
      const foreign = sent.filter((id) => isForeign(id, planted, sees) && !isMade(id));
      // A key that came before gives the answer of then.
      if (foreign.length === 0 || 'idempotency_key' in values) return;
      compared += 1;
      const nobodys = foreign.map(neverOf);
      const { message_id: message } = (values['body'] ?? {}) as Schema;
      const sentAs = typeof message === 'string' ? [message, messageOfTwin(message)] : [];
      const twin = JSON.parse(
        foreign.reduce(
          (text, id) => text.replaceAll(escaped(id), escaped(neverOf(id))),
          JSON.stringify(values),
        ),
        // A message belongs to the thread that it was sent to first.
        (name, value) => (name === 'message_id' && sentAs.length > 0 ? sentAs[1] : value),
      ) as Values;
      const blankedOf = (text: string): string =>
        operation.name === 'tool run_python' ? blanked(text).replaceAll(fuel, '') : blanked(text);
      const blank = ({ status, text }: Answer): string =>
        `${status} ${[...sentAs, ...foreign, ...nobodys].flatMap(withParts).reduce((all, id) => all.replaceAll(id, '?'), blankedOf(text))}`;
      const apart = async (first: Answer): Promise<string | null> => {
        const other = await making(nobodys, twin);
        const [about, never] = [blank(first), blank(other)];
        return about === never ? null : apartFrom(about, never);
      };
      // Others change things meanwhile: what tells something tells it again.
      let told = await apart(answer);
      for (let again = 0; told !== null && again < 4; again += 1) told = await apart(await ask(values));
      if (told !== null && ![...foreign, ...nobodys].some(isMade)) found('guessed', told);
    }

    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (count < requests) await one();
      }),
    );
    return {
      ...{
        requests: count,
        compared,
        operations: operations.length,
        answered: answered.size,
        statuses,
        tokens: identities.length - scene.identities.length,
        broken,
      },
      unasked: operations.map(({ name }) => name).filter((name) => !asked.has(name)),
      findings,
    };
  } finally {
    for (const close of opened.reverse()) await close().catch(() => {});
    void fronts;
  }
}

/**
 * What counts and cursors tell: all that can be read without naming anything, asked before and after others get more
 * rows. Gives the operations whose answers changed.
 */
export async function countsTold(
  scene: Scene,
  fault: ForeignTerms['fault'] = (_sent, answer) => answer,
): Promise<readonly Finding[]> {
  const opened: (() => Promise<unknown>)[] = [];
  try {
    const operations = [...(await routesOf(scene)), ...besideOf(scene), ...storeOf(scene, opened)].filter(
      ({ name, kind }) => (kind === 'store' ? /all$/.test(name) : name.startsWith('get ')),
    );
    const look = async (): Promise<ReadonlyMap<string, string>> => {
      const all = new Map<string, string>();
      for (const as of scene.identities.filter(({ team }) => team !== 'green'))
        for (const operation of operations) {
          // The smallest page shows whether there is a next one.
          for (const limit of [1, 100]) {
            const given = { workspace: as.home, limit, q: 'quay', query: 'quay' };
            const { status, text } = fault(JSON.stringify(given), await operation.ask(as, as.home, given));
            all.set(`${as.team} ${operation.name} ${limit}`, `${status} ${blanked(text)}`);
          }
        }
      return all;
    };
    const before = await look();
    await scene.plantMore('green', 3);
    const after = await look();
    const changed = [...before].filter(([name, text]) => after.get(name) !== text);
    // What changes by itself is asked once more, without anything new.
    const later = changed.length === 0 ? after : await look();
    return changed
      .filter(([name]) => later.get(name) === after.get(name))
      .map(([name, text]) => ({
        ...{ kind: 'guessed', team: name.split(' ')[0]!, front: 'main', operation: name, sent: '' },
        what: `${text.slice(0, 300)} | ${after.get(name)?.slice(0, 300)}`,
      }));
  } finally {
    for (const close of opened.reverse()) await close().catch(() => {});
  }
}

/** Another id, as long. */
const messageOfTwin = (id: string): string => `${id.slice(0, -1)}_`;

/** What is sent comes back in errors, of some tools by its words. */
const withParts = (id: string): readonly string[] => [
  id,
  ...id.split(/\W/).filter((part) => part.length > 7),
];

/** Both from where they differ, with what stands before it. */
function apartFrom(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 100);
  return `${one.slice(0, 8)} … ${one.slice(from, at + 200)} | ${other.slice(0, 8)} … ${other.slice(from, at + 200)}`;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Of the same form, and nobody's. */
export const neverOf = (id: string): string => {
  const at = Math.max(0, id.length - 4);
  return `${id.slice(0, at)}${[...id.slice(at)]
    .map((char) =>
      /\d/.test(char) ? String((Number(char) + 3) % 10) : /[a-y]/.test(char) ? next(char) : char,
    )
    .join('')}`;
};
const next = (char: string): string => String.fromCharCode(char.charCodeAt(0) + 1);

const everything = ({ ids, asked, hidden }: Scene['planted'][Place]): readonly string[] => [
  ...Object.entries(ids).flatMap(([kind, all]) => (kind === 'team' || kind === 'workspace' ? [] : all)),
  ...asked,
  ...hidden,
];

function isForeign(id: string, planted: Scene['planted'], sees: ReadonlySet<Place>): boolean {
  return (Object.entries(planted) as [Place, Scene['planted'][Place]][]).some(
    ([place, of]) => !sees.has(place) && everything(of).includes(id),
  );
}

/** The first word or id of another place that nobody sent. */
function foreignIn(
  text: string,
  planted: Scene['planted'],
  sees: ReadonlySet<Place>,
  isKnown: (id: string) => boolean,
): string | undefined {
  const own = new Set([...sees].flatMap((place) => everything(planted[place])));
  for (const [place, of] of Object.entries(planted) as [Place, Scene['planted'][Place]][]) {
    if (sees.has(place)) continue;
    for (const id of everything(of)) if (!own.has(id) && text.includes(id) && !isKnown(id)) return id;
  }
  return undefined;
}

const around = (text: string, found: string): string => {
  const at = text.indexOf(found);
  return text.slice(Math.max(0, at - 80), at + 120);
};

/** What a program takes in a sandbox depends on its own text, which differs: one in which nothing was planted shows it. */
const fuel = /"fuel":\d+/g;

/** Without what differs from one request to the next. */
const blanked = (text: string): string =>
  text
    .replaceAll(/\b(run|pg|wr|dv|mem|bk|tk|th)-[0-9a-z]{8,24}\b/g, '$1')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/\b1[789]\d{11}\b/g, 'time')
    .replaceAll(/"(\w*ms|wall\w*)":[\d.]+/g, '"$1":0')
    .replaceAll(/sonde_[A-Za-z0-9_-]{20,}/g, 'token');

interface Picking {
  readonly random: (below: number) => number;
  readonly planted: Scene['planted'];
  readonly sees: ReadonlySet<Place>;
  readonly front: Workspace;
  readonly sent: string[];
  readonly reads: boolean;
}

const refers = /run|thread|evidence|schedule|message|question|page|source|block|incident/;

/** A word for a place of this name; what is of any place is noted. */
function pick(name: string, { random, planted, sees, front, sent, reads }: Picking): string {
  // Others use the same keys.
  if (name === 'idempotency_key') return `key-${random(40)}`;
  // What is made has names and texts of its own.
  if (!reads && name !== 'workspace' && !refers.test(name)) return `fresh${random(60)}`;
  const kind = /run|incident/.test(name)
    ? 'run'
    : /thread|talk|conversation/.test(name)
      ? 'thread'
      : /page|path|block|parent|target|item|^id$/.test(name)
        ? 'page'
        : (['schedule', 'evidence', 'message', 'team'].find((one) => name.includes(one)) ?? null);
  if (name === 'workspace')
    return random(8) > 0 ? front : ['side', 'main', 'sonde_w_side', 'none'][random(4)]!;
  const places = Object.keys(planted) as Place[];
  const wanted = random(10);
  const among = places.filter((place) => sees.has(place) === wanted >= 6);
  const place = (among.length > 0 ? among : places)[random(Math.max(1, among.length || places.length))]!;
  const { ids, asked } = planted[place];
  const of = (kind === null || random(6) === 0 ? Object.values(ids).flat() : (ids[kind] ?? [])).concat(
    kind === null || random(8) === 0 ? asked : [],
  );
  let word = of[random(Math.max(1, of.length))] ?? asked[random(asked.length)]!;
  // The beginning of an id may be enough.
  if (random(12) === 0 && word.length > 12) word = word.slice(0, -3);
  if (random(15) === 0) word = neverOf(word);
  sent.push(word);
  return word;
}

interface Filling {
  readonly random: (below: number) => number;
  readonly name: string;
  readonly pick: (name: string) => string;
}

/** Something that fits a JSON schema, most of the time. */
function fill(schema: Schema, root: Schema, { random, name, pick: word }: Filling): unknown {
  const into = (one: unknown, called = name): unknown =>
    fill((one ?? {}) as Schema, root, { random, name: called, pick: word });
  if (typeof schema['$ref'] === 'string')
    return into(
      schema['$ref']
        .split('/')
        .slice(1)
        .reduce((at: unknown, key) => (at as Schema)[key], root),
    );
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][random(schema['enum'].length)];
  for (const key of ['anyOf', 'oneOf'])
    if (Array.isArray(schema[key])) return into(schema[key][random(schema[key].length)]);
  if (Array.isArray(schema['allOf']))
    return Object.assign({}, ...schema['allOf'].map((one: unknown) => into(one) as object));
  const type = Array.isArray(schema['type']) ? schema['type'][random(schema['type'].length)] : schema['type'];
  switch (type) {
    case 'object': {
      const required = new Set((schema['required'] as readonly string[] | undefined) ?? []);
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, unknown>>)
          .filter(([key]) => required.has(key) || random(3) === 0)
          .map(([key, one]) => [key, into(one, key)]),
      );
    }
    case 'array':
      return Array.from({ length: 1 + random(2) }, () => into(schema['items']));
    case 'integer':
    case 'number':
      return [1, 2, 5, 100, Number(schema['minimum'] ?? 1)][random(5)];
    case 'boolean':
      return random(2) === 0;
    case 'null':
      return null;
    default:
      return word(name);
  }
}

async function read(response: Response): Promise<Answer> {
  const headers = [...response.headers].map(([name, value]) => (name === 'date' ? '' : `${name}: ${value}`));
  if (!(response.headers.get('content-type') ?? '').includes('event-stream'))
    return { status: String(response.status), text: `${await response.text()}\n${headers.join('\n')}` };
  const reader = response.body!.getReader();
  let text = '';
  const over = setTimeout(() => void reader.cancel().catch(() => {}), streamMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString('utf8');
    }
  } catch {
    // It was looked at for long enough.
  }
  clearTimeout(over);
  return { status: String(response.status), text };
}

interface Place_ {
  readonly method: string;
  readonly path: string;
}

function httpOperation(
  { method, path }: Place_,
  kind: Operation['kind'],
  schema: Schema,
  scene: Scene,
): Operation {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return {
    ...{ name: `${method} ${path}`, kind, heavy: isHeavy(path, method), schema, reads: method === 'get' },
    async ask(as, front, values) {
      const { body, idempotency_key: key, last_event_id: last, ...rest } = values;
      const query: Record<string, unknown> = rest;
      let at = path;
      for (const name of inPath) {
        at = at.replace(`{${name}}`, encodeURIComponent(String(query[name] ?? '')));
        delete query[name];
      }
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const address = `${scene.fronts[front].address}${at}${search.size === 0 ? '' : `?${search}`}`;
      return read(
        await fetch(address, {
          method: method.toUpperCase(),
          redirect: 'manual',
          headers: {
            authorization: `Bearer ${as.token}`,
            ...(key !== undefined && { 'idempotency-key': String(key) }),
            ...(last !== undefined && { 'last-event-id': String(last) }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
    },
  };
}

/** All of the OpenAPI document, whatever there will be. */
async function routesOf(scene: Scene): Promise<readonly Operation[]> {
  const { identities, fronts } = scene;
  const response = await fetch(`${fronts.main.address}/api/v1/openapi.json`, {
    headers: { authorization: `Bearer ${identities[0]!.token}` },
  });
  const document = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
    readonly components: unknown;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation['parameters'] ?? []) as readonly {
        readonly name: string;
        readonly required?: boolean;
        readonly schema: unknown;
      }[];
      const body = (operation['requestBody'] as Schema | undefined)?.['content'] as
        | Readonly<Record<string, { readonly schema: unknown }>>
        | undefined;
      const properties = {
        ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
        ...(body && { body: body['application/json']!.schema }),
        ...(method !== 'get' && { idempotency_key: { type: 'string' } }),
        ...(path.endsWith('/events') && { last_event_id: { type: 'integer' } }),
      };
      const required = [
        ...parameters.flatMap(({ name, required: needed }) => (needed ? [name] : [])),
        ...(body ? ['body'] : []),
      ];
      const schema = { type: 'object', properties, required, components: document.components };
      return httpOperation({ method, path }, 'route', schema, scene);
    }),
  );
}

/** What the document does not name. */
function besideOf(scene: Scene): readonly Operation[] {
  const text = { type: 'string' };
  const said = { type: 'object', properties: { text, message_id: text }, required: ['text'] };
  const answer = {
    type: 'object',
    properties: { question: text, value: text },
    required: ['question', 'value'],
  };
  const chat = {
    type: 'object',
    properties: {
      model: text,
      messages: {
        type: 'array',
        items: {
          type: 'object',
          properties: { role: { const: 'user' }, content: text },
          required: ['role', 'content'],
        },
      },
    },
    required: ['model', 'messages'],
  };
  const all: readonly (readonly [method: string, path: string, body?: Schema])[] = [
    ['get', '/'],
    ['get', '/health'],
    ['get', '/ready'],
    ['get', '/metrics'],
    ['get', '/.well-known/oauth-protected-resource/mcp'],
    ['get', '/hosts/{workspace}/api/v1/runs/{run}'],
    ['get', '/alerts'],
    ['get', '/v1/models'],
    ['get', '/v1/models/{model}'],
    ['post', '/v1/chat/completions', chat],
    ['get', '/threads'],
    ['get', '/threads/{thread}'],
    ['get', '/threads/{thread}/events'],
    ['get', '/threads/{thread}/messages'],
    ['post', '/threads/{thread}/messages', said],
    ['post', '/threads/{thread}/answers', answer],
    ['post', '/threads/{thread}/continue', { type: 'object' }],
    ['post', '/threads/{thread}/cancel', { type: 'object' }],
    ['post', '/threads/{thread}/drop', { type: 'object' }],
  ];
  return all.map(([method, path, body]) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const properties = {
      ...Object.fromEntries(names.map((name) => [name, text])),
      ...(body && { body }),
      ...(path.endsWith('/events') && { last_event_id: { type: 'integer' } }),
    };
    const schema = { type: 'object', properties, required: [...names, ...(body ? ['body'] : [])] };
    return httpOperation({ method, path }, 'beside', schema, scene);
  });
}

/** Every tool and resource that somebody is shown. */
async function toolsOf(scene: Scene, opened: (() => Promise<unknown>)[]): Promise<readonly Operation[]> {
  const clients = new Map<string, Client>();
  const tools = new Map<string, { readonly schema: Schema; readonly reads: boolean }>();
  for (const as of scene.identities)
    for (const workspace of workspaces) {
      const client = new Client({ name: 'bench', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${as.token}` } };
      const url = new URL(`${scene.fronts[workspace].address}/mcp`);
      try {
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      } catch (thrown) {
        if (workspace === as.home) throw thrown;
        continue;
      }
      opened.push(() => client.close());
      clients.set(`${as.team} ${workspace}`, client);
      for (const { name, inputSchema, annotations } of (await client.listTools()).tools)
        tools.set(name, { schema: inputSchema as Schema, reads: annotations?.readOnlyHint === true });
    }
  const over = (
    name: string,
    { schema, reads = true, heavy = false }: { schema: Schema; reads?: boolean; heavy?: boolean },
    ask: (client: Client, values: Values) => unknown,
  ): Operation => ({
    ...{ name, kind: 'tool', schema, heavy, reads },
    async ask(as, front, values) {
      const client = clients.get(`${as.team} ${front}`);
      if (client === undefined) return { status: '403', text: '' };
      try {
        const result = (await ask(client, values)) as { readonly isError?: boolean };
        return { status: result.isError === true ? 'error' : 'ok', text: JSON.stringify(result) };
      } catch (thrown) {
        const { code, message, data } = thrown as { code?: unknown; message?: string; data?: unknown };
        return { status: String(code ?? 'thrown'), text: `${message} ${JSON.stringify(data ?? null)}` };
      }
    },
  });
  const one = (name: string): Schema => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  });
  return [
    ...[...tools].map(([name, tool]) =>
      over(
        `tool ${name}`,
        { ...tool, heavy: /python|investigate|ask$|research/.test(name) },
        (client, values) => client.callTool({ name, arguments: values }),
      ),
    ),
    over('tools/call anything', { schema: one('run') }, (client, { run }) =>
      client.callTool({ name: String(run), arguments: {} }),
    ),
    over('resources/read', { schema: one('run') }, (client, { run }) =>
      client.readResource({ uri: `sonde://run/${encodeURIComponent(String(run))}` }),
    ),
  ];
}

/** The store and its queue in the name of a team, as a front comes to it. */
function storeOf(
  { frontUrl: url, identities }: Scene,
  opened: (() => Promise<unknown>)[],
): readonly Operation[] {
  const all = new Map(
    identities.map(({ team }) => {
      const store = openPostgresStore({ url, team, runsOf: team, maxConnections: 3 });
      const queue = openPostgresQueue({ url, team, maxConnections: 3 });
      opened.push(
        () => store.close(),
        () => queue.close(),
      );
      return [team, { store, queue }] as const;
    }),
  );
  type Ports = {
    readonly store: ReturnType<typeof openPostgresStore>;
    readonly queue: ReturnType<typeof openPostgresQueue>;
  };
  const text = { type: 'string' };
  const operation = (name: string, work: (ports: Ports, run: string) => Promise<unknown>): Operation => ({
    ...{ name: `store ${name}`, kind: 'store', heavy: false, reads: true },
    schema: { type: 'object', properties: { run: text }, required: ['run'] },
    async ask({ team }, _front, values) {
      try {
        return {
          status: 'ok',
          text: JSON.stringify((await work(all.get(team)!, String(values['run']))) ?? null),
        };
      } catch (thrown) {
        const { code, message } = thrown as { code?: unknown; message?: string };
        return { status: `error ${code}`, text: String(message) };
      }
    },
  });
  const states = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const;
  return [
    operation('runs.get', ({ store }, run) => store.runs.get(run)),
    operation('runs.list all', ({ store }) => store.runs.list(100)),
    operation('runs.isHeld', ({ store }, run) => store.runs.isHeld(run)),
    operation('runs.holder', ({ store }, run) => store.runs.holder(run)),
    operation('runs.size', ({ store }, run) => store.runs.size(run)),
    operation('runs.acquire', ({ store }, run) => store.runs.acquire(run).then((lease) => lease.release())),
    operation('events', ({ store }, run) => store.events(run)),
    operation('lastEvent', ({ store }, run) => store.lastEvent(run)),
    operation('balance', ({ store }, run) => store.accounts.balance(run)),
    operation('queue.get', ({ queue }, run) => queue.get('runs', run)),
    operation('queue.list all', ({ queue }) => queue.list({ topic: 'runs', states, max: 100 })),
    operation('queue.counts all', ({ queue }) => queue.counts('runs')),
    operation('queue.rules all', ({ queue }) => queue.rules('runs')),
  ];
}
