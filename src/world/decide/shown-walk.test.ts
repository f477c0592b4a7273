/**
 * A random walk of agents, an import and the author through one world. Every line, name and property that an agent
 * writes is one of a kind; whatever is Canonical must be made of what was printed to the author, of the author's own
 * words, and of what the import brought. `WORLD_ACTS` and `WORLD_WALK` set how many acts, and the seed.
 */
import { expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { numbers } from '../contract/numbers.contract.ts';
import { agent, author, external, importer, otherAgent, schedule } from '../contract/workbench.contract.ts';
import { joinPageText } from '../read/page-lines.ts';
import { memoryWorld, type ScriptedWorld } from '../scripted.ts';
import type { InboxItem, PageText } from '../world.ts';
import type { WorldOperation } from '../world-write.ts';
import { worldWrite } from '../write/make-write.ts';

const acts = Number(process.env['WORLD_ACTS'] ?? 500);
const seed = Number(process.env['WORLD_WALK'] ?? 1);

const random = numbers(seed);
const pick = <Value>(values: readonly Value[]): Value | undefined => values[random(values.length || 1)];

let serial = 0;
/** Letters that nobody has written before. */
const fresh = (who: string): string => {
  serial += 1;
  return `${who}${serial}x`;
};

/** All words that were printed to the author, or are the author's own, or an import's. */
const seen = new Set<string>();
const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const see = (...texts: readonly (string | null)[]) => {
  for (const text of texts) for (const word of wordsOf(text ?? '')) seen.add(word);
};

function textBy(who: string, pages: readonly string[]): string {
  const line = () => fresh(who);
  const forms = [
    () => `${line()}\n`,
    () => `${line()}\n\n${line()} [[${pick(pages) ?? 'A'}]].\n\n${line()}\n`,
    () => `# ${line()}\n\n- ${line()}\n- ${line()}\n`,
    () => `---\n${line()}: ${line()}\n---\n${line()}\n`,
    () => `| ${line()} |\n|---|\n| ${line()} |\n`,
    () => `\`\`\`\n${line()}\n`,
  ];
  return pick(forms)!();
}

function operationBy(world: ScriptedWorld, who: string): WorldOperation {
  const pages = world.pages({ view: 'all' });
  const paths = pages.map(({ path }) => path);
  const page = pick(pages)?.id ?? 'pg-none';
  const read = world.read(page, 'all');
  const block = pick(read?.blocks ?? [])?.id ?? 'bl-none';
  const text = textBy(who, paths);
  // Now and then a whole page with one block changed, as an editor or an agent saves it.
  const changed =
    read === null
      ? text
      : joinPageText({
          ...read,
          blocks: read.blocks.map((each) =>
            each.id === block ? { ...each, text: `${fresh(who)}\n\n` } : each,
          ),
        });
  const content = random(2) === 0 ? page : block;
  const all: readonly WorldOperation[] = [
    { op: 'create_page', path: fresh(who), text },
    {
      op: 'create_page',
      path: fresh(who),
      text,
      tags: [fresh(who)],
      properties: { [fresh(who)]: fresh(who) },
    },
    { op: 'update_block', block, text },
    { op: 'update_block', block, text },
    { op: 'update_page', page, text },
    { op: 'update_page', page, text: changed },
    { op: 'update_page', page, text: changed },
    { op: 'add_block', page, text },
    { op: 'add_block', page, after: block, text },
    { op: 'delete_block', block },
    { op: 'delete_page', page },
    { op: 'rename_page', page, name: fresh(who) },
    { op: 'move_page', page, to: `${pick(paths) ?? 'A'}/${fresh(who)}` },
    { op: 'set_properties', page, set: { [fresh(who)]: fresh(who) } },
    { op: 'set_properties', page, set: { shared: fresh(who) } },
    { op: 'add_tag', content, tag: fresh(who) },
  ];
  return pick(all)!;
}

function submit(
  world: ScriptedWorld,
  caller: Caller,
  operation: WorldOperation,
  base: { readonly baseRevision?: number } = {},
) {
  // The author's own words, and those of the file that an import reads.
  if (caller.kind === 'user' || caller.kind === 'import')
    see(JSON.stringify(operation).replace(/\\[nr]/g, ' '));
  const pages = world.pages({ view: 'all' });
  const write = worldWrite({
    operation,
    caller,
    source: 'walk',
    idempotencyKey: null,
    ...(caller.kind !== 'user' && random(6) === 0 && { baseRevision: 1 + random(3) }),
    ...base,
    ...(caller.kind !== 'user' && random(6) === 0 && pages.length > 0 && { contradicts: [pick(pages)!.id] }),
    ...(caller.kind === 'user' && random(10) === 0 && { lifecycle: 'Candidate' as const }),
  });
  return world.submit(write);
}

/** Something was read, and not yet printed: others go on meanwhile. */
let printing: readonly (InboxItem | PageText)[] = [];
const named: { readonly id: string; readonly revision: number }[] = [];

function printed(world: ScriptedWorld): void {
  for (const each of printing) {
    if ('blocks' in each) see(each.path, joinPageText(each));
    else
      see(
        each.path,
        each.note,
        each.before,
        each.after,
        ...each.conflicts.flatMap(({ base, ours, theirs }) => [base, ours, theirs]),
      );
    named.push({ id: each.id, revision: each.revision });
    if ('blocks' in each) named.push(...each.blocks.map(({ id, revision }) => ({ id, revision })));
  }
  world.shown(author.name, printing);
  printing = [];
}

function decide(world: ScriptedWorld): WorldOperation {
  const waiting = world.inbox(1000);
  // What was seen some time ago, what waits now, or anything at all.
  const recent = named.slice(-20);
  const id =
    (random(3) === 0 ? pick(recent)?.id : pick(waiting)?.id) ??
    pick(world.pages({ view: 'all' }))?.id ??
    'pg-none';
  const guess = pick([
    undefined,
    undefined,
    named.findLast((each) => each.id === id)?.revision,
    1 + random(4),
  ]);
  const revision = guess === undefined ? {} : { revision: guess };
  if (id.startsWith('fl-')) return { op: 'clear_flag', flag: id };
  if (!id.startsWith('dv-'))
    return { op: pick(['promote', 'promote', 'promote', 'reject'] as const)!, content: id, ...revision };
  const decision = pick(['accept', 'accept', 'accept', 'keep', 'text'] as const)!;
  return {
    op: 'resolve_deviation',
    deviation: id,
    decision: decision === 'text' ? { text: `${fresh('own')}\n` } : decision,
    ...revision,
  };
}

function authorActs(world: ScriptedWorld): void {
  switch (random(8)) {
    case 0:
      printed(world);
      printing = world.inbox(1 + random(10));
      break;
    case 1: {
      printed(world);
      const page = pick(world.pages({ view: 'all' }));
      const read = page === undefined ? null : world.read(page.id, random(4) === 0 ? 'canonical' : 'all');
      printing = read === null ? [] : [read];
      break;
    }
    case 2: {
      // Looked at and decided at once, as a person does.
      printing = [...world.inbox(3)];
      const [first] = printing;
      printed(world);
      if (first === undefined || 'blocks' in first || first.kind === 'flag') break;
      const operation: WorldOperation =
        first.kind === 'deviation'
          ? { op: 'resolve_deviation', deviation: first.id, decision: 'accept' }
          : { op: 'promote', content: first.id };
      count(world.submit(worldWrite({ operation, caller: author, source: 'walk', idempotencyKey: null })));
      break;
    }
    case 3: {
      const operation = operationBy(world, 'own');
      const page = operation.op === 'update_page' ? world.page(operation.page) : null;
      // Who gives a page a text knows which: its path is the author's word, too.
      if (page !== null) see(page.path);
      submit(
        world,
        author,
        operation,
        page === null || random(2) === 0 ? {} : { baseRevision: page.revision },
      );
      break;
    }
    case 4:
      printed(world);
      break;
    default: {
      const operation = decide(world);
      see(JSON.stringify(operation).replace(/\\[nr]/g, ' '));
      const result = world.submit(
        worldWrite({ operation, caller: author, source: 'walk', idempotencyKey: null }),
      );
      count(result, operation);
    }
  }
}

const counts: Record<string, number> = {};
function count(result: ReturnType<ScriptedWorld['submit']>, operation?: WorldOperation): void {
  const key = `${operation?.op ?? 'looked, decided'}: ${result.kind === 'refused' ? result.code : 'done'}`;
  counts[key] = (counts[key] ?? 0) + 1;
}

/** Words that are Canonical, with where they stand. */
function canonical(world: ScriptedWorld): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const { id, lifecycle } of world.pages()) {
    const page = world.read(id)!;
    if (lifecycle === 'Canonical')
      for (const word of wordsOf(`${page.path} ${page.front}`)) words.set(word, `head of ${id}`);
    for (const block of page.blocks)
      if (block.lifecycle === 'Canonical')
        for (const word of wordsOf(block.text)) words.set(word, `${block.id} of ${id}`);
  }
  return words;
}

