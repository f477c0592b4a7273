/**
 * Random acts of random callers, beside a model that knows little: what the author reads, whose each content is, and
 * what may become of it. A seed that fails is in the name of its test.
 */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../core/index.ts';
import { numbers } from './contract/numbers.contract.ts';
import {
  agent,
  author,
  external,
  importer,
  otherAgent,
  reading,
  schedule,
} from './contract/workbench.contract.ts';
import { memoryWorld, type ScriptedWorld } from './scripted.ts';
import type { Lifecycle, Origin } from './world.ts';
import type { SubmitResult, WorldOperation, WriteRequest } from './world-write.ts';
import { worldWrite } from './write/make-write.ts';

const everyTrial = process.env['TRIALS'] === 'all';
const seeds = Array.from(
  { length: Number(process.env['WORLD_SEEDS'] ?? (everyTrial ? 12 : 4)) },
  (_, index) => index + 1,
);
const steps = 150;
const callers: readonly Caller[] = [author, author, agent, agent, otherAgent, schedule, external, importer];
const names = ['A', 'A/B', 'A/B/C', 'B', 'B/C', 'C', 'D/E', 'F'];
const texts = [
  'One.\n',
  'One.\n\nTwo [[B]].\n',
  '# H\n\n- a\n- b\n\n[c](../C.md)\n',
  '---\nk: 1\n---\nT #t\n',
  '',
];

function contents(world: ScriptedWorld) {
  const pages = world.pages({ view: 'all' });
  const blocks = pages.flatMap(({ id }) => world.read(id, 'all')!.blocks);
  return { pages, blocks };
}

function randomRequest(world: ScriptedWorld, random: (below: number) => number, step: number): WriteRequest {
  const pick = <Value>(values: readonly Value[]): Value | undefined => values[random(values.length || 1)];
  const { pages, blocks } = contents(world);
  const page = pick(pages)?.id ?? 'pg-none';
  const block = pick(blocks)?.id ?? 'bl-none';
  const any = random(2) === 0 ? page : block;
  const text = pick(texts)!;
  const deviation = pick(world.deviations())?.id ?? 'dv-none';
  const decision = pick(['accept', 'keep', { text: 'Third.\n' }] as const)!;
  const operations: readonly WorldOperation[] = [
    { op: 'create_page', path: pick(names)!, text },
    { op: 'create_page', path: pick(names)!, text, tags: ['x'], properties: { k: random(3) } },
    { op: 'update_block', block, text },
    { op: 'add_block', page, text },
    { op: 'add_block', page, after: block, text },
    { op: 'delete_block', block },
    { op: 'update_page', page, text },
    { op: 'move_page', page, to: pick(names)! },
    { op: 'rename_page', page, name: pick(['A', 'B', 'C', 'Z'])! },
    { op: 'delete_page', page },
    { op: 'set_properties', page, set: { k: random(3), j: null } },
    { op: 'add_tag', content: any, tag: pick(['t', 'u', 'bad tag'])! },
    { op: 'remove_tag', content: any, tag: 't' },
    { op: 'add_derivation_link', derived: any, source: random(2) === 0 ? page : block, link_type: 'cites' },
    { op: 'add_attachment', page, path: 'a.png', bytes: 1, hash: 'h' },
    { op: 'promote', content: any },
    { op: 'reject', content: any },
    { op: 'resolve_deviation', deviation, decision },
    { op: 'clear_flag', flag: pick(world.flags())?.id ?? 'fl-none' },
  ];
  const lifecycle = random(10) === 0 ? pick<Lifecycle>(['Draft', 'Candidate', 'Canonical']) : undefined;
  return {
    operation: pick(operations)!,
    caller: pick(callers)!,
    source: `step ${step}`,
    idempotencyKey: random(4) === 0 ? `key ${random(20)}` : null,
    ...(random(3) === 0 && { derivedFrom: [page, block].slice(random(2)) }),
    ...(random(5) === 0 && { baseRevision: 1 + random(3) }),
    ...(random(8) === 0 && { contradicts: [page] }),
    ...(lifecycle !== undefined && { lifecycle }),
  };
}

