/** Sends the trace of a run to an OpenTelemetry collector, if one is configured. A failure here never fails the run. */
import { messageOf, plainLine } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { isDelegated, threadOf } from '../agent/thread-runs.ts';
import type { Configuration } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { version } from '../version.ts';
import type { RunTrace } from './run-spans.ts';

/** Time limit of sending; after it the spans are dropped. Milliseconds. */
const timeoutMs = 3_000;
/** Maximum runs that are searched for those that a turn delegated. */
const maxRuns = 200;

export const hasTraceCollector = ({ values }: Pick<Configuration, 'values'>): boolean =>
  values.traces_url !== undefined;

type RunLogs = Pick<Store, 'events'> & { readonly runs: Pick<Store['runs'], 'get' | 'list'> };

/** Sends the trace of a run, made from its log. A failure is reported by `tell`. */
export async function sendRun(
  configuration: Configuration,
  store: RunLogs,
  run: string,
  tell: (line: string) => unknown,
): Promise<void> {
  if (!hasTraceCollector(configuration)) return;
  try {
    await send(configuration, await readTrace(configuration, store, run));
  } catch (thrown) {
    tell(`traces: the trace of ${run} was not sent: ${plainLine(configuration.redact(messageOf(thrown)))}`);
  }
}

/** Sends the traces of a turn and of the runs that it delegated: those of its conversation that started after it. */
export async function sendTurn(
  configuration: Configuration,
  store: RunLogs,
  run: string,
  tell: (line: string) => unknown,
): Promise<void> {
  if (!hasTraceCollector(configuration)) return;
  await sendRun(configuration, store, run, tell);
  const turn = await store.runs.get(run).catch(() => null);
  if (turn === null) return;
  const delegated = (await store.runs.list(maxRuns)).filter(
    (row) => isDelegated(row) && threadOf(row) === threadOf(turn) && row.created >= turn.created,
  );
  for (const { id } of delegated) await sendRun(configuration, store, id, tell);
}

async function readTrace(configuration: Configuration, store: RunLogs, run: string): Promise<RunTrace> {
  const { createTrace: traceOf } = await import('./run-spans.ts');
  const thread = threadOf(await store.runs.get(run));
  const masker = configuration.values.traces_content ? openMasker(configuration) : null;
  return traceOf(await store.events(run), {
    run,
    ...(thread !== undefined && { thread }),
    ...(masker !== null && {
      content: { mask: (text: string) => configuration.redact(masker.value(text) as string) },
    }),
  });
}

async function send({ values }: Pick<Configuration, 'values'>, trace: RunTrace): Promise<void> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: values.traces_url!,
    timeoutMillis: timeoutMs,
    headers:
      values.traces_token === undefined ? {} : { authorization: `Bearer ${values.traces_token.reveal()}` },
  });
  const { toReadableSpans: readableSpans } = await import('./readable-spans.ts');
  const resource = resourceFromAttributes({ 'service.name': 'sonde', 'service.version': version() });
  try {
    await new Promise<void>((done, fail) =>
      exporter.export(readableSpans(trace, resource), ({ code, error }) =>
        code === 0 ? done() : fail(error ?? new Error('the collector refused them')),
      ),
    );
  } finally {
    await exporter.shutdown();
  }
}
