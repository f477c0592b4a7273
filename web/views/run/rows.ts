/** The tree of a run as rows: each below its parent, those of closed ones left out. */
import type { LoggedEvent, RunEvent, TreeNode } from '../../../src/view.ts';

export interface TreeRow {
  readonly node: TreeNode;
  readonly depth: number;
  readonly children: number;
}

export function rowsOf(nodes: readonly TreeNode[], closed: ReadonlySet<string>): readonly TreeRow[] {
  const below = Map.groupBy(nodes, ({ parent }) => parent);
  const rows: TreeRow[] = [];
  // An explicit stack, since a log can be nested deeper than the call stack allows.
  const open: { readonly of: readonly TreeNode[]; at: number; readonly depth: number }[] = [
    { of: below.get(null) ?? [], at: 0, depth: 0 },
  ];
  while (open.length > 0) {
    const top = open.at(-1)!;
    const node = top.of[top.at];
    top.at += 1;
    if (node === undefined) {
      open.pop();
      continue;
    }
    const children = below.get(node.id) ?? [];
    rows.push({ node, depth: top.depth, children: children.length });
    if (children.length > 0 && !closed.has(node.id)) open.push({ of: children, at: 0, depth: top.depth + 1 });
  }
  return rows;
}

/** The events of a node, found by the id that the tree gives it. */
export function eventsOf(log: readonly LoggedEvent[], { id }: Pick<TreeNode, 'id'>): readonly RunEvent[] {
  const [kind, name = ''] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
  return log
    .map(({ event }) => event)
    .filter((event) => {
      if (kind === 'call') return event.kind.startsWith('model_') && 'call' in event && event.call === name;
      if (kind === 'action')
        return (
          (event.kind === 'action_started' || event.kind === 'action_finished') &&
          (event.call === name || (event.call === undefined && name.startsWith(`${event.step}/`)))
        );
      if (kind === 'cell')
        return (
          (event.kind === 'cell_started' || event.kind === 'cell_finished') &&
          `${event.node}:${event.cell}` === name
        );
      if (kind === 'node')
        return (event.kind === 'node_started' || event.kind === 'node_finished') && event.node === name;
      return false;
    });
}

export interface Lane {
  readonly id: string;
  readonly kind: TreeNode['kind'];
  readonly from: number;
  readonly to: number;
  readonly lane: number;
  readonly failed: boolean;
}

/** Nodes that ran at the same time are put on different lanes. */
export function lanesOf(nodes: readonly TreeNode[], now: number): readonly Lane[] {
  const ends: number[] = [];
  return nodes
    .filter(({ kind }) => kind !== 'run' && kind !== 'step')
    .toSorted((a, b) => a.started - b.started)
    .map(({ id, kind, started, ended, outcome }) => {
      const to = Math.max(started, ended ?? now);
      const free = ends.findIndex((end) => end <= started);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = to;
      return { id, kind, from: started, to, lane, failed: outcome === 'error' || outcome === 'killed' };
    });
}

export interface Spending {
  readonly at: number;
  readonly tokens: number;
  readonly cached: number;
  readonly usd: number;
}

/** After each reply of a model. */
export function spendingOf(log: readonly LoggedEvent[]): readonly Spending[] {
  let [tokens, cached, usd] = [0, 0, 0];
  return log.flatMap(({ at, event }) => {
    if (event.kind !== 'model_replied') return [];
    tokens += event.spent.tokens ?? 0;
    cached += event.cached ?? 0;
    usd += event.spent.usd ?? 0;
    return [{ at, tokens, cached, usd }];
  });
}

export interface Share {
  /** The model, and the signature or dialogue that called it. */
  readonly model: string;
  readonly signature: string;
  readonly calls: number;
  readonly tokens: number;
  /** The input tokens that came from the provider's cache. */
  readonly cached: number;
  readonly usd: number;
}

/** How the cost of a run is divided, the largest share first. */
export function sharesOf(log: readonly LoggedEvent[]): readonly Share[] {
  const asked = new Map<string, { readonly model: string; readonly signature: string }>();
  const shares = new Map<string, Share>();
  for (const { event } of log) {
    if (event.kind === 'model_called') asked.set(event.call, event);
    if (event.kind !== 'model_replied') continue;
    const { model = '', signature = '' } = asked.get(event.call) ?? {};
    const key = JSON.stringify([model, signature]);
    const before = shares.get(key) ?? { model, signature, calls: 0, tokens: 0, cached: 0, usd: 0 };
    shares.set(key, {
      ...before,
      calls: before.calls + 1,
      tokens: before.tokens + (event.spent.tokens ?? 0),
      cached: before.cached + (event.cached ?? 0),
      usd: before.usd + (event.spent.usd ?? 0),
    });
  }
  return [...shares.values()].toSorted((a, b) => b.tokens - a.tokens);
}
