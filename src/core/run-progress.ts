import { type Amounts, resources } from './budget.ts';
import type { RunEvent } from './event.ts';
import { plainLine, shortLine } from './plain-text.ts';

/** Characters of an input or a message that a line shows. */
const widest = 60;

/**
 * Lines for somebody who watches a run, one for an event that is worth one, else null:
 * `step 3/10 · hybrid_search "where are sessions signed" · 4 new, 11 evidence · 82% budget left`.
 * It keeps the few numbers that an event doesn't repeat, so events are given in their order, from the first.
 */
export function progressLines(): (event: RunEvent) => string | null {
  let limits: Amounts = {};
  let left: Amounts = {};
  let input = '';
  const evidence = new Set<string>();

  const at = (step: number) => `step ${step}${limits.steps === undefined ? '' : `/${limits.steps}`}`;
  const line = (...parts: readonly (string | null)[]) =>
    parts.filter((part) => part !== null && part !== '').join(' · ');

  return (event) => {
    switch (event.kind) {
      case 'run_started':
        limits = event.limits ?? {};
        return line(event.shape, quoted(event.question));
      case 'run_resumed':
        return 'resumed';
      case 'step_started':
        left = event.left;
        return null;
      case 'action_started':
        input = inputText(event.input);
        return null;
      case 'evidence_registered':
        evidence.add(event.evidence.id);
        return null;
      case 'action_finished': {
        const outcome = event.outcome === 'ok' ? '' : event.outcome;
        const trouble = event.outcome === 'error' ? shortLine(event.summary, widest) : '';
        const found = `${event.fresh} new, ${evidence.size} evidence`;
        const done = `${plainLine(event.action)} ${input}`.trim();
        return line(at(event.step), done, outcome, trouble, found, leftText(left, limits));
      }
      case 'model_failed':
        return line(
          at(event.step),
          `model failed: ${shortLine(event.message, widest)}`,
          plainLine(event.remedy),
        );
      case 'budget_exhausted':
        return line(at(event.step), `out of ${event.exhausted.resource}`);
      case 'note':
        return `${event.level === 'warning' ? 'warning: ' : ''}${plainLine(event.text)}`;
      case 'run_finished':
        return line(
          event.result.stop_reason,
          event.result.status,
          `${event.result.citations.length} citations`,
        );
      case 'model_called':
      case 'model_replied':
      case 'citation_checked':
        return null;
    }
  };
}

function quoted(text: string): string {
  return `"${shortLine(text, widest)}"`;
}

/** What tells one action from another at a glance: its texts and numbers. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const values = Object.values(input).filter(
    (value) => typeof value === 'string' || typeof value === 'number',
  );
  return values.length === 0 ? '' : quoted(values.join(' '));
}

/** The part of the scarcest resource that was left when the step began. */
function leftText(left: Amounts, limits: Amounts): string {
  const parts = resources.flatMap((name) => {
    const [some, limit] = [left[name], limits[name]];
    return some === undefined || limit === undefined || limit === 0 ? [] : [some / limit];
  });
  return parts.length === 0 ? '' : `${Math.floor(Math.max(0, Math.min(1, ...parts)) * 100)}% budget left`;
}
