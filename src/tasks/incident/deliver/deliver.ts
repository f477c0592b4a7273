/** Delivers the report to each destination, independently and once. Failures are reported. */
import { formatIncidentReport, incidentTitle } from '../../../core/incidents.ts';
import { type IncidentDelivery, messageOf, plainMask } from '../../../core/index.ts';
import type { RunContext } from '../run-context.ts';
import { type IncidentState, stageNames, type Updates } from '../state.ts';
import { createResult } from './result.ts';
import type { DeliveryResult, Report, Sink } from './sink.ts';

/** Milliseconds for one destination. */
const sinkTimeoutMs = 15_000;

export async function deliver(state: IncidentState, context: RunContext): Promise<Updates> {
  const deliveries = await deliverTo(createReport(state, context, 'final'), context, 'deliver');
  return {
    deliveries,
    notes: deliveries
      .filter((incidentDelivery) => incidentDelivery.state !== 'delivered')
      .map(({ sink, state: how, detail }) => `The report did not reach ${sink} (${how}): ${detail}`),
  };
}

/** Delivers what is known after a stage has failed. The run can still be resumed, and then delivers its full report. */
export async function deliverPartial(
  state: IncidentState,
  context: RunContext,
  stage: string,
): Promise<void> {
  await deliverTo(createReport(state, context, `partial-${stage}`), context, `partial/${stage}`);
}

function createReport(state: IncidentState, context: RunContext, kind: string): Report {
  const incident = createResult(context.run, context.models.planner.name, state, context.pool.spent());
  const partial =
    kind === 'final' ? '' : 'PARTIAL: the investigation failed before its end, and can be resumed.\n\n';
  return {
    key: `${context.run}/${kind}`,
    title: incidentTitle(incident),
    markdown: `${partial}${formatIncidentReport(incident, state.evidence)}`,
    incident,
    alert: state.alert,
    thread: (sink) => findThread(context, sink),
  };
}

/**
 * The thread of an earlier report: one that this run posted before it was interrupted, or one of the same alert group.
 */
async function findThread({ recorded, thread }: RunContext, sink: string): Promise<string | null> {
  for (const stage of stageNames) {
    const incidentDelivery = recorded.recall(`partial/${stage}/${sink}/done`) as IncidentDelivery | undefined;
    if (incidentDelivery?.thread !== undefined) return incidentDelivery.thread;
  }
  return (await thread?.(sink)) ?? null;
}

async function deliverTo(
  report: Report,
  context: RunContext,
  prefix: string,
): Promise<readonly IncidentDelivery[]> {
  return Promise.all(
    context.sinks
      .filter((sink) => sink.takes?.(report) ?? true)
      .map((sink) => deliverOnce(sink, report, context, `${prefix}/${sink.name}`)),
  );
}

/**
 * An attempt without an outcome means a crash in between: only a sink that recognises a repeated delivery is tried
 * again.
 */
async function deliverOnce(
  sink: Sink,
  report: Report,
  context: RunContext,
  key: string,
): Promise<IncidentDelivery> {
  const begun = await context.step(`${key}/begun`, { run: async () => ({ value: true }) });
  if (begun.kind !== 'done') return toNotSent(sink);
  const stepResult = await context.step<IncidentDelivery>(`${key}/done`, {
    async run() {
      if (begun.recalled && !sink.idempotent) return { value: toUncertain(sink) };
      const deliveryResult = await deliverSafely(sink, { ...report, again: begun.recalled }, context);
      const value: IncidentDelivery =
        deliveryResult.kind === 'delivered'
          ? {
              sink: sink.name,
              state: 'delivered',
              detail: deliveryResult.where,
              ...(deliveryResult.thread !== undefined && { thread: deliveryResult.thread }),
            }
          : { sink: sink.name, state: deliveryResult.kind, detail: deliveryResult.why };
      // The report is sent, so this is recorded even if the run is stopped meanwhile.
      return { value, keepIfCancelled: true };
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : toNotSent(sink);
}

const toUncertain = ({ name }: Sink): IncidentDelivery => ({
  sink: name,
  state: 'uncertain',
  detail: 'the run ended while it was sent; it was not sent twice',
});

const toNotSent = ({ name }: Sink): IncidentDelivery => ({
  sink: name,
  state: 'failed',
  detail: 'the run was stopped before it was sent',
});

async function deliverSafely(
  sink: Sink,
  report: Report,
  { signal: stop, mask = plainMask }: RunContext,
): Promise<DeliveryResult> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(sinkTimeoutMs)]);
  const late = new Promise<DeliveryResult>((resolve) => {
    const resolveLate = (): void =>
      resolve({ kind: 'failed', why: `it did not answer within ${sinkTimeoutMs / 1000} s` });
    if (signal.aborted) resolveLate();
    else signal.addEventListener('abort', resolveLate, { once: true });
  });
  try {
    return await Promise.race([sink.deliver(report, signal, mask), late]);
  } catch (thrown) {
    return { kind: 'failed', why: mask.system(messageOf(thrown)).slice(0, 300) };
  }
}
