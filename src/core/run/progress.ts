import { type Amounts, resourceNames, resources } from '../budget/budget.ts';
import type { RunEvent } from '../event.ts';
import { formatCount, plainLine, shortLine } from '../text/plain-text.ts';

/** Maximum characters of an input or a message in a line. */
const maxWidth = 60;

/**
 * Progress lines for a viewer: one line for an event that matters, otherwise null. Example: `step 3/10 · hybrid_search
 * "where are sessions signed" · 4 new, 11 evidence · 82% budget left`. It keeps some numbers between events, so it must
 * get all events in order.
 */
export function createProgressFormatter(): (event: RunEvent) => string | null {
  let limits: Amounts = {};
  let left: Amounts = {};
  /** Inputs by call, since several calls may run in parallel. */
  const inputs = new Map<string, string>();
  const evidence = new Set<string>();

  const at = (step: number) => `step ${step}${limits.steps === undefined ? '' : `/${limits.steps}`}`;
  const line = (...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null && part !== '').join(' · ');

  return (event) => {
    switch (event.kind) {
      case 'run_started':
        limits = event.limits ?? {};
        return line(event.shape, quote(event.question));
      case 'run_resumed':
        return 'resumed';
      case 'step_started':
        left = event.left;
        return null;
      case 'action_started':
        inputs.set(event.call ?? '', inputText(event.input));
        return null;
      case 'evidence_registered':
        evidence.add(event.evidence.id);
        return null;
      case 'action_finished': {
        const outcome = event.outcome === 'ok' ? '' : event.outcome;
        const trouble = event.outcome === 'error' ? shortLine(event.summary, maxWidth) : '';
        const found = `${event.fresh} new, ${evidence.size} evidence`;
        const actionLine = `${plainLine(event.action)} ${inputs.get(event.call ?? '') ?? ''}`.trim();
        inputs.delete(event.call ?? '');
        return line(at(event.step), actionLine, outcome, trouble, found, budgetLeftText(left, limits));
      }
      case 'node_started':
        return event.depth === 0 ? null : line(event.node, quote(event.prompt));
      case 'cell_started':
        return line(event.cell, codeText(event.code));
      case 'helper_called':
        return line(
          event.cell,
          event.helper,
          event.outcome === 'ok' ? '' : 'refused',
          shortLine(event.summary, maxWidth),
        );
      case 'cell_finished':
        return line(
          event.cell,
          event.outcome === 'ok' ? 'ran' : event.outcome,
          `${formatCount(event.bytes, 'byte')} printed: ${shortLine(event.output, maxWidth)}`,
          `${formatCount(event.calls, 'call')}, ${(event.fuel / 1e6).toFixed(1)}M fuel`,
          budgetLeftText(event.left, limits),
        );
      case 'node_finished':
        return line(event.node, event.status, shortLine(event.summary, maxWidth));
      case 'model_failed':
        return line(
          at(event.step),
          `model failed: ${shortLine(event.message, maxWidth)}`,
          plainLine(event.remedy),
        );
      case 'budget_exhausted':
        return line(at(event.step), `out of ${resourceNames[event.exhausted.resource]}`);
      case 'note':
        return `${event.level === 'warning' ? 'warning: ' : ''}${plainLine(event.text)}`;
      case 'run_finished':
        return line(
          event.result.stop_reason,
          event.result.status,
          `${event.result.citations.length} citations`,
        );
      case 'session_opened':
      case 'model_called':
      case 'model_replied':
      case 'citation_checked':
      case 'claims_checked':
        return null;
    }
  };
}

function codeText(code: string): string {
  const lines = code.split('\n').filter((one) => one.trim() !== '');
  return `${formatCount(lines.length, 'line')} of code: ${shortLine(lines.at(0) ?? '', maxWidth)}`;
}

function quote(text: string): string {
  return `"${shortLine(text, maxWidth)}"`;
}

/** The input of an action in short: its texts and numbers. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const values = Object.values(input).filter(
    (value) => typeof value === 'string' || typeof value === 'number',
  );
  return values.length === 0 ? '' : quote(values.join(' '));
}

/** The part of the scarcest resource that was left when the step began. */
function budgetLeftText(left: Amounts, limits: Amounts): string {
  const parts = resources.flatMap((name) => {
    const [amount, limit] = [left[name], limits[name]];
    return amount === undefined || limit === undefined || limit === 0 ? [] : [amount / limit];
  });
  return parts.length === 0 ? '' : `${Math.floor(Math.max(0, Math.min(1, ...parts)) * 100)}% budget left`;
}