/** What holds after every step, whatever it was. */
function checkWorld(world: ScriptedWorld): void {
  const { pages } = contents(world);
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  for (const page of pages) {
    const all = world.read(page.id, 'all')!;
    expect(all.blocks.length).toBeGreaterThan(0);
    const shown = world.read(page.id);
    expect(shown === null).toBe(page.lifecycle === 'Candidate');
    expect(shown?.blocks.length).not.toBe(0);
    // A page that the author does not read holds nothing of the author's.
    if (shown === null) expect(all.blocks.every(({ lifecycle }) => lifecycle === 'Candidate')).toBe(true);
    else expect(shown.blocks.every(({ lifecycle }) => lifecycle !== 'Candidate')).toBe(true);
    for (const { to, from_page } of world.links(page.id)) {
      if (to !== null) expect(world.backlinks(to).some((link) => link.from_page === from_page)).toBe(true);
    }
  }
}

/** Content once seen: who it is from never changes, and it goes up only by the author. */
type Known = Map<string, { readonly origin: Origin; readonly lifecycle: Lifecycle }>;

function checkProvenance(world: ScriptedWorld, known: Known, { caller }: WriteRequest): void {
  const { pages, blocks } = contents(world);
  for (const { id, origin, lifecycle } of [...pages, ...blocks]) {
    const before = known.get(id);
    known.set(id, { origin, lifecycle });
    if (before === undefined) {
      if (caller.kind === 'user') continue;
      expect([origin, lifecycle]).toEqual(
        caller.kind === 'import'
          ? ['Imported', expect.stringMatching(/Draft|Candidate/)]
          : ['AgentProduced', 'Candidate'],
      );
      continue;
    }
    expect(origin).toBe(before.origin);
    if (caller.kind !== 'user') expect(lifecycle).toBe(before.lifecycle);
    else if (lifecycle !== before.lifecycle) expect(lifecycle).not.toBe('Candidate');
  }
}

function noCircle(world: ScriptedWorld): void {
  const { pages, blocks } = contents(world);
  const state = new Map<string, 'open' | 'done'>();
  const visit = (id: string) => {
    if (state.get(id) === 'done') return;
    expect(state.get(id)).toBeUndefined();
    state.set(id, 'open');
    for (const { source_id } of world.sourcesOf(id)) visit(source_id);
    state.set(id, 'done');
  };
  for (const { id } of [...pages, ...blocks]) visit(id);
}

function everything(world: ScriptedWorld): string {
  return JSON.stringify([
    world.events(0, 10_000),
    world.deviations(),
    world.flags(),
    world.attachments(),
    contents(world),
  ]);
}

describe('a walk of random acts', () => {
  it.each(seeds)('seed %i', (seed) => {
    const random = numbers(seed);
    const world = memoryWorld({ 'A/B': '---\nk: 1\n---\nOne.\n\nTwo [[C]].\n', C: 'Three.\n' });
    const known: Known = new Map();
    checkProvenance(world, known, { caller: author } as WriteRequest);
    const seen = new Map<string, SubmitResult>();
    const count = { accepted: 0, held: 0, refused: 0 };
    for (let step = 0; step < steps; step += 1) {
      const request = randomRequest(world, random, step);
      const before = everything(world);
      const read = JSON.stringify(reading(world));
      const head = world.head();
      const result = world.submit(worldWrite(request));
      const agents = request.caller.kind !== 'user' && request.caller.kind !== 'import';
      if (result.kind === 'refused') {
        count.refused += 1;
        expect(everything(world)).toBe(before);
      } else if (result.repeated) {
        expect(everything(world)).toBe(before);
        expect(seen.get(request.idempotencyKey!)).toMatchObject({ write_id: result.write_id });
      } else {
        count[result.applied ? 'accepted' : 'held'] += 1;
        expect(world.head()).toBe(head + 1);
        if (request.idempotencyKey !== null) seen.set(request.idempotencyKey, result);
      }
      // But for links that find a new page, nothing that an agent does is to be seen by the author.
      if (agents) expect(JSON.stringify(reading(world))).toBe(read);
      if (result.kind === 'accepted' && !result.applied) expect(JSON.stringify(reading(world))).toBe(read);
      checkWorld(world);
      checkProvenance(world, known, request);
    }
    noCircle(world);
    world.inbox();
    expect(world.check()).toMatchObject({ ok: true, damaged: [] });
    expect(count.accepted).toBeGreaterThan(10);
    expect(count.held).toBeGreaterThan(5);
    expect(count.refused).toBeGreaterThan(10);
    world.close();
  });
});
