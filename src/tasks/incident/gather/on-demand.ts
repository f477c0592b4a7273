/**
 * Questions that the plan left out and that findings suggest: kinds of cluster objects, systems that messages name,
 * and deployed commits that no list contains.
 */
import { isSameCommit } from '../../../core/incidents.ts';
import { factsIn, judgeState } from '../brief/judge-state.ts';
import { isAmong } from '../brief/subject.ts';
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

/** The kinds whose states explain most; others are asked for only if there is a reason. */
const kinds = ['pods', 'deployments', 'nodes'];
/** Maximum number of questions per system that are asked because a message names the system. */
const maxNamedQuestions = 4;

export function listDemands(state: IncidentState, context: RunContext): readonly Demand[] {
  const asked = new Set(state.calls.map(({ tool }) => tool));
  const tools = rankTools(state, context).map(({ tool }) => tool);
  const takes = ({ question }: GatherTool, args: object): boolean =>
    question?.parameters.safeParse(args).success === true;
  const open = tools.filter(({ name }) => !asked.has(name));
  const kindDemands = open
    .filter((tool) => tool.question?.topic === 'objects' && !takes(tool, {}))
    .flatMap((tool) =>
      kinds
        .filter((kind) => takes(tool, { kind }))
        .map((kind) => ({ tool, arguments: { kind }, why: 'the state that objects are in' })),
    );
  const messages = joinMessages(state);
  const named = open
    .filter((tool) => takes(tool, {}) && tool.signal !== null && namesSystem(messages, tool.signal.system))
    .slice(0, maxNamedQuestions)
    .map((tool) => ({ tool, arguments: {}, why: `what went wrong names ${tool.signal!.system}` }));
  return [...kindDemands, ...named, ...listDeliveredCommits(state, tools)];
}

/** The minimum reach of a service whose lines are read, and the maximum number of such services. */
const minReach = 0.7;
const maxServices = 2;

/**
 * Asks for the lines of services that the alert depends on, where something happened. The plan asks only for those of
 * the alert's own service, which often says only that it waits.
 */
export function listDependencyDemands(state: IncidentState, tools: readonly GatherTool[]): readonly Demand[] {
  const tool = tools.find(
    ({ question, name }) =>
      question?.topic === 'logs' &&
      !/pattern/.test(name) &&
      question.parameters.safeParse({ service: 'x' }).success &&
      state.calls.some((call) => call.tool === name),
  );
  if (tool === undefined) return [];
  const { subject, reach, movements, onset } = judgeState(state);
  const { patterns } = factsIn(state);
  const countErrors = (name: string): number =>
    patterns
      .filter((pattern) => pattern.service === name && isWorse(pattern) && isBad(pattern.level))
      .reduce((sum, { count }) => sum + count, 0);
  const hasMoved = (name: string): boolean =>
    movements.some((movement) => movement.service === name && movement.onset <= onset + 60_000);
  return [...reach.names]
    .filter(
      (name) =>
        !isAmong(subject.names, name) &&
        reach.of(name) >= minReach &&
        (countErrors(name) > 0 || hasMoved(name)),
    )
    .toSorted((a, b) => countErrors(b) - countErrors(a) || reach.of(b) - reach.of(a))
    .slice(0, maxServices)
    .map((service) => ({
      tool,
      arguments: { service },
      why: `the alert depends on ${service}, where something happened`,
    }));
}

/** Maximum number of commits to read because a deploy delivered them: per deploy, and in all. */
const maxOfDeploy = 3;
const maxDelivered = 6;

/** Asks for deployed commits that no list contains, since lists begin at the window and these may be older. */
function listDeliveredCommits(state: IncidentState, tools: readonly GatherTool[]): readonly Demand[] {
  const reader = findCommitReader(tools);
  if (reader === null) return [];
  const { changes } = factsIn(state);
  const listed = changes.filter(({ kind }) => kind === 'commit').map(({ id }) => id);
  const brought = changes
    .filter(({ kind }) => kind === 'deploy' || kind === 'rollout')
    .toSorted((a, b) => b.at - a.at)
    .flatMap(({ commits }) =>
      commits.filter((id) => !listed.some((known) => isSameCommit(known, id))).slice(0, maxOfDeploy),
    );
  return [...new Set(brought)].slice(0, maxDelivered).map((id) => ({
    tool: reader.tool,
    arguments: { [reader.name]: id },
    why: 'a deploy brought it, and no list holds it',
  }));
}

/** The question that reads one commit, and the name of its argument for the commit. */
export function findCommitReader(
  tools: readonly GatherTool[],
): { readonly tool: GatherTool; readonly name: string } | null {
  for (const tool of tools) {
    const { question } = tool;
    const name = question?.topic === 'changes' ? findCommitArgument(question.parameters) : null;
    if (name !== null) return { tool, name };
  }
  return null;
}

/** The name under which a question takes a commit; null if it takes none. */
function findCommitArgument(parameters: { safeParse(value: unknown): { success: boolean } }): string | null {
  return (
    ['commit', 'sha', 'hash', 'id', 'ref', 'revision'].find(
      (name) =>
        parameters.safeParse({ [name]: '0123456789abcdef0123456789abcdef01234567' }).success &&
        !parameters.safeParse({ [name]: 0 }).success,
    ) ?? null
  );
}

/** Postgres is `PostgreSQL`, `postgres` and `pg_...` in messages. */
function namesSystem(messages: string, system: string): boolean {
  const stem = system.toLowerCase().slice(0, 6);
  return stem.length > 3 && messages.includes(stem);
}

function joinMessages(state: IncidentState): string {
  const { patterns, lines, spans } = factsIn(state);
  return [
    ...patterns.filter((pattern) => isWorse(pattern) && isBad(pattern.level)).map(({ template }) => template),
    ...lines.filter(({ level }) => isBad(level)).map(({ text }) => text),
    ...spans
      .filter(({ failed }) => failed)
      .flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]),
  ]
    .join('\n')
    .toLowerCase();
}