it(`makes nothing Canonical that the author was not shown, in ${acts} acts`, () => {
  const world = memoryWorld({
    A: 'A page of the author.\n\nAnd more of it.\n',
    B: '---\nshared: 1\n---\nSee [[A]].\n',
  });
  see('A B', 'A page of the author And more of it', 'shared 1 See A', 'tags tag');
  for (let act = 1; act <= acts; act += 1) {
    const who = random(10);
    const last = named.length;
    if (who < 5) {
      const caller = pick([agent, otherAgent, schedule, external])!;
      const operation: WorldOperation = random(12) === 0 ? decide(world) : operationBy(world, 'agent');
      submit(world, caller, operation);
    } else if (who === 5) {
      const operation = operationBy(world, 'import');
      submit(world, importer, operation);
    } else authorActs(world);
    const unseen = [...canonical(world)].filter(([word]) => !seen.has(word));
    expect(unseen, `seed ${seed}, act ${act}, ${JSON.stringify(world.submitted.at(-1))}`).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(last);
    const open = world.deviations({ status: 'open' });
    if (open.length > 40) {
      const operation = { op: 'resolve_deviation', deviation: pick(open)!.id, decision: 'keep' } as const;
      world.submit(worldWrite({ operation, caller: author, source: 'walk', idempotencyKey: null }));
    }
    // So many that it stays a walk, and not a flood.
    if (world.pages({ view: 'all' }).length > 40) {
      const page = pick(world.pages({ view: 'all' }))!.id;
      world.submit(
        worldWrite({
          operation: { op: 'delete_page', page },
          caller: author,
          source: 'walk',
          idempotencyKey: null,
        }),
      );
    }
  }
  if (acts >= 5000) console.log(JSON.stringify({ seed, acts, ...counts }, null, 1));
  expect(counts['promote: done'] ?? 0).toBeGreaterThan(0);
  expect(counts['promote: stale'] ?? 0).toBeGreaterThan(0);
  expect(counts['resolve_deviation: done'] ?? 0).toBeGreaterThan(0);
  expect(counts['resolve_deviation: stale'] ?? 0).toBeGreaterThan(0);
  world.close();
});
