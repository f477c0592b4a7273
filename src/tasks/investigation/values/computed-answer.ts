/**
 * Finds where the answer of an investigation comes from: runs its cells again, and traces which values flowed into it.
 */
import type { ComputedAnswer, ComputedValue } from '../../../core/index.ts';
import { findBackedWords } from '../../../gate/computing.ts';
import { isExtractive } from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type CellRecord, listPaths, type NodeState } from '../state.ts';
import { lastValue, type SecondSession, withSecondSession } from './again.ts';
import { flowSource } from './flow-source.ts';

/** Python that loads the tracer as a module of its own, so that its names do not mix with those of the cells. */
const loadTracer = `import sys, types
sys.modules["sonde_flow"] = types.ModuleType("sonde_flow")
exec(compile(${JSON.stringify(flowSource)}, "<flow>", "exec"), sys.modules["sonde_flow"].__dict__)`;
const tracingCode = (code: string): string => `sys.modules["sonde_flow"].run_cell(${JSON.stringify(code)})`;
const literalCheckCode = (codes: readonly string[]): string =>
  `sys.modules["sonde_flow"].is_literal(${JSON.stringify(codes)})`;

const maxReads = 200;

/** Where each value of the answer comes from; null if no cell gave an answer. */
export async function computeAnswer(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
): Promise<ComputedAnswer | null> {
  const { final } = state.gains;
  const finalCell = state.cells.findLast(({ gains }) => gains.final !== null);
  if (final === null || finalCell === undefined || isExtractive(context.models[context.outer])) return null;
  const cells = state.cells.slice(0, state.cells.indexOf(finalCell) + 1);
  const answer = JSON.stringify(final.answer);
  const rerunOutcome =
    (await withSecondSession(place, context, async (session) => {
      let isSame = false;
      for (const cell of cells) {
        const { isFinal, answer: newAnswer } = await session.cell(cell);
        isSame = cell === finalCell && isFinal && JSON.stringify(newAnswer) === answer;
      }
      return isSame ? ('same' as const) : ('other' as const);
    })) ?? 'unable';
  const flow =
    rerunOutcome === 'same'
      ? ((await withSecondSession(place, context, (session) => traceFlow(session, cells, answer))) ??
        createLostFlow('the sandbox was lost', false))
      : { values: [] };
  const codes = cells.map(({ code }) => code);
  const values = [
    ...flow.values,
    ...findLiterals(final.answer, flow.values, codes),
    ...findFiguresNotInCode(final.answer, flow.values, codes),
  ];
  const texts = textsIn(final.answer, []).map(({ text }) => text);
  const { question } = context;
  const lines = texts.length === 0 ? [] : await readSpanLines(values, context);
  const words = texts.length === 0 ? [] : findBackedWords({ texts, codes, question, lines });
  const isWhole = isWholeValue(final.answer, flow.values, { lines, codes });
  return {
    cell: finalCell.key,
    again: rerunOutcome,
    ...flow,
    values: isWhole
      ? values.map((value) => (isOfWholeAnswer(value) ? { ...value, whole: true } : value))
      : values,
    words,
    reads: listPaths(state.gains.reads).slice(0, maxReads),
  };
}

const isOfWholeAnswer = ({ at, stretch }: ComputedValue): boolean => at.length === 0 && stretch === undefined;

/** Whether the answer is one value taken whole from the material, not composed of parts or written by a model. */
function isWholeValue(
  answer: unknown,
  values: readonly ComputedValue[],
  { lines, codes }: { readonly lines: readonly string[]; readonly codes: readonly string[] },
): boolean {
  const text = typeof answer === 'string' ? answer.trim() : '';
  const [wholeValue, ...parts] = values.filter(({ at }) => at.length === 0);
  if (text === '' || wholeValue === undefined || parts.length > 0) return false;
  if (wholeValue.flow === 'material' && lines.some((line) => line.includes(text))) return true;
  const isTraced = wholeValue.flow === 'material' || wholeValue.flow === 'lost';
  return isTraced && !/\s/.test(text) && !codes.some((code) => modelCallPattern.test(code));
}

/** Maximum number of lines whose words are looked at. */
const maxLines = 2_000;

