/**
 * Finds where the answer of an investigation comes from: runs its cells again, and traces which values flowed into it.
 */
import type { ComputedAnswer, ComputedValue } from '../../../core/index.ts';
import { findBackedWords } from '../../../gate/computing.ts';
import { isExtractive } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, listPaths, type NodeState } from '../state.ts';
import { inSecondSession, lastValue, type SecondSession } from './again.ts';
import { flowSource } from './flow-source.ts';

/** A separate module of the session, since its names are not those of the cells. */
const loaded = `import sys, types
sys.modules["sonde_flow"] = types.ModuleType("sonde_flow")
exec(compile(${JSON.stringify(flowSource)}, "<flow>", "exec"), sys.modules["sonde_flow"].__dict__)`;
const followFlow = (code: string): string => `sys.modules["sonde_flow"].run_cell(${JSON.stringify(code)})`;
const isLiteral = (codes: readonly string[]): string =>
  `sys.modules["sonde_flow"].is_literal(${JSON.stringify(codes)})`;

const maxReads = 200;

/** Null if no cell gave an answer. */
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
  const codes = cells.map(({ code }) => code);
  const values = [
    ...flow.values,
    ...literalsIn(final.answer, flow.values, codes),
    ...figuresOfNoCode(final.answer, flow.values, codes),
  ];
  const texts = textsIn(final.answer, []).map(({ text }) => text);
  const { question } = context;
  const lines = texts.length === 0 ? [] : await linesOf(values, context);
  const words = texts.length === 0 ? [] : findBackedWords({ texts, codes, question, lines });
  const isWhole = isWholeValue(final.answer, flow.values, { lines, codes });
  return {
    cell: last.key,
    again,
    ...flow,
    values: isWhole ? values.map((value) => (isOfAll(value) ? { ...value, whole: true } : value)) : values,
    words,
    reads: listPaths(state.gains.reads).slice(0, maxReads),
  };
}

const isOfAll = ({ at, stretch }: ComputedValue): boolean => at.length === 0 && stretch === undefined;

/** A text that was composed of parts, or that a model said, is none. */
function isWholeValue(
  answer: unknown,
  values: readonly ComputedValue[],
  { lines, codes }: { readonly lines: readonly string[]; readonly codes: readonly string[] },
): boolean {
  const text = typeof answer === 'string' ? answer.trim() : '';
  const [whole, ...parts] = values.filter(({ at }) => at.length === 0);
  if (text === '' || whole === undefined || parts.length > 0) return false;
  if (whole.flow === 'material' && lines.some((line) => line.includes(text))) return true;
  const isFollowed = whole.flow === 'material' || whole.flow === 'lost';
  return isFollowed && !/\s/.test(text) && !codes.some((code) => asksModel.test(code));
}

/** Lines that are looked at for their words. */
const maxLines = 2_000;

/** The current text of the lines that the answer was computed from: its words may come from them only. */
async function linesOf(
  values: readonly ComputedValue[],
  { material }: RunContext,
): Promise<readonly string[]> {
  const spans = values.flatMap((value) => value.spans);
  const files = new Map<string, readonly string[]>();
  const found = new Set<string>();
  for (const { path, start, end } of spans) {
    if (found.size >= maxLines) break;
    if (!files.has(path)) {
      const file = await material.text.readText(path, null).catch(() => null);
      files.set(path, file?.kind === 'text' ? file.lines : []);
    }
    for (const line of files.get(path)!.slice(start - 1, Math.min(end, start - 1 + maxLines)))
      found.add(line);
  }
  return [...found];
}

/** Minimum number of digits: numbers of one digit occur in most code. */
const minLiteral = 2;

/**
 * For values whose origin can't be traced: whether they are written literally in the code of any cell. Then nothing was
 * computed.
 */
function literalsIn(
  answer: unknown,
  values: readonly ComputedValue[],
  codes: readonly string[],
): readonly ComputedValue[] {
  const isLost = (at: ValuePlace): boolean => {
    const computedValue = values.find((one) => one.stretch === undefined && keyOf(one.at) === keyOf(at));
    return (computedValue ?? values.find((one) => one.at.length === 0))?.flow === 'lost';
  };
  const figures = new Set(codes.flatMap((code) => (code.match(figure) ?? []).map(plainFigure)));
  const literal = { flow: 'literal', spans: [], count: 0, sources: [] } as const;
  return scalarsIn(answer, []).flatMap(({ at, value }) => {
    const text = String(value);
    const isWritten =
      typeof value === 'number'
        ? text.length >= minLiteral && figures.has(plainFigure(text))
        : text.length > 3 &&
          codes.some((code) => ["'", '"'].some((mark) => code.includes(`${mark}${text}${mark}`)));
    return isWritten && isLost(at) ? [{ at, ...literal }] : [];
  });
}

