/** Reads the alert: its fields, whether it is an alert at all, and the time window to investigate. */
import { z } from 'zod';
import { injectionGuard, quoteMaterial, resourceNames } from '../../core/index.ts';
import { defineSignature, fillPrompt, isExtractive, promptFile } from '../../model/index.ts';
import { ask } from '../research/dialogue/ask.ts';
import { type Alert, defaultName } from './alert/alert.ts';
import { isBrokenJson, readAlerts } from './alert/split-message.ts';
import { createWindow } from './alert/window.ts';
import type { RunContext } from './run-context.ts';
import type { IncidentState, Updates } from './state.ts';

/** Forms that only alerts have: a text with one is investigated, even if a model takes it for small talk. */
const alertMark =
  /\b(firing|critical|sev-?[0-3]|p[0-2])\b|\balert(name|manager)?\s*[:=]|\[(critical|alert|firing|warning|error)\]|\b(error rate|5xx|outage|out of memory|oomkilled)\b/i;

export async function extractAlert(state: IncidentState, context: RunContext): Promise<Updates> {
  const alerts = readAlerts(state.sent);
  const firing = alerts.filter((alert) => alert.state === 'firing');
  const [first] = firing.length > 0 ? firing : alerts;
  const more = [
    ...(firing.length > 1
      ? [`The message holds ${firing.length} firing alerts; the first is looked into.`]
      : []),
    ...(isBrokenJson(state.sent)
      ? [
          'The alert begins as JSON and is not whole, so that it was read as text; send it again as it was sent.',
        ]
      : []),
  ];
  const structured = first!;
  if (firing.length === 0)
    return {
      alert: structured,
      window: createWindow(structured, state.now),
      dismissed: alerts.some(({ state }) => state === 'resolved')
        ? { verdict: 'resolved', why: `${structured.name} says that it is over` }
        : {
            verdict: 'noise',
            why: `${structured.name} is a note about an alert, and tells of no new trouble`,
          },
    };
  const otherRun = await findOtherRun(structured, context);
  if (otherRun === undefined) return { stop: 'cancelled' };
  if (otherRun !== null)
    return {
      alert: structured,
      window: createWindow(structured, state.now),
      dismissed: { verdict: 'duplicate', why: `${otherRun} is looking into the same alert` },
    };
  if (isExtractive(context.models.planner) || needsNoModel(structured, state.sent))
    return { alert: structured, window: createWindow(structured, state.now), notes: more };
  return readByModel(state, structured, more, context);
}

/**
 * Whether another run already investigates this alert. Recorded, since the other run may have ended when this one is
 * resumed. Undefined if the run was stopped.
 */
async function findOtherRun(
  { fingerprint }: Alert,
  { step, otherRun }: RunContext,
): Promise<string | null | undefined> {
  const found = await step<{ readonly run: string | null }>('extract/twin', {
    run: async () => ({ value: { run: await otherRun(fingerprint) } }),
  });
  return found.kind === 'done' ? found.value.run : undefined;
}

/** Matches anything that may be a time. */
const timeLike = /\b(?:\d{4}-\d{2}-\d{2}|1\d{9}(?:\d{3})?|\d{1,2}:\d{2})\b/;

/**
 * Whether a model can add nothing: the form is known, or fields give the subject, and the beginning if there is one.
 */
function needsNoModel(
  { source, name, service, metric, query, labels, started }: Alert,
  sent: string,
): boolean {
  if (source === 'text') return false;
  if (source !== 'json') return true;
  const about = service ?? metric ?? query ?? labels['instance'] ?? labels['host'] ?? null;
  return name !== defaultName && about !== null && (started !== null || !timeLike.test(sent));
}

/** A model fills in the missing fields. Only for plain text may it say that the text is no alert. */
async function readByModel(
  state: IncidentState,
  structured: Alert,
  more: readonly string[],
  context: RunContext,
): Promise<Updates> {
  const askOutcome = await ask(
    context,
    readAlert,
    {
      alert: quoteMaterial(state.sent.slice(0, 12_000), {
        source: 'the alert as it was sent',
        trust: 'untrusted',
      }),
    },
    { model: context.models.planner, step: 0, key: 'extract/model', final: false, maxOutputTokens: 2_000 },
  );
  const window = createWindow(structured, state.now);
  switch (askOutcome.kind) {
    case 'cancelled':
      return { stop: 'cancelled' };
    case 'failed':
    case 'malformed':
    case 'exhausted': {
      const why =
        askOutcome.kind === 'exhausted'
          ? `the budget (${resourceNames[askOutcome.exhausted.resource]}) is too small`
          : askOutcome.message;
      return {
        alert: structured,
        window,
        notes: [...more, `The alert was read by its structure alone: ${why}`],
      };
    }
    case 'value': {
      const { kind, why, ...fields } = askOutcome.value;
      if (structured.source === 'text' && kind !== 'alert' && !alertMark.test(state.sent))
        return {
          alert: structured,
          window,
          dismissed: { verdict: kind === 'resolved' ? 'resolved' : 'noise', why },
        };
      const ignored =
        kind === 'alert'
          ? []
          : [`The model took the alert for ${kind}; its own structure says that it fires.`];
      const started = structured.started ?? parseTime(fields.started, state.now);
      const alert: Alert = {
        ...structured,
        name: structured.source === 'text' ? (fields.alert_name ?? structured.name) : structured.name,
        severity: structured.severity ?? fields.severity?.toLowerCase() ?? null,
        service: structured.service ?? keepIfContained(fields.service, state.sent),
        namespace: structured.namespace ?? keepIfContained(fields.namespace, state.sent),
        metric: structured.metric ?? keepIfContained(fields.metric, state.sent),
        error: structured.error ?? fields.error_message ?? null,
        started,
      };
      return { alert, window: createWindow(alert, state.now), notes: [...more, ...ignored] };
    }
  }
}

/** Returns null for a name that does not occur in the alert, since the model invented it. */
const keepIfContained = (name: string | null | undefined, sent: string): string | null =>
  name != null && name !== '' && sent.toLowerCase().includes(name.toLowerCase()) ? name : null;

function parseTime(text: string | null | undefined, now: number): number | null {
  const at = text == null ? Number.NaN : Date.parse(text);
  return Number.isFinite(at) && at <= now ? at : null;
}

const instructions = fillPrompt(promptFile(new URL('./prompts/read-alert.md', import.meta.url)), {
  firewall: injectionGuard,
});

const optionalText = (what: string) => z.string().optional().describe(what);

const readAlert = defineSignature({
  name: 'read-alert',
  instructions,
  input: z.object({ alert: z.string().describe('The alert as it was sent') }),
  output: z.object({
    kind: z.enum(['alert', 'noise', 'resolved']).describe('noise: chat, a greeting, a reply in a thread'),
    why: z.string().describe('One sentence'),
    alert_name: optionalText('Its name, as it stands there'),
    severity: optionalText('As it stands there'),
    service: optionalText('The service it is about, as it stands there'),
    namespace: optionalText('As it stands there'),
    metric: optionalText('The metric it is about, as it stands there'),
    error_message: optionalText('The error it quotes'),
    started: optionalText('When the trouble began, ISO 8601 in UTC, where it says so'),
  }),
});
