/**
 * Compaction runs another shape in a sub-thread and returns only a short form of its result. The caller's history never
 * contains the rest, so nothing has to be removed from it, even after a crash. Writes to the workspace are kept.
 */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import { quoteMaterial, resourceNames, SondeError } from '../../core/index.ts';
import { condense } from '../../session/history/condense.ts';
import { type CompactForm, compactForm } from '../../session/index.ts';
import { shape, type TaskContext, type TaskShape } from '../shape.ts';
import { recordingWrites, writeIdsOf } from './writes.ts';

const paramSchema = z.strictObject({
  shape: z.string(),
  params: z.json(),
  why: z.string().max(2000).default('').describe('What the summary is for'),
});

const outputSchema = z.strictObject({
  form: compactForm,
  /** The checkpoint of the caller to which its history returns. */
  rewind: z.strictObject({ namespace: z.string(), checkpoint: z.string().nullable() }),
});
type Output = z.infer<typeof outputSchema>;

const Channels = Annotation.Root({
  rewind: Annotation<Output['rewind']>(),
  inner: Annotation<{ readonly subThread: string; readonly output: unknown }>(),
  form: Annotation<CompactForm>(),
});

/** Maximum characters of the inner result that a model is shown to summarise it. */
const maxTraceLength = 60_000;
const maxSummaryTokens = 4_000;

export const compaction: TaskShape = shape<z.infer<typeof paramSchema>, Output>({
  key: 'compaction',
  description: 'Does work of another shape, and gives a summary of it alone.',
  paramSchema,
  outputSchema,
  recovery: 'reattach',
  async handler(given, context) {
    const graph = new StateGraph(Channels)
      // A checkpoint before any work, to which the history returns.
      .addNode('mark', async () => ({ rewind: currentCheckpoint(context) }))
      .addNode('expand', async (_, config) => ({ inner: await expand(given, { ...context, config }) }))
      .addNode('compact', async ({ inner }) => ({ form: await condenseWork(given, inner, context) }))
      .addEdge(START, 'mark')
      .addEdge('mark', 'expand')
      .addEdge('expand', 'compact')
      .addEdge('compact', END)
      .compile();
    const { form, rewind } = await graph.invoke({}, context.config);
    return { form, rewind };
  },
});

function currentCheckpoint({ config, subThread }: TaskContext): Output['rewind'] {
  const namespace = subThread.includes('|') ? subThread.slice(0, subThread.lastIndexOf('|')) : '';
  const map = config.configurable?.['checkpoint_map'] as Readonly<Record<string, string>> | undefined;
  return { namespace, checkpoint: map?.[namespace] ?? null };
}

async function expand(
  { shape: key, params: innerParams }: z.infer<typeof paramSchema>,
  context: TaskContext,
) {
  if (key === 'compaction')
    throw new SondeError('bad_argument', {
      message: 'A compaction cannot compact another compaction',
      remedy: 'Give the shape of the work itself.',
    });
  const clients = recordingWrites(context);
  const outcome = await context.task(key, innerParams, { call: 'inner', clients, config: context.config });
  if (outcome.kind === 'done') return { subThread: outcome.subThread, output: outcome.output };
  const { code, message, details } = outcome.error;
  throw new SondeError(code === 'cancelled' ? 'cancelled' : 'run_state', {
    message,
    remedy: 'Nothing was compacted; the work can be done again.',
    details: { ...details, inner: code },
  });
}

async function condenseWork(
  { shape: key, why }: z.infer<typeof paramSchema>,
  inner: { readonly subThread: string; readonly output: unknown },
  context: TaskContext,
): Promise<CompactForm> {
  const text = JSON.stringify(inner.output, null, 1);
  const shownText = text.length > maxTraceLength ? `${text.slice(0, maxTraceLength)}\n(cut)` : text;
  const modelAnswer = await context.clients.ask(
    condense,
    {
      work: why === '' ? `A piece of work of the shape ${key}` : why,
      trace: quoteMaterial(shownText, { source: key, trust: 'derived' }),
    },
    {
      tier: 'analyst',
      key: `${context.subThread}/condense`,
      pool: context.pool,
      maxOutputTokens: maxSummaryTokens,
      signal: context.signal,
    },
  );
  if (modelAnswer.kind !== 'value')
    throw new SondeError('run_state', {
      message:
        modelAnswer.kind === 'failed'
          ? modelAnswer.message
          : `Not enough ${resourceNames[modelAnswer.exhausted.resource]} is left for a summary`,
      remedy: 'Nothing was compacted.',
    });
  return {
    ...modelAnswer.value,
    write_ids: [...writeIdsOf(context)],
    dropped: { messages: 0, bytes: Buffer.byteLength(text) },
    trace: { thread: context.thread, namespace: inner.subThread },
  };
}