const keyOf = (at: ValuePlace): string => JSON.stringify(at);

function scalarsIn(
  value: unknown,
  at: ValuePlace,
): readonly { readonly at: ValuePlace; readonly value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ at, value }];
  const entries = Array.isArray(value)
    ? value.map((one, place) => [place, one] as const)
    : Object.entries(value);
  return entries.flatMap(([key, one]) => scalarsIn(one, [...at, key])).slice(0, maxFigures);
}

const plainFigure = (text: string): string => text.replaceAll(',', '').replace(/\.0+$/, '');

/** Figures traced per answer. */
const maxFigures = 200;
const figure = /(?<![\p{L}\p{N}_-])\d[\d,]*(?:\.\d+)?(?![\p{L}\p{N}_])/gu;
const asksModel = /\b(?:llm_query|investigate)(?:_batched)?\b/;

/**
 * For texts that can't be traced in parts: figures that are not written in the code. As no cell asked a model, they
 * came from helpers, though it is not known from which.
 */
function figuresOfNoCode(
  answer: unknown,
  values: readonly ComputedValue[],
  codes: readonly string[],
): readonly ComputedValue[] {
  if (codes.some((code) => asksModel.test(code))) return [];
  const written = new Set(codes.flatMap((code) => (code.match(figure) ?? []).map(plainFigure)));
  const texts = textsIn(answer, []).filter(({ at }) => {
    const computedValues = values.filter((value) => JSON.stringify(value.at) === JSON.stringify(at));
    const whole =
      computedValues.find(({ stretch }) => stretch === undefined) ??
      values.find(({ at: of }) => of.length === 0);
    return (
      computedValues.every(({ stretch }) => stretch === undefined) &&
      whole?.flow !== 'literal' &&
      whole?.flow !== 'model'
    );
  });
  const none = { flow: 'lost', spans: [], count: 0, sources: [] } as const;
  return texts
    .flatMap(({ at, text }) =>
      [...new Set(text.match(figure) ?? [])]
        .filter((stretch) => !written.has(plainFigure(stretch)))
        .map((stretch): ComputedValue => ({ at, stretch, ...none })),
    )
    .slice(0, maxFigures);
}

type ValuePlace = ComputedValue['at'];

const textsIn = (
  value: unknown,
  at: ValuePlace,
): readonly { readonly at: ValuePlace; readonly text: string }[] =>
  scalarsIn(value, at).flatMap((one) =>
    typeof one.value === 'string' ? [{ at: one.at, text: one.value }] : [],
  );

type Flow = Pick<ComputedAnswer, 'values' | 'lost'>;

async function flowOf(session: SecondSession, cells: readonly CellRecord[], answer: string): Promise<Flow> {
  await session.plain(loaded);
  let traceResult: TraceResult | null = null;
  let why: string | null = null;
  for (const cell of cells) {
    const isLast = cell === cells.at(-1);
    // A killed cell changed nothing, but its answer counts if it was the last.
    if (cell.outcome === 'killed' && !isLast) continue;
    const { result, isFinal, answer: now } = await session.cell(cell, `import sys\n${followFlow(cell.code)}`);
    traceResult = lastValue(result) === undefined ? null : (lastValue(result) as unknown as TraceResult);
    if (traceResult === null)
      why = result.kind === 'killed' ? 'it took too much to follow' : 'it could not be followed';
    else if (traceResult.ended === 'unsupported')
      why = `the code uses what is not followed (${traceResult.error})`;
    else if (!isLast && (traceResult.ended === 'ok') !== (cell.outcome === 'ok'))
      why = 'the code took another way';
    else if (isLast && (!isFinal || JSON.stringify(now) !== answer))
      why = 'followed, the code came to another answer';
    if (why !== null) break;
  }
  if (why === null && traceResult !== null) return { values: traceResult.leaves.flatMap(valuesIn) };
  const literal = lastValue(await session.plain(isLiteral(cells.map(({ code }) => code))));
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

/** The result of tracing a cell. */
interface TraceResult {
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
