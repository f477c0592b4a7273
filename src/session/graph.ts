/**
 * The conversation as a graph: a planner, and the tools that it calls until it answers. No context is assembled before
 * the first call of the planner. The state is checked at the end of each node. Each tool call is followed by a
 * checkpoint, and work that is repeated after a crash has the same keys.
 */
import { type BaseCheckpointSaver, END, Send, START, StateGraph } from '@langchain/langgraph';
import type { GraphPorts } from './graph-ports.ts';
import { Channels, checkUpdate, countDecisions, findOpenCalls, type State } from './graph-state.ts';
import type { Message } from './history/messages.ts';
import { ownTools } from './planner/own-tools.ts';
import { runPlanner } from './planner/planner-node.ts';
import { callTool, runCompaction, type ToolCallRequest } from './tools/tool-nodes.ts';

export function conversationGraph(ports: GraphPorts, checkpointer: BaseCheckpointSaver) {
  return (
    new StateGraph(Channels)
      .addNode('planner', (state, config) => runPlanner(state, config, ports))
      .addNode('tool', (request: unknown, config) => callTool(request as ToolCallRequest, config, ports))
      .addEdge(START, 'planner')
      .addNode('compact', (state, config) => runCompaction(state, config, ports))
      // Parallel tools join here before the planner decides what is next.
      .addNode('gather', async ({ messages }: State) => takeSteering(messages, ports))
      .addConditionalEdges('planner', chooseNext, ['tool', 'compact', 'planner', END])
      .addEdge('tool', 'gather')
      .addEdge('compact', 'gather')
      .addConditionalEdges('gather', chooseNext, ['tool', 'compact', 'planner', END])
      .compile({ checkpointer })
  );
}

/** Adds new messages of the person. Runs after a step, since a model that is replying can't get them. */
function takeSteering(messages: readonly Message[], { steering }: GraphPorts) {
  const steerings = (steering?.() ?? []).filter(({ id }) => !messages.some((each) => each.id === id));
  return steerings.length === 0
    ? {}
    : checkUpdate({ messages: steerings.map(({ id, text }) => ({ id, kind: 'steer', text })) });
}

/** Reads run in parallel, a write runs alone, all in the order of the calls. */
function chooseNext({ messages, end }: State) {
  if (end) return END;
  const openCalls = findOpenCalls(messages);
  const [firstCall] = openCalls;
  if (firstCall === undefined) return 'planner';
  if (firstCall.name === ownTools.compact_history) return 'compact';
  const firstWrite = openCalls.findIndex(({ effect }) => effect === 'write');
  const batch =
    firstCall.effect === 'write'
      ? [firstCall]
      : openCalls.slice(0, firstWrite < 0 ? openCalls.length : firstWrite);
  const step = countDecisions(messages);
  const why = messages.findLast((each) => each.kind === 'assistant')?.text ?? '';
  return batch.map((call) => new Send('tool', { call, step, why } satisfies ToolCallRequest));
}