/** The current text of the lines that the answer was computed from: its words may come from them only. */
async function readSpanLines(
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
const minLiteralDigits = 2;

/**
 * For values whose origin can't be traced: whether they are written literally in the code of any cell. Then nothing was
 * computed.
 */
function findLiterals(
  answer: unknown,
  values: readonly ComputedValue[],
  codes: readonly string[],
): readonly ComputedValue[] {
  const isLost = (at: ValuePlace): boolean => {
    const computedValue = values.find(
      (one) => one.stretch === undefined && placeKey(one.at) === placeKey(at),
    );
    return (computedValue ?? values.find((one) => one.at.length === 0))?.flow === 'lost';
  };
  const figures = new Set(codes.flatMap((code) => (code.match(figurePattern) ?? []).map(plainFigure)));
  const literalFlow = { flow: 'literal', spans: [], count: 0, sources: [] } as const;
  return scalarsIn(answer, []).flatMap(({ at, value }) => {
    const text = String(value);
    const isWritten =
      typeof value === 'number'
        ? text.length >= minLiteralDigits && figures.has(plainFigure(text))
        : text.length > 3 &&
          codes.some((code) => ["'", '"'].some((mark) => code.includes(`${mark}${text}${mark}`)));
    return isWritten && isLost(at) ? [{ at, ...literalFlow }] : [];
  });
}

const placeKey = (at: ValuePlace): string => JSON.stringify(at);

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
const figurePattern = /(?<![\p{L}\p{N}_-])\d[\d,]*(?:\.\d+)?(?![\p{L}\p{N}_])/gu;
const modelCallPattern = /\b(?:llm_query|investigate)(?:_batched)?\b/;

/**
 * For texts that can't be traced in parts: figures that are not written in the code. As no cell asked a model, they
 * came from helpers, though it is not known from which.
 */
function findFiguresNotInCode(
  answer: unknown,
  values: readonly ComputedValue[],
  codes: readonly string[],
): readonly ComputedValue[] {
  if (codes.some((code) => modelCallPattern.test(code))) return [];
  const writtenFigures = new Set(codes.flatMap((code) => (code.match(figurePattern) ?? []).map(plainFigure)));
  const texts = textsIn(answer, []).filter(({ at }) => {
    const computedValues = values.filter((value) => JSON.stringify(value.at) === JSON.stringify(at));
    const wholeValue =
      computedValues.find(({ stretch }) => stretch === undefined) ??
      values.find(({ at: otherPlace }) => otherPlace.length === 0);
    return (
      computedValues.every(({ stretch }) => stretch === undefined) &&
      wholeValue?.flow !== 'literal' &&
      wholeValue?.flow !== 'model'
    );
  });
  const lostFigure = { flow: 'lost', spans: [], count: 0, sources: [] } as const;
  return texts
    .flatMap(({ at, text }) =>
      [...new Set(text.match(figurePattern) ?? [])]
        .filter((stretch) => !writtenFigures.has(plainFigure(stretch)))
        .map((stretch): ComputedValue => ({ at, stretch, ...lostFigure })),
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

async function traceFlow(
  session: SecondSession,
  cells: readonly CellRecord[],
  answer: string,
): Promise<Flow> {
  await session.plain(loadTracer);
  let traceResult: TraceResult | null = null;
  let failureReason: string | null = null;
  for (const cell of cells) {
    const isLast = cell === cells.at(-1);
    // A killed cell changed nothing, but its answer counts if it was the last.
    if (cell.outcome === 'killed' && !isLast) continue;
    const {
      result,
      isFinal,
      answer: newAnswer,
    } = await session.cell(cell, `import sys\n${tracingCode(cell.code)}`);
    traceResult = lastValue(result) === undefined ? null : (lastValue(result) as unknown as TraceResult);
    if (traceResult === null)
      failureReason = result.kind === 'killed' ? 'it took too much to follow' : 'it could not be followed';
    else if (traceResult.ended === 'unsupported')
      failureReason = `the code uses what is not followed (${traceResult.error})`;
    else if (!isLast && (traceResult.ended === 'ok') !== (cell.outcome === 'ok'))
      failureReason = 'the code took another way';
    else if (isLast && (!isFinal || JSON.stringify(newAnswer) !== answer))
      failureReason = 'followed, the code came to another answer';
    if (failureReason !== null) break;
  }
  if (failureReason === null && traceResult !== null) return { values: traceResult.leaves.flatMap(valuesIn) };
  const isLiteral = lastValue(await session.plain(literalCheckCode(cells.map(({ code }) => code))));
  return createLostFlow(failureReason ?? 'nothing was told', isLiteral === true);
}

const createLostFlow = (lost: string, isLiteral: boolean): Flow => ({
  lost,
  values: [{ at: [], flow: isLiteral ? 'literal' : 'lost', spans: [], count: 0, sources: [] }],
});

interface TracedOrigin {
  readonly spans: readonly (readonly [path: string, start: number, end: number])[];
  readonly count: number;
  readonly sources: readonly string[];
  readonly lost: boolean;
}

interface TracedLeaf extends TracedOrigin {
  readonly at: readonly (string | number)[];
  readonly items?: number;
  readonly parts?: readonly (TracedOrigin & { readonly text: string })[];
}

/** The result of tracing a cell. */
interface TraceResult {
  readonly ended: 'ok' | 'error' | 'unsupported';
  readonly error: string;
  readonly leaves: readonly TracedLeaf[];
}

function valuesIn({ at, items, parts = [], ...origin }: TracedLeaf): readonly ComputedValue[] {
  return [
    { at, ...(items !== undefined && { items }), ...originOf(origin) },
    ...parts.map(({ text, ...one }): ComputedValue => ({ at, stretch: text, ...originOf(one) })),
  ];
}

function originOf({
  spans,
  count,
  sources,
  lost,
}: TracedOrigin): Pick<ComputedValue, 'flow' | 'spans' | 'count' | 'sources'> {
  const otherSources = sources.filter((one) => one !== 'model');
  return {
    flow: lost
      ? 'lost'
      : otherSources.length < sources.length
        ? 'model'
        : count + otherSources.length > 0
          ? 'material'
          : 'literal',
    spans: spans.map(([path, start, end]) => ({ path, start, end })),
    count,
    sources: otherSources,
  };
}
