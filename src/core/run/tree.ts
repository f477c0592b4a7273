/** A run as a tree: nodes with their cells and the requests of these cells; steps with their calls and actions. */
import type { Amounts } from '../budget/budget.ts';
import type { LoggedEvent, RunEvent } from '../event.ts';

export interface TreeNode {
  /** Unique within the run. */
  readonly id: string;
  readonly parent: string | null;
  readonly kind: 'run' | 'node' | 'cell' | 'step' | 'call' | 'action' | 'helper';
  readonly title: string;
  /** Null while it is running, and if the run was killed during it. */
  readonly outcome: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly started: number;
  readonly ended: number | null;
  readonly spent: Amounts;
  /** One line for people; may be empty. */
  readonly note: string;
  /** Ids of the evidence that the node gave. */
  readonly evidence: readonly string[];
}

/**
 * The nodes in the order in which they began, so that a parent comes before its children. The log may be incomplete at
 * its end.
 */
export function treeOf(log: readonly LoggedEvent[]): readonly TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  const begin = (
    id: string,
    parent: string | null,
    node: Pick<TreeNode, 'kind' | 'title' | 'started'>,
  ): void => {
    if (nodes.has(id)) return;
    nodes.set(id, { id, parent, outcome: null, ended: null, spent: {}, note: '', evidence: [], ...node });
  };
  const end = (id: string, more: Partial<TreeNode> & Pick<TreeNode, 'outcome' | 'ended'>): void => {
    const node = nodes.get(id);
    if (node !== undefined) nodes.set(id, { ...node, ...more });
  };
  let unnamedCount = 0;
  const open = new Map<string, string>();
  for (const { at, event } of log) {
    switch (event.kind) {
      case 'run_started':
        begin('run', null, { kind: 'run', title: event.question, started: at });
        break;
      case 'run_finished':
        end('run', {
          outcome: event.result.status,
          ended: at,
          spent: event.spent,
          note: event.result.stop_reason,
        });
        break;
      case 'step_started':
        begin(stepId(event.step), 'run', { kind: 'step', title: `Step ${event.step}`, started: at });
        break;
      case 'model_called':
        begin(`call:${event.call}`, findParent(nodes, event), {
          kind: 'call',
          title: `${event.signature} (${event.model})`,
          started: at,
        });
        break;
      case 'model_replied':
        end(`call:${event.call}`, { outcome: 'ok', ended: at, spent: event.spent });
        break;
      case 'model_failed':
        end(`call:${event.call}`, { outcome: 'error', ended: at, note: `${event.code}: ${event.message}` });
        break;
      case 'action_started': {
        const id = `action:${event.call ?? `${event.step}/${++unnamedCount}`}`;
        open.set(event.call ?? `${event.step}/${event.action}`, id);
        begin(id, findParent(nodes, event), { kind: 'action', title: event.action, started: at });
        break;
      }
      case 'action_finished':
        end(open.get(event.call ?? `${event.step}/${event.action}`) ?? '', {
          outcome: event.outcome,
          ended: at,
          note: event.summary,
          evidence: event.evidence,
        });
        break;
      case 'node_started':
        begin(nodeId(event.node), findParentNode(nodes, event.node), {
          kind: 'node',
          title: event.prompt,
          started: at,
        });
        break;
      case 'node_finished':
        end(nodeId(event.node), { outcome: event.status, ended: at, note: event.summary });
        break;
      case 'cell_started':
        begin(cellId(event), nodes.has(nodeId(event.node)) ? nodeId(event.node) : 'run', {
          kind: 'cell',
          title: `Cell ${event.cell}`,
          started: at,
        });
        break;
      case 'helper_called':
        begin(`helper:${++unnamedCount}`, cellId(event), {
          kind: 'helper',
          title: event.helper,
          started: at - event.wall_ms,
        });
        end(`helper:${unnamedCount}`, { outcome: event.outcome, ended: at, note: event.summary });
        break;
      case 'cell_finished':
        end(cellId(event), { outcome: event.outcome, ended: at });
        break;
      case 'run_resumed':
      case 'evidence_registered':
      case 'session_opened':
      case 'note':
      case 'budget_exhausted':
      case 'citation_checked':
      case 'claims_checked':
        break;
    }
  }
  return detachOrphans(nodes);
}

const stepId = (step: number): string => `step:${step}`;
const nodeId = (node: string): string => `node:${node}`;
const cellId = ({ node, cell }: { readonly node: string; readonly cell: string }): string =>
  `cell:${node}:${cell}`;

/** The parent of a call or an action: its step if that was logged, otherwise the run. */
function findParent(
  nodes: ReadonlyMap<string, TreeNode>,
  { step }: Extract<RunEvent, { step: number }>,
): string {
  return nodes.has(stepId(step)) ? stepId(step) : 'run';
}

/** The parent of a node: the node named by the longest beginning of its own name. */
function findParentNode(nodes: ReadonlyMap<string, TreeNode>, node: string): string {
  for (let name = node; name.includes('/'); ) {
    name = name.slice(0, name.lastIndexOf('/'));
    if (nodes.has(nodeId(name))) return nodeId(name);
  }
  return 'run';
}

/** If the beginning of a log was removed, nodes whose parent is missing become roots. */
const detachOrphans = (nodes: ReadonlyMap<string, TreeNode>): readonly TreeNode[] =>
  [...nodes.values()].map((node) =>
    node.parent === null || nodes.has(node.parent) ? node : { ...node, parent: null },
  );
