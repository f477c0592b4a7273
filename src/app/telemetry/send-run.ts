/** Sends the trace of a run to a collector of OpenTelemetry, if the settings name one. A run never fails by it. */
import { messageOf, plainLine } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { isDelegated, threadOf } from '../agent/thread-runs.ts';
import type { Configuration } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { version } from '../version.ts';
import type { RunTrace } from './run-spans.ts';

/** Spans that a collector did not take within so long are given up. Milliseconds. */
const patienceMs = 3_000;
/** How many runs are looked through for those that a turn handed on. */
const maxRuns = 200;

export const sendsTraces = ({ values }: Pick<Configuration, 'values'>): boolean =>
  values.traces_url !== undefined;

type RunLogs = Pick<Store, 'events'> & { readonly runs: Pick<Store['runs'], 'get' | 'list'> };

/** Only what the log holds is sent. Tells where it could not be. */
export async function sendRun(
  configuration: Configuration,
  store: RunLogs,
  run: string,
  tell: (line: string) => unknown,
): Promise<void> {
  if (!sendsTraces(configuration)) return;
  try {
    await send(configuration, await readTrace(configuration, store, run));
  } catch (thrown) {
    tell(`traces: that of ${run} was not sent: ${plainLine(configuration.redact(messageOf(thrown)))}`);
  }
}

/** A turn, and the runs that it handed work to: those of its conversation that began after it did. */
export async function sendTurn(
  configuration: Configuration,
  store: RunLogs,
  run: string,
  tell: (line: string) => unknown,
): Promise<void> {
  if (!sendsTraces(configuration)) return;
  await sendRun(configuration, store, run, tell);
  const turn = await store.runs.get(run).catch(() => null);
  if (turn === null) return;
  const handedOn = (await store.runs.list(maxRuns)).filter(
    (row) => isDelegated(row) && threadOf(row) === threadOf(turn) && row.created >= turn.created,
  );
  for (const { id } of handedOn) await sendRun(configuration, store, id, tell);
}

async function readTrace(configuration: Configuration, store: RunLogs, run: string): Promise<RunTrace> {
  const { traceOf } = await import('./run-spans.ts');
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
    timeoutMillis: patienceMs,
    headers:
      values.traces_token === undefined ? {} : { authorization: `Bearer ${values.traces_token.reveal()}` },
  });
  const { readableSpans } = await import('./readable-spans.ts');
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
