/**
 * Converts the log of a run to spans, by the conventions of OpenTelemetry for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/). Usage is on `chat` spans only, so that nothing is counted twice.
 * Ids follow from those of the run: a run that is sent again, after it was resumed, is the same trace.
 */
import { type LoggedEvent, type RunEvent, sha256 } from '../../core/index.ts';
import { type TreeNode, treeOf } from '../../core/runs.ts';

export interface RunSpan {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  /** A request to another system, or work of this one. */
  readonly kind: 'client' | 'internal';
  /** Milliseconds since the Unix epoch. */
  readonly started: number;
  readonly ended: number;
  readonly attributes: Readonly<Record<string, string | number | readonly string[]>>;
  readonly failed: boolean;
}

export interface RunTrace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly spans: readonly RunSpan[];
}

export interface TraceOptions {
  readonly run: string;
  /** The conversation it is a turn of. */
  readonly thread?: string;
  /** Adds texts of people, models and tools. `mask` hides secrets in them. Absent: no texts. */
  readonly content?: { readonly mask: (text: string) => string };
}

type EventOf<Kind extends RunEvent['kind']> = Extract<RunEvent, { kind: Kind }>;
type Attributes = Record<string, string | number | readonly string[]>;

/** Provider names that the conventions spell differently. */
const providers: Readonly<Record<string, string>> = { 'openai-compatible': 'openai' };
/** Outcomes that are failures. */
const failures = ['error', 'killed', 'failed'];

export function createTrace(log: readonly LoggedEvent[], { run, thread, content }: TraceOptions): RunTrace {
  const tree = treeOf(log);
  const runEvents = collectEvents(log);
  const last = log.at(-1)?.at ?? 0;
  const spanId = (node: string): string => sha256(`${run} ${node}`).slice(0, 16);
  return {
    id: sha256(run).slice(0, 32),
    spans: tree.map((node) => {
      const { name, kind = 'internal', attributes } = describe(node, runEvents);
      return {
        id: spanId(node.id),
        parent: node.parent === null ? null : spanId(node.parent),
        name,
        kind,
        started: node.started,
        // A span that a kill cut off ends with the log.
        ended: Math.max(node.started, node.ended ?? last),
        attributes: {
          ...attributes,
          ...(node.kind === 'run' && { 'sonde.run': run }),
          ...(node.kind === 'run' && thread !== undefined && { 'gen_ai.conversation.id': thread }),
          ...(content !== undefined && contentAttributes(node, runEvents, content.mask)),
        },
        failed: failures.includes(node.outcome ?? ''),
      };
    }),
  };
}

interface RunEvents {
  readonly started: EventOf<'run_started'> | undefined;
  readonly called: ReadonlyMap<string, EventOf<'model_called'>>;
  readonly replied: ReadonlyMap<string, EventOf<'model_replied'>>;
  readonly failed: ReadonlyMap<string, EventOf<'model_failed'>>;
}

function collectEvents(log: readonly LoggedEvent[]): RunEvents {
  const events = log.map(({ event }) => event);
  return {
    started: events.find((event) => event.kind === 'run_started'),
    called: indexByCall(events.filter((event) => event.kind === 'model_called')),
    replied: indexByCall(events.filter((event) => event.kind === 'model_replied')),
    failed: indexByCall(events.filter((event) => event.kind === 'model_failed')),
  };
}

const indexByCall = <Event extends { readonly call: string }>(events: readonly Event[]) =>
  new Map(events.map((event) => [event.call, event]));

interface SpanDescription {
  readonly name: string;
  readonly kind?: RunSpan['kind'];
  readonly attributes: Attributes;
}

const readCallId = ({ id }: TreeNode): string => id.slice('call:'.length);

function describe(node: TreeNode, runEvents: RunEvents): SpanDescription {
  switch (node.kind) {
    case 'run': {
      const shape = runEvents.started?.shape ?? 'run';
      return {
        name: `invoke_agent ${shape}`,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': shape,
          ...(node.outcome !== null && { 'sonde.status': node.outcome }),
        },
      };
    }
    case 'node':
      return {
        name: 'invoke_agent nested',
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'nested' },
      };
    case 'call':
      return { ...chat(readCallId(node), runEvents), kind: 'client' };
    case 'action':
    case 'helper':
      return tool(node.title);
    case 'cell':
      return tool('python');
    case 'step':
      return { name: node.title, attributes: {} };
  }
}

const tool = (name: string): SpanDescription => ({
  name: `execute_tool ${name}`,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
  },
});

function chat(call: string, { called, replied, failed }: RunEvents): SpanDescription {
  const modelCall = called.get(call)!;
  const { input, output, cached } = replied.get(call) ?? {};
  const [provider = '', ...model] = modelCall.model.split(':');
  const name = model.join(':') || modelCall.model;
  const code = failed.get(call)?.code;
  return {
    name: `chat ${name}`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providers[provider] ?? provider,
      'gen_ai.request.model': name,
      'sonde.signature': modelCall.signature,
      ...(input !== undefined && { 'gen_ai.usage.input_tokens': input }),
      ...(output !== undefined && { 'gen_ai.usage.output_tokens': output }),
      ...(cached !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cached }),
      ...(code !== undefined && { 'error.type': code }),
    },
  };
}

/** Attributes with texts, for the setting traces_content. */
function contentAttributes(
  node: TreeNode,
  { started, replied }: RunEvents,
  mask: (text: string) => string,
): Attributes {
  const messages = (role: string, text: string): string =>
    JSON.stringify([{ role, parts: [{ type: 'text', content: mask(text) }] }]);
  switch (node.kind) {
    case 'run':
      return started === undefined ? {} : { 'gen_ai.input.messages': messages('user', started.question) };
    case 'node':
      return { 'gen_ai.input.messages': messages('user', node.title) };
    case 'call': {
      const text = replied.get(readCallId(node))?.text;
      return text === undefined ? {} : { 'gen_ai.output.messages': messages('assistant', text) };
    }
    case 'action':
    case 'helper':
      return { 'gen_ai.tool.call.result': mask(node.note) };
    case 'cell':
    case 'step':
      return {};
  }
}
