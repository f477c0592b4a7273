/**
 * Any MCP server as a signal. Only tools that say of themselves that they only read, or that a person has listed,
 * are offered; where a tool takes the ends of a stretch of time, the incident window is filled in for it.
 */
import { z } from 'zod';
import {
  type Clock,
  messageOf,
  removeKnownSecrets,
  type Signal,
  type SignalQuestion,
  type SignalTopic,
} from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { failure, question } from '../question.ts';
import { time } from '../series-text.ts';

/** What of an MCP client is used; that of the official library fits. */
export interface McpClient {
  listTools(params?: { readonly cursor?: string }): Promise<{
    readonly tools: readonly McpTool[];
    readonly nextCursor?: string | undefined;
  }>;
  callTool(
    params: { readonly name: string; readonly arguments: Record<string, unknown> },
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
  close(): Promise<void>;
}

interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly destructiveHint?: boolean | undefined }
    | undefined;
}

export interface McpOptions {
  /** Short, of letters and digits: it names the questions. */
  readonly name: string;
  readonly client: McpClient;
  readonly clock: Clock;
  /** Tools that may be used though they do not say that they only read. */
  readonly allow?: readonly string[];
  readonly topic?: SignalTopic;
  /** The credentials, which must be masked in all texts. */
  readonly secrets?: () => readonly string[];
}

export interface McpSignal {
  readonly signal: Signal;
  /** Tools that are not offered, each with the reason. */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

const maxTools = 200;
/** Words that only say how an end of time is written: `startRfc3339`, `end_time_ms`, `fromTimestamp`. */
const writing =
  /^(time|date|datetime|timestamp|ts|at|rfc|3339|rfc3339|iso|8601|iso8601|unix|epoch|utc|s|sec|seconds|ms|millis|milliseconds|ns|nanos)$/;
const starts = /^(from|start|since|after|begin)$/;
const ends = /^(to|end|until|before|stop)$/;

function endOf(name: string): 'start' | 'end' | null {
  const words = plainName(name.replace(/([a-zA-Z])(\d)/g, '$1_$2'))
    .split('_')
    .filter((word) => !writing.test(word));
  if (words.length !== 1) return null;
  return starts.test(words[0]!) ? 'start' : ends.test(words[0]!) ? 'end' : null;
}

const reply = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** Asks the server for its tools once. Throws what the client throws. */
export async function openMcp({
  name,
  client,
  clock,
  allow = [],
  topic = 'objects',
  secrets = () => [],
}: McpOptions): Promise<McpSignal> {
  const system = `mcp_${plainName(name)}`;
  const place = { system, source: `mcp ${name}`, clock };
  const clean = (text: string): string => removeKnownSecrets(text, secrets());
  const tools = await allTools(client);
  const leftOut: { tool: string; reason: string }[] = [];
  const offered: McpTool[] = [];
  for (const tool of tools) {
    const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
    if (allow.includes(tool.name)) offered.push(tool);
    else if (readOnlyHint !== true)
      leftOut.push({ tool: tool.name, reason: 'it does not say that it only reads' });
    else if (destructiveHint === true) leftOut.push({ tool: tool.name, reason: 'it says that it destroys' });
    else offered.push(tool);
  }
  const taken = new Set<string>();
  const questions = offered.map((tool): SignalQuestion => {
    let own = `${system}_${plainName(tool.name)}`;
    while (taken.has(own)) own += '_2';
    taken.add(own);
    const { parameters, bounds } = argumentsOf(tool.inputSchema);
    const bound =
      bounds.length > 0
        ? ` The time is that of the incident (${bounds.map(({ name }) => name).join(', ')}).`
        : '';
    return question(place, {
      name: own,
      topic,
      description: `${(tool.description ?? tool.name).slice(0, 800)}${bound}`,
      parameters,
      cost: 'one call of a tool of another server',
      reach: 'now',
      async read(args, { window, limits, signal }) {
        const times = Object.fromEntries(
          bounds.map((windowParameter) => [windowParameter.name, windowParameter.write(window)]),
        );
        const call = { name: tool.name, arguments: { ...(args as Record<string, unknown>), ...times } };
        const said = await client
          .callTool(call, { signal })
          .catch((thrown: unknown) =>
            failure('unreachable', clean(`${tool.name} of ${name}: ${messageOf(thrown)}`)),
          );
        if (isFailure(said)) return said;
        const checked = reply.safeParse(said);
        if (!checked.success)
          return failure('bad_reply', `${tool.name} of ${name} answered what is no result.`);
        const { content, structuredContent, isError } = checked.data;
        const texts = content.flatMap((part) => (part.type === 'text' ? clean(part.text ?? '') : []));
        if (isError === true) return failure('refused', `${tool.name} of ${name}: ${texts.join(' ')}`);
        const other = content.filter(({ type }) => type !== 'text').length;
        const all =
          texts.length === 0 && structuredContent !== undefined
            ? [clean(JSON.stringify(structuredContent))]
            : texts;
        const rows = all
          .flatMap((text) => text.split('\n'))
          .filter((line) => line.trim() !== '')
          .map((line) => ({ line }));
        return {
          kind: 'reading',
          query: `${tool.name} ${JSON.stringify(call.arguments)}`,
          rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
          total: rows.length,
          completeness: 'unknown',
          notes: [
            ...(bounds.length === 0
              ? [`${tool.name} knows no stretch of time: this may be of another time than the incident.`]
              : [`From ${time(window.baseline_from)} to ${time(window.to)}.`]),
            ...(other > 0 ? [`${other} parts that are no text are left out.`] : []),
          ],
        };
      },
    });
  });
  return Object.freeze({
    signal: Object.freeze({
      system,
      source: place.source,
      offers: `${offered.length} tools of the MCP server ${name}`,
      questions: Object.freeze(questions),
      health: (signal, mask) =>
        checkHealth(
          async () => {
            const { tools: now } = await client.listTools();
            // A client whose connection has closed lists no tools.
            return now.length === 0 && tools.length > 0
              ? { kind: 'unhealthy', reason: `${name} has gone away` }
              : { kind: 'healthy', version: null };
          },
          signal,
          mask,
        ),
      close: () => client.close(),
    } satisfies Signal),
    leftOut: Object.freeze(leftOut),
  });
}

function isFailure(value: unknown): value is ReturnType<typeof failure> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'failure';
}

