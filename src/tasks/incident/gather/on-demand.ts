/**
 * Questions that the plan left out and that findings suggest: kinds of objects of a cluster, and systems that
 * messages name.
 */

import { factsIn } from '../brief/of-state.ts';
import { isBad, isWorse } from '../brief/symptoms.ts';
import { rankTools } from '../plan-actions.ts';
import type { RunContext } from '../run-context.ts';
import type { IncidentState } from '../state.ts';
import type { GatherTool } from './tools.ts';

export interface Demand {
  readonly tool: GatherTool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** Kinds whose state explains most; the rest is asked for by who has a reason. */
const kinds = ['pods', 'deployments', 'nodes'];
/** Questions of one system that are asked because a message names it. */
const max = 4;

export function demandsOf(state: IncidentState, context: RunContext): readonly Demand[] {
  const asked = new Set(state.calls.map(({ tool }) => tool));
  const tools = rankTools(state, context).map(({ tool }) => tool);
  const takes = ({ question }: GatherTool, args: object): boolean =>
    question?.parameters.safeParse(args).success === true;
  const open = tools.filter(({ name }) => !asked.has(name));
  const ofKinds = open
    .filter((tool) => tool.question?.topic === 'objects' && !takes(tool, {}))
    .flatMap((tool) =>
      kinds
        .filter((kind) => takes(tool, { kind }))
        .map((kind) => ({ tool, arguments: { kind }, why: 'the state that objects are in' })),
    );
  const said = messagesOf(state);
  const named = open
    .filter((tool) => takes(tool, {}) && tool.signal !== null && namesSystem(said, tool.signal.system))
    .slice(0, max)
    .map((tool) => ({ tool, arguments: {}, why: `what went wrong names ${tool.signal!.system}` }));
  return [...ofKinds, ...named];
}

/** Postgres is `PostgreSQL`, `postgres` and `pg_...` in messages. */
function namesSystem(said: string, system: string): boolean {
  const stem = system.toLowerCase().slice(0, 6);
  return stem.length > 3 && said.includes(stem);
}

function messagesOf(state: IncidentState): string {
  const { patterns, lines, spans } = factsIn(state);
  return [
    ...patterns.filter((one) => isWorse(one) && isBad(one.level)).map(({ template }) => template),
    ...lines.filter(({ level }) => isBad(level)).map(({ text }) => text),
    ...spans
      .filter(({ failed }) => failed)
      .flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]),
  ]
    .join('\n')
    .toLowerCase();
}
