/** Where the answer of an investigation comes from: its cells run again, and what flowed into each value. */
import { readFileSync } from 'node:fs';
import type { ComputedAnswer, ComputedValue } from '../../../core/index.ts';
import { isExtractive } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, listPaths, type NodeState } from '../state.ts';
import { inSecondSession, type SecondSession, sentValue } from './again.ts';

const source = readFileSync(new URL('../guest/flow.py', import.meta.url), 'utf8');
/** A module of its own in the session, since its names are not those of the cells. */
const loaded = `import sys, types
sys.modules["sonde_flow"] = types.ModuleType("sonde_flow")
exec(compile(${JSON.stringify(source)}, "<flow>", "exec"), sys.modules["sonde_flow"].__dict__)`;
const followed = (code: string): string => `sys.modules["sonde_flow"].run_cell(${JSON.stringify(code)})`;
const isLiteral = (codes: readonly string[]): string =>
  `sys.modules["sonde_flow"].is_literal(${JSON.stringify(codes)})`;

const maxReads = 200;

/** Null where no cell gave an answer. */
export async function computedAnswer(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<ComputedAnswer | null> {
  const { final } = state.gains;
  const last = state.cells.findLast(({ gains }) => gains.final !== null);
  if (final === null || last === undefined || isExtractive(context.models[context.outer])) return null;
  const cells = state.cells.slice(0, state.cells.indexOf(last) + 1);
  const answer = JSON.stringify(final.answer);
  const again =
    (await inSecondSession(place, context, async (session) => {
      let same = false;
      for (const cell of cells) {
        const { isFinal, answer: now } = await session.cell(cell);
        same = cell === last && isFinal && JSON.stringify(now) === answer;
      }
      return same ? ('same' as const) : ('other' as const);
    })) ?? 'unable';
  const flow =
    again === 'same'
      ? ((await inSecondSession(place, context, (session) => flowOf(session, cells, answer))) ??
        lostFlow('the sandbox was lost', false))
      : { values: [] };
  return {
    cell: last.key,
    again,
    ...flow,
    reads: listPaths(state.gains.reads).slice(0, maxReads),
  };
}

type Flow = Pick<ComputedAnswer, 'values' | 'lost'>;

async function flowOf(session: SecondSession, cells: readonly CellRecord[], answer: string): Promise<Flow> {
  await session.plain(loaded);
  let told: Told | null = null;
  let why: string | null = null;
  for (const cell of cells) {
    const isLast = cell === cells.at(-1);
    // Nothing of it was left behind, but an answer.
    if (cell.outcome === 'killed' && !isLast) continue;
    const { result, isFinal, answer: now } = await session.cell(cell, `import sys\n${followed(cell.code)}`);
    told = sentValue(result) === undefined ? null : (sentValue(result) as unknown as Told);
    if (told === null)
      why = result.status === 'killed' ? 'it took too much to follow' : 'it could not be followed';
    else if (told.ended === 'unsupported') why = `the code uses what is not followed (${told.error})`;
    else if (!isLast && (told.ended === 'ok') !== (cell.outcome === 'ok')) why = 'the code took another way';
    else if (isLast && (!isFinal || JSON.stringify(now) !== answer))
      why = 'followed, the code came to another answer';
    if (why !== null) break;
  }
  if (why === null && told !== null) return { values: told.leaves.flatMap(valuesIn) };
  const literal = sentValue(await session.plain(isLiteral(cells.map(({ code }) => code))));
  return lostFlow(why ?? 'nothing was told', literal === true);
}

const lostFlow = (lost: string, literal: boolean): Flow => ({
  lost,
  values: [{ at: [], flow: literal ? 'literal' : 'lost', spans: [], count: 0, sources: [] }],
});

interface ToldOrigin {
  readonly spans: readonly (readonly [path: string, start: number, end: number])[];
  readonly count: number;
  readonly sources: readonly string[];
  readonly lost: boolean;
}

interface ToldLeaf extends ToldOrigin {
  readonly at: readonly (string | number)[];
  readonly items?: number;
  readonly parts?: readonly (ToldOrigin & { readonly text: string })[];
}

/** What `flow.py` gives back. */
interface Told {
  readonly ended: 'ok' | 'error' | 'unsupported';
  readonly error: string;
  readonly leaves: readonly ToldLeaf[];
}

function valuesIn({ at, items, parts = [], ...own }: ToldLeaf): readonly ComputedValue[] {
  return [
    { at, ...(items !== undefined && { items }), ...originOf(own) },
    ...parts.map(({ text, ...one }): ComputedValue => ({ at, stretch: text, ...originOf(one) })),
  ];
}

function originOf({
  spans,
  count,
  sources,
  lost,
}: ToldOrigin): Pick<ComputedValue, 'flow' | 'spans' | 'count' | 'sources'> {
  const others = sources.filter((one) => one !== 'model');
  return {
    flow: lost
      ? 'lost'
      : others.length < sources.length
        ? 'model'
        : count + others.length > 0
          ? 'material'
          : 'literal',
    spans: spans.map(([path, start, end]) => ({ path, start, end })),
    count,
    sources: others,
  };
}
