/**
 * Any MCP server as a signal. A tool is offered only if it declares itself read-only, or if a person has allowed it. If a
 * tool has arguments for the start or end of a time range, they are filled in from the incident window.
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

/** The methods of an MCP client that are used; the official library's client has them. */
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
  /** A short name of letters and digits; it is part of the names of the questions. */
  readonly name: string;
  readonly client: McpClient;
  readonly clock: Clock;
  /** Names of tools that may be used although they don't declare themselves read-only. */
  readonly allow?: readonly string[];
  readonly topic?: SignalTopic;
  /** Returns the credentials, which are masked in all texts. */
  readonly secrets?: () => readonly string[];
}

export interface McpSignal {
  readonly signal: Signal;
  /** Tools that are not offered, each with the reason. */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

const maxTools = 200;
/** Words in names of time arguments that only say how the time is written: `startRfc3339`, `end_time_ms`. */
const timeFormatWords =
  /^(time|date|datetime|timestamp|ts|at|rfc|3339|rfc3339|iso|8601|iso8601|unix|epoch|utc|s|sec|seconds|ms|millis|milliseconds|ns|nanos)$/;
const startWords = /^(from|start|since|after|begin)$/;
const endWords = /^(to|end|until|before|stop)$/;

/** Whether an argument with this name is the start or the end of a time range; null if it is neither. */
function rangeEndOf(name: string): 'start' | 'end' | null {
  const words = snakeCase(name.replace(/([a-zA-Z])(\d)/g, '$1_$2'))
    .split('_')
    .filter((word) => !timeFormatWords.test(word));
  if (words.length !== 1) return null;
  return startWords.test(words[0]!) ? 'start' : endWords.test(words[0]!) ? 'end' : null;
}

const callReply = z.object({
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
  const system = `mcp_${snakeCase(name)}`;
  const place = { system, source: `mcp ${name}`, clock };
  const maskSecrets = (text: string): string => removeKnownSecrets(text, secrets());
  const tools = await listAllTools(client);
  const leftOut: { tool: string; reason: string }[] = [];
  const offeredTools: McpTool[] = [];
  for (const tool of tools) {
    const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
    if (allow.includes(tool.name)) offeredTools.push(tool);
    else if (readOnlyHint !== true)
      leftOut.push({ tool: tool.name, reason: 'it does not say that it only reads' });
    else if (destructiveHint === true) leftOut.push({ tool: tool.name, reason: 'it says that it destroys' });
    else offeredTools.push(tool);
  }
  const usedNames = new Set<string>();
  const questions = offeredTools.map((tool): SignalQuestion => {
    let questionName = `${system}_${snakeCase(tool.name)}`;
    while (usedNames.has(questionName)) questionName += '_2';
    usedNames.add(questionName);
    const { parameters, bounds } = splitArguments(tool.inputSchema);
    const timeNote =
      bounds.length > 0
        ? ` The time is that of the incident (${bounds.map(({ name }) => name).join(', ')}).`
        : '';
    return question(place, {
      name: questionName,
      topic,
      description: `${(tool.description ?? tool.name).slice(0, 800)}${timeNote}`,
      parameters,
      cost: 'one call of a tool of another server',
      reach: 'now',
      async read(args, { window, limits, signal }) {
        const times = Object.fromEntries(
          bounds.map((windowParameter) => [windowParameter.name, windowParameter.write(window)]),
        );
        const call = { name: tool.name, arguments: { ...(args as Record<string, unknown>), ...times } };
        const answer = await client
          .callTool(call, { signal })
          .catch((thrown: unknown) =>
            failure('unreachable', maskSecrets(`${tool.name} of ${name}: ${messageOf(thrown)}`)),
          );
        if (isFailure(answer)) return answer;
        const parsedReply = callReply.safeParse(answer);
        if (!parsedReply.success)
          return failure('bad_reply', `${tool.name} of ${name} answered what is no result.`);
        const { content, structuredContent, isError } = parsedReply.data;
        const texts = content.flatMap((item) => (item.type === 'text' ? maskSecrets(item.text ?? '') : []));
        if (isError === true) return failure('refused', `${tool.name} of ${name}: ${texts.join(' ')}`);
        const nonTextCount = content.filter(({ type }) => type !== 'text').length;
        const outputTexts =
          texts.length === 0 && structuredContent !== undefined
            ? [maskSecrets(JSON.stringify(structuredContent))]
            : texts;
        const rows = outputTexts
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
            ...(nonTextCount > 0 ? [`${nonTextCount} parts that are no text are left out.`] : []),
          ],
        };
      },
    });
  });
  return Object.freeze({
    signal: Object.freeze({
      system,
      source: place.source,
      offers: `${offeredTools.length} tools of the MCP server ${name}`,
      questions: Object.freeze(questions),
      health: (signal, mask) =>
        checkHealth(
          async () => {
            const { tools: currentTools } = await client.listTools();
            // After its connection has closed, a client may return an empty list.
            return currentTools.length === 0 && tools.length > 0
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

async function listAllTools(client: McpClient): Promise<readonly McpTool[]> {
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
 * How to fill in one argument with the start or end of the window; null if the argument is no start or end of a time
 * range, or if its format is unknown.
 */
function timeBoundFor(
  name: string,
  { type, description, properties = {} }: Property,
): WindowParameter | null {
  // A time range as one argument: `timeRange: { from, to }`.
  const propertyEntries = Object.entries(properties);
  if (propertyEntries.length > 0) {
    const bounds = propertyEntries.map(([key, property]) => timeBoundFor(key, property));
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
  const rangeEnd = rangeEndOf(name);
  if (rangeEnd === null) return null;
  const instantOf = ({ baseline_from, to }: WindowEnds): number => (rangeEnd === 'end' ? to : baseline_from);
  const types = [type].flat().filter((typeName) => typeName !== 'null');
  if (types.includes('string')) return { name, write: (window) => new Date(instantOf(window)).toISOString() };
  if (!types.includes('number') && !types.includes('integer')) return null;
  // The unit of a number must be in its name or its description; without one, the model has to fill in the argument.
  const unitText = `${name} ${String(description)}`;
  if (/nano|_ns\b/i.test(unitText)) return null;
  if (/milli|ms\b/i.test(unitText)) return { name, write: instantOf };
  return /second|unix|epoch/i.test(unitText)
    ? { name, write: (window) => Math.floor(instantOf(window) / 1_000) }
    : null;
}

/** Splits the arguments of a tool into those that the model fills in, and those that the window fills in (`bounds`). */
function splitArguments(schema: unknown): {
  readonly parameters: z.ZodType;
  readonly bounds: readonly WindowParameter[];
} {
  const inputSchema =
    typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : {};
  const properties = (inputSchema['properties'] ?? {}) as Record<string, Property>;
  const bounds = Object.entries(properties).flatMap(([name, property]) => timeBoundFor(name, property) ?? []);
  const boundNames = new Set(bounds.map(({ name }) => name));
  const required = Array.isArray(inputSchema['required'])
    ? inputSchema['required'].filter((name) => !boundNames.has(String(name)))
    : [];
  const remainingSchema = {
    ...inputSchema,
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !boundNames.has(name))),
    required,
  };
  try {
    return {
      parameters: z.fromJSONSchema(remainingSchema as Parameters<typeof z.fromJSONSchema>[0]),
      bounds,
    };
  } catch {
    return { parameters: z.record(z.string(), z.unknown()), bounds };
  }
}

function snakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
