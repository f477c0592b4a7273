/** The planner's word: a message, calls of tools, or both; before it, if need be, the call that makes room. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type Pool, SondeError } from '../core/index.ts';
import { estimateTokens } from '../model/index.ts';
import type { Asked } from './ask.ts';
import { dueCompaction } from './auto-compaction.ts';
import { type Decision, decide } from './decide.ts';
import { type Fitted, fittedPage } from './fitted-page.ts';
import type { GraphPorts } from './graph-ports.ts';
import { checked, type State, siteOf } from './graph-state.ts';
import { shapeOf } from './handed-on.ts';
import type { Message, ToolCallMessage } from './messages.ts';
import { toolLines } from './planner-page.ts';
import { goAlone, ownTools } from './tool-nodes.ts';

const decisionTokens = 4_000;

export async function planned(state: State, config: RunnableConfig, ports: GraphPorts) {
  const { ask, tools, dispatcher, pool, plan, role, log, onText } = ports;
  const { thread, namespace, task } = siteOf(config);
  log.step(decisionsIn(state.messages) + 1, pool.remaining());
  const listed = await tools.list();
  const shown = toolLines(listed, dispatcher);
  const due = plan === undefined ? crowded(state.messages, shown, ports) : null;
  if (due !== null) {
    const call: ToolCallMessage = {
      id: `${task}/0`,
      name: ownTools.compact_history,
      args: due,
      effect: 'write',
    };
    log.decided('', [call]);
    return checked({
      messages: [{ id: `m-${task}`, kind: 'assistant', text: '', calls: [call] }],
      end: null,
    });
  }
  const asked = plan
    ? ({ kind: 'value', value: plan(state.messages) } as const)
    : await withinWindow(state.messages, shown, ports, (conversation, less) =>
        ask(
          decide,
          { tools: shown, budget: budgetLine(pool), conversation, ...(role !== null && { role }) },
          {
            tier: 'planner',
            key: less === 0 ? `${namespace}/${task}` : `${namespace}/${task}/less-${less}`,
            pool,
            maxOutputTokens: decisionTokens,
            ...(config.signal && { signal: config.signal }),
            ...(onText && { onText }),
          },
        ),
      );
  if (asked.kind === 'exhausted') {
    log.exhausted(asked.exhausted);
    return checked({ end: { kind: 'exhausted', resource: asked.exhausted.resource } });
  }
  if (asked.kind === 'failed') {
    // Retried from this checkpoint when the turn is taken up again; nothing of it is in the history.
    throw new SondeError(asked.code === 'cancelled' ? 'cancelled' : 'model_output', {
      message: asked.message,
      remedy: asked.remedy,
      details: { code: asked.code },
    });
  }
  const { text, calls } = asked.value;
  const effects = new Map(listed.map(({ name, effect }) => [name, effect]));
  const made = calls.map(
    ({ name, args }, index): ToolCallMessage => ({
      id: `${task}/${index}`,
      name,
      args: argsOf(args),
      effect: goAlone.has(name) ? 'write' : (effects.get(name) ?? 'read'),
    }),
  );
  log.decided(text, made);
  const flying = made.flatMap(({ id, name, args }): [string, string][] =>
    name === ownTools.task && dispatcher !== undefined
      ? [[id, dispatcher.subThreadOf({ thread, namespace, call: id }, shapeOf(args))]]
      : [],
  );
  return checked({
    messages: [{ id: `m-${task}`, kind: 'assistant', text, calls: made }],
    inFlight: Object.fromEntries(flying),
    end: made.length === 0 ? { kind: 'answered' } : null,
  });
}

/** Beside what is counted, and for the repair of a reply that doesn't fit. */
const windowPart = 0.9;
/** How often a planner whose window turns out smaller than it was said to be is shown less. */
const mostLess = 3;

/**
 * Asks with as much of the conversation as the planner's window holds; and with half of that where the model says that it
 * is too long. A conversation that is so without results of tools fails before anything is sent.
 */
async function withinWindow(
  messages: readonly Message[],
  tools: string,
  { role, window }: GraphPorts,
  asking: (conversation: string, less: number) => Promise<Asked<Decision>>,
): Promise<Asked<Decision>> {
  const beside = estimateTokens(besideOf(role, tools)) + decisionTokens;
  let fitted = fittedPage(messages, Math.floor(window * windowPart) - beside);
  if (fitted.tokens > window) return tooLong(fitted, window);
  for (let less = 0; ; less += 1) {
    const asked = await asking(fitted.page, less);
    if (asked.kind !== 'failed' || asked.code !== 'context_overflow' || less === mostLess) return asked;
    const smaller = fittedPage(messages, Math.floor(fitted.tokens / 2));
    if (smaller.tokens >= fitted.tokens) return asked;
    fitted = smaller;
  }
}

function tooLong({ tokens, cut }: Fitted, window: number): Asked<Decision> {
  const without = cut ? ', even with the results of tools cut' : '';
  return {
    kind: 'failed',
    code: 'context_overflow',
    message: `The conversation has ${tokens} tokens${without}, where the planner takes ${window} at once`,
    remedy: 'Resume the turn with a model that has a larger context window, or drop it.',
  };
}

/** The call by which the oldest turns go before the planner is asked; null where there is room for all of it. */
function crowded(messages: readonly Message[], tools: string, { autoCompaction, role }: GraphPorts) {
  if (autoCompaction === undefined) return null;
  return dueCompaction(messages, { text: besideOf(role, tools), reply: decisionTokens }, autoCompaction);
}

/** What a planner is shown beside the conversation. */
function besideOf(role: GraphPorts['role'], tools: string): string {
  return [decide.instructions, role ?? '', tools].join('\n');
}

/** In the turn that is under way. */
function decisionsIn(messages: readonly Message[]): number {
  const turn = messages.slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1);
  return turn.filter(({ kind }) => kind === 'assistant').length;
}

function argsOf(text: string): ToolCallMessage['args'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as ToolCallMessage['args'];
  } catch {
    // The tool refuses what it can't use, and the planner reads why.
  }
  return { unreadable_arguments: text };
}

function budgetLine(pool: Pool): string {
  const left = Object.entries(pool.remaining()).filter(([, amount]) => Number.isFinite(amount));
  return left.length === 0
    ? 'no limit'
    : left.map(([name, amount]) => `${name}: ${Math.floor(amount)}`).join(', ');
}
