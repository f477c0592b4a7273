/** Values of an answer that a cell computed, as claims: decided by the cell's second run and its data flow. Pure. */
import type { ComputedAnswer, ComputedValue, FileSpan } from '../../core/index.ts';
import type { Claim } from '../gate.ts';

export interface ValueClaims {
  readonly claims: readonly Claim[];
  /** Texts that code put into the answer unchanged: they are claims like any other. */
  readonly texts: readonly string[];
}

/** Maximum number of entries of a list or an object that are reported one by one. */
const maxEntries = 24;
const shownSpans = 3;
const maxTextLength = 160;

/** The claims of an answer that is a value: one for the value, or one for each of its entries. */
export function createValueClaims(answer: unknown, computed: ComputedAnswer): ValueClaims {
  const known = new Map(
    computed.values.filter(({ stretch }) => stretch === undefined).map((value) => [keyOf(value.at), value]),
  );
  const claims: Claim[] = [];
  const texts: string[] = [];
  const entries = listEntries(answer);
  const addClaim = (name: string, value: unknown, at: readonly (string | number)[]): void => {
    const whole = known.get(keyOf(at)) ?? findLost(at, computed, known);
    if (typeof value === 'string' && whole.flow === 'literal') texts.push(value);
    else claims.push(createClaim(`${name}${formatValue(value)}`, whole, computed));
  };
  if (entries === null || entries.length > maxEntries) {
    addClaim('', answer, []);
    return { claims, texts };
  }
  for (const [key, value] of entries) addClaim(typeof key === 'string' ? `${key}: ` : '', value, [key]);
  // The length of a list is a claim of its own.
  if (Array.isArray(answer)) {
    const whole = known.get('[]') ?? findLost([], computed, known);
    claims.push(createClaim(formatCount(entries.length), whole, computed));
  }
  return { claims, texts };
}

/** Whether an answer is a value, and not a text whose sentences are claims. */
export function isValue(answer: unknown, { values }: Pick<ComputedAnswer, 'values'>): boolean {
  if (typeof answer !== 'string') return true;
  const whole = values.findLast(({ at, stretch }) => at.length === 0 && stretch === undefined);
  return whole?.whole === true;
}

const keyOf = (at: readonly (string | number)[]): string => JSON.stringify(at);

const findLost = (
  at: readonly (string | number)[],
  { lost }: ComputedAnswer,
  known: ReadonlyMap<string, ComputedValue>,
): ComputedValue => {
  // If the answer can't be traced, the flow of the whole decides whether it is a literal.
  const whole = lost === undefined ? undefined : known.get('[]');
  return { at, flow: whole?.flow ?? 'lost', spans: [], count: 0, sources: [] };
};

function listEntries(answer: unknown): readonly (readonly [string | number, unknown])[] | null {
  if (Array.isArray(answer)) return answer.map((value, index) => [index, value] as const);
  return typeof answer === 'object' && answer !== null ? Object.entries(answer) : null;
}

const formatCount = (items: number): string => (items === 1 ? '1 item' : `${items} items`);

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  const list = Array.isArray(value) && value.length > 1 ? `${formatCount(value.length)}, the first: ` : '';
  const shown = list === '' ? text : JSON.stringify((value as readonly unknown[])[0]);
  return `${list}${shown.length > maxTextLength ? `${shown.slice(0, maxTextLength)}…` : shown}`;
}

function createClaim(text: string, value: ComputedValue, computed: ComputedAnswer): Claim {
  return Object.freeze({ text, ...decideValue(value, computed), evidence: [computed.cell], flags: [] });
}

/** The verdict on a value, with its reason. */
export function decideValue(value: ComputedValue, computed: ComputedAnswer): Pick<Claim, 'verdict' | 'why'> {
  const cell = `Cell ${computed.cell.replace(/^.*\/t/, '')}`;
  switch (computed.again) {
    case 'other':
      return { verdict: 'unclear', why: `${cell} gave another answer when it was run again.` };
    case 'unable':
      return { verdict: 'unclear', why: `${cell} could not be run again.` };
    case 'same':
      break;
  }
  switch (value.flow) {
    case 'literal':
      return { verdict: 'unclear', why: `${cell} contains it as a literal: nothing computed it.` };
    case 'model':
      return { verdict: 'unclear', why: `${cell} took it from the reply of a model.` };
    case 'material':
      return { verdict: 'computed', why: `${cell}, run again: the same. ${formatSources(value)}` };
    case 'lost':
      return {
        verdict: 'computed',
        why: `${cell}, run again: the same. Flow: lost${computed.lost === undefined ? '' : `, ${computed.lost}`}; ${formatReads(computed.reads)}.`,
      };
  }
}

function formatSources({ spans, count, sources }: ComputedValue): string {
  const first = spans.slice(0, shownSpans).map(formatSpan).join(', ');
  const lines =
    count === 0
      ? ''
      : `${count} ${count === 1 ? 'stretch' : 'stretches'} of lines: ${first}${count > shownSpans ? ', …' : ''}`;
  const others = sources.length === 0 ? '' : `${lines === '' ? '' : '; '}${sources.join(', ')}`;
  return `From ${lines}${others}.`;
}

export const formatSpan = ({ path, start, end }: FileSpan): string =>
  `${path}:${start === end ? start : `${start}-${end}`}`;

const formatReads = (reads: readonly string[]): string =>
  reads.length === 0
    ? 'it read nothing'
    : `it read ${reads.slice(0, shownSpans).join(', ')}${reads.length > shownSpans ? ` and ${reads.length - shownSpans} more` : ''}`;