async function allTools(client: McpClient): Promise<readonly McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < maxTools);
  return tools.slice(0, maxTools);
}

interface WindowEnds {
  readonly baseline_from: number;
  readonly to: number;
}

interface WindowParameter {
  readonly name: string;
  write(window: WindowEnds): unknown;
}

interface Property {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, Property>>;
}

/**
 * How to fill in one argument with the begin or end of the window; null if it is no time, or if its format is unknown.
 */
function timeBoundFor(
  name: string,
  { type, description, properties = {} }: Property,
): WindowParameter | null {
  // A stretch as one argument: `timeRange: { from, to }`.
  const inner = Object.entries(properties);
  if (inner.length > 0) {
    const bounds = inner.map(([key, one]) => timeBoundFor(key, one));
    if (
      !/time|range|window|period|interval/i.test(name) ||
      bounds.some((windowParameter) => windowParameter === null)
    )
      return null;
    return {
      name,
      write: (window) =>
        Object.fromEntries(
          bounds.map((windowParameter) => [windowParameter!.name, windowParameter!.write(window)]),
        ),
    };
  }
  const end = endOf(name);
  if (end === null) return null;
  const at = ({ baseline_from, to }: WindowEnds): number => (end === 'end' ? to : baseline_from);
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.includes('string')) return { name, write: (window) => new Date(at(window)).toISOString() };
  if (!types.includes('number') && !types.includes('integer')) return null;
  // The unit of a number must be in its name or its description; without one, the model has to fill in the argument.
  const said = `${name} ${String(description)}`;
  if (/nano|_ns\b/i.test(said)) return null;
  if (/milli|ms\b/i.test(said)) return { name, write: at };
  return /second|unix|epoch/i.test(said) ? { name, write: (window) => Math.floor(at(window) / 1_000) } : null;
}

/** The arguments without the ends of time, and how those are written. */
function argumentsOf(schema: unknown): {
  readonly parameters: z.ZodType;
  readonly bounds: readonly WindowParameter[];
} {
  const whole = typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : {};
  const properties = (whole['properties'] ?? {}) as Record<string, Property>;
  const bounds = Object.entries(properties).flatMap(([name, one]) => timeBoundFor(name, one) ?? []);
  const bound = new Set(bounds.map(({ name }) => name));
  const required = Array.isArray(whole['required'])
    ? whole['required'].filter((name) => !bound.has(String(name)))
    : [];
  const rest = {
    ...whole,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !bound.has(name))),
    required,
  };
  try {
    return { parameters: z.fromJSONSchema(rest as Parameters<typeof z.fromJSONSchema>[0]), bounds };
  } catch {
    return { parameters: z.record(z.string(), z.unknown()), bounds };
  }
}

function plainName(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
