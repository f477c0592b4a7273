import { ByteReader } from './bytes.ts';
import { op, skipImmediates } from './instructions.ts';
import type { ModuleInfo } from './module.ts';

interface Calls {
  /** Indices of functions called by name. Calls of imported functions are left out: the host charges them. */
  readonly direct: ReadonlySet<number>;
  readonly indirect: boolean;
}

/**
 * The functions whose entry must be charged so that every recursion is charged: every cycle of calls passes through
 * at least one of them. Loops are charged at their headers, so all other code runs for a bounded time.
 *
 * All functions that make indirect calls are charged. Of each remaining cycle, which has direct calls only, the
 * function with the most calls is charged, until no cycle is left.
 */
export function findChargedEntries(info: ModuleInfo): ReadonlySet<number> {
  const calls = new Map<number, Calls>();
  info.bodies.forEach((body, i) => {
    calls.set(info.importedFunctions + i, findCalls(body, info.importedFunctions));
  });
  const charged = new Set<number>();
  for (const [index, { indirect }] of calls) if (indirect) charged.add(index);

  const pending = [new Set([...calls.keys()].filter((index) => !charged.has(index)))];
  for (let group = pending.pop(); group; group = pending.pop()) {
    for (const cycle of findCycles(group, (index) => calls.get(index)?.direct ?? [])) {
      const mostConnected = findMostConnected(cycle, (index) => calls.get(index)?.direct ?? []);
      charged.add(mostConnected);
      cycle.delete(mostConnected);
      pending.push(cycle);
    }
  }
  return charged;
}

function findCalls(body: Uint8Array, imported: number): Calls {
  const direct = new Set<number>();
  let indirect = false;
  const reader = new ByteReader(body);
  for (let declarations = reader.u32(); declarations > 0; declarations--) {
    reader.skipNumber();
    reader.u8();
  }
  while (!reader.done) {
    const opcode = reader.u8();
    if (opcode === op.call || opcode === op.returnCall) {
      const callee = reader.u32();
      if (callee >= imported) direct.add(callee);
      continue;
    }
    if (opcode === op.callIndirect || opcode === op.returnCallIndirect) indirect = true;
    skipImmediates(reader, opcode);
  }
  return { direct, indirect };
}

function findMostConnected(group: ReadonlySet<number>, edges: (from: number) => Iterable<number>): number {
  const incoming = new Map<number, number>();
  const outgoing = new Map<number, number>();
  for (const from of group) {
    for (const to of edges(from)) {
      if (!group.has(to)) continue;
      outgoing.set(from, (outgoing.get(from) ?? 0) + 1);
      incoming.set(to, (incoming.get(to) ?? 0) + 1);
    }
  }
  let best = -1;
  let score = -1;
  for (const index of group) {
    const product = (incoming.get(index) ?? 0) * (outgoing.get(index) ?? 0);
    if (product > score) [best, score] = [index, product];
  }
  return best;
}

/** The strongly connected components that contain a cycle (Tarjan's algorithm, without recursion). */
function findCycles(group: ReadonlySet<number>, edges: (from: number) => Iterable<number>): Set<number>[] {
  const found: Set<number>[] = [];
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  const frames: { node: number; rest: Iterator<number> }[] = [];
  const enter = (node: number) => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    stack.push(node);
    onStack.add(node);
    frames.push({ node, rest: edges(node)[Symbol.iterator]() });
  };
  const lower = (node: number, value: number) => low.set(node, Math.min(low.get(node)!, value));

  for (const root of group) {
    if (order.has(root)) continue;
    enter(root);
    while (frames.length > 0) {
      const { node, rest } = frames.at(-1)!;
      const next = rest.next();
      if (!next.done) {
        if (!group.has(next.value)) continue;
        if (!order.has(next.value)) enter(next.value);
        else if (onStack.has(next.value)) lower(node, order.get(next.value)!);
        continue;
      }
      frames.pop();
      const caller = frames.at(-1);
      if (caller) lower(caller.node, low.get(node)!);
      if (low.get(node) !== order.get(node)) continue;
      const component = new Set(stack.splice(stack.lastIndexOf(node)));
      for (const member of component) onStack.delete(member);
      const selfCall = component.size === 1 && [...edges(node)].includes(node);
      if (component.size > 1 || selfCall) found.push(component);
    }
  }
  return found;
}
