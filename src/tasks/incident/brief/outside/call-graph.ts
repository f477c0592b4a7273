/** The graph of calls between services, from spans. */
import type { Span } from '../../../../core/index.ts';

export interface CallGraph {
  readonly services: ReadonlySet<string>;
  /** Services that a service calls. */
  readonly callees: ReadonlyMap<string, ReadonlySet<string>>;
  readonly callers: ReadonlyMap<string, ReadonlySet<string>>;
}

export function buildCallGraph(spans: readonly Span[]): CallGraph {
  const byId = new Map(spans.map((span) => [`${span.trace}/${span.id}`, span]));
  const callees = new Map<string, Set<string>>();
  const callers = new Map<string, Set<string>>();
  const addLink = (all: Map<string, Set<string>>, from: string, to: string): void => {
    all.set(from, (all.get(from) ?? new Set()).add(to));
  };
  for (const span of spans) {
    const parent = span.parent === null ? undefined : byId.get(`${span.trace}/${span.parent}`);
    if (parent === undefined || parent.service === span.service) continue;
    addLink(callees, parent.service, span.service);
    addLink(callers, span.service, parent.service);
  }
  return { services: new Set(spans.map(({ service }) => service)), callees, callers };
}

/** All services that a service calls, directly or indirectly. */
export function findCallees(graph: CallGraph, service: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const pending = [service];
  for (let at = pending.pop(); at !== undefined; at = pending.pop())
    for (const callee of graph.callees.get(at) ?? [])
      if (!seen.has(callee)) {
        seen.add(callee);
        pending.push(callee);
      }
  return seen;
}
