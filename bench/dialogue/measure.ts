/** What a run sent, how much of it a cache gave back, and what it was billed; and the same for groups of runs. */
import { anthropicCache, type Bill, type Block, type Cache, openAiCache } from './cache.ts';
import type { Run } from './recorded.ts';
import { headOf, messagesOf, type Sent } from './request.ts';
import { idsOf, linesOf } from './tokens.ts';

/** Between two calls of a run. Nobody who plays by hand is as fast as a model, so that no recorded time is used. */
const betweenMs = 15_000;

export interface Measured {
  readonly run: Run;
  readonly calls: number;
  /** Calls of the model that was asked first: those of sub-models are made by programs, many at once. */
  readonly roundTrips: number;
  /** Tokens of lines that an earlier call of the run had sent to the same model. */
  readonly repeated: number;
  /** Only over its own wire, since marks are part of the request. */
  readonly anthropic?: Bill;
  /** Over either wire: its cache is told nothing. */
  readonly openai: Bill;
}

export function measure(run: Run, minimum?: number): Measured {
  return {
    run,
    calls: run.sent.length,
    roundTrips: plannerCalls(run).length,
    repeated: repeatedTokens(run.sent),
    ...(run.wire === 'anthropic' && {
      anthropic: billed(run.sent, () => anthropicCache(minimum === undefined ? {} : { minimum })),
    }),
    openai: billed(run.sent, openAiCache),
  };
}

function plannerCalls({ sent }: Run): readonly Sent[] {
  return sent.filter(({ model }) => model === sent[0]!.model);
}

/** Each run begins with an empty cache; each model has one of its own. */
function billed(sent: readonly Sent[], open: () => Cache): Bill {
  const caches = new Map<string, Cache>();
  const bills = sent.map(({ model, blocks }, index) => {
    const cache = caches.get(model) ?? open();
    caches.set(model, cache);
    return cache(blocks, index * betweenMs);
  });
  return sumOf(bills);
}

export function sumOf(bills: readonly Bill[]): Bill {
  const total = (key: keyof Bill): number => bills.reduce((sum, bill) => sum + bill[key], 0);
  return { input: total('input'), read: total('read'), write: total('write'), billed: total('billed') };
}

/** A line counts as often as the earlier call that held it most often did. */
export function repeatedTokens(sent: readonly Sent[]): number {
  const held = new Map<string, Map<string, number>>();
  let repeated = 0;
  for (const { model, blocks } of sent) {
    const before = held.get(model) ?? new Map<string, number>();
    held.set(model, before);
    for (const [line, times] of countsOf(blocks)) {
      const earlier = before.get(line) ?? 0;
      repeated += Math.min(earlier, times) * idsOf(line).length;
      if (times > earlier) before.set(line, times);
    }
  }
  return repeated;
}

function countsOf(blocks: readonly Block[]): Counts {
  const counts = new Map<string, number>();
  for (const line of blocks.flatMap(({ text }) => linesOf(text)))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/**
 * What a planner call carries whatever it is about: tools, form of the reply and instructions (the median of these),
 * and of the messages the lines that all calls hold, where there are several runs to tell. Of the kind of call that is
 * made most; a kind is one wire and one beginning of the instructions.
 */
export function fixedPart(runs: readonly Run[]): number {
  const calls = runs.flatMap((run) => plannerCalls(run).map((sent) => ({ run, sent })));
  const kinds = Map.groupBy(calls, ({ run, sent }) => `${run.wire} ${instructionsOf(sent).slice(0, 200)}`);
  const most = [...kinds.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  const heads = median(most.map(({ sent }) => tokensIn(countsOf(headOf(sent)))));
  const several = new Set(most.map(({ run }) => run)).size > 1;
  return several ? heads + tokensIn(commonTo(most.map(({ sent }) => countsOf(messagesOf(sent))))) : heads;
}

type Counts = ReadonlyMap<string, number>;

const tokensIn = (counts: Counts): number =>
  [...counts].reduce((sum, [line, times]) => sum + times * idsOf(line).length, 0);

function commonTo([first = new Map<string, number>(), ...others]: readonly Counts[]): Counts {
  const least = (line: string, times: number) => Math.min(times, ...others.map((one) => one.get(line) ?? 0));
  return new Map([...first].map(([line, times]) => [line, least(line, times)]));
}

function instructionsOf(sent: Sent): string {
  const system = headOf(sent).filter(({ level }) => level === 'system');
  return system.at(-1)?.text ?? '';
}

export interface Side {
  readonly runs: number;
  readonly billed: number;
  /** Read from the cache, of the tokens that were sent before; at most 1. */
  readonly hit: number;
}

export interface Group {
  readonly name: string;
  readonly runs: number;
  readonly calls: number;
  readonly input: number;
  readonly repeated: number;
  readonly anthropic: Side;
  readonly openai: Side;
  /** Median. */
  readonly roundTrips: number;
  readonly fixed: number;
}

const longRun = 10;
const researchOfSeveral = 5;

/** Runs that are looked at together, by their ids. */
export interface Cut {
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

/** By shape, and the two cuts that are asked about: longer researches, and all runs that are long. */
export function cutsOf(all: readonly Measured[]): readonly Cut[] {
  const cut = (name: string, isMember: (one: Measured) => boolean): Cut => ({
    name,
    ids: new Set(all.filter(isMember).map(({ run }) => idOf(run))),
  });
  const shapes = [...new Set(all.map(({ run }) => run.shape))].toSorted();
  return [
    ...shapes.map((shape) => cut(shape, ({ run }) => run.shape === shape)),
    cut(
      `research, ${researchOfSeveral} round trips and more`,
      ({ run, roundTrips }) => run.shape === 'research' && roundTrips >= researchOfSeveral,
    ),
    cut(`all, ${longRun} round trips and more`, ({ roundTrips }) => roundTrips >= longRun),
  ].filter(({ ids }) => ids.size > 0);
}

export const idOf = ({ shape, id }: Run): string => `${shape}/${id}`;

/** What is compared is cut as it was before: a run that has become short is still one of the long ones. */
export function groupsOf(all: readonly Measured[], cuts = cutsOf(all)): readonly Group[] {
  return cuts.map(({ name, ids }) =>
    groupOf(
      name,
      all.filter(({ run }) => ids.has(idOf(run))),
    ),
  );
}

function groupOf(name: string, members: readonly Measured[]): Group {
  const marked = members.filter(({ anthropic }) => anthropic !== undefined);
  const sum = (of: (one: Measured) => number): number => members.reduce((total, one) => total + of(one), 0);
  return {
    name,
    runs: members.length,
    calls: sum(({ calls }) => calls),
    input: sum(({ openai }) => openai.input),
    repeated: sum(({ repeated }) => repeated),
    anthropic: sideOf(marked, ({ anthropic }) => anthropic!),
    openai: sideOf(members, ({ openai }) => openai),
    roundTrips: median(members.map(({ roundTrips }) => roundTrips)),
    fixed: fixedPart(members.map(({ run }) => run)),
  };
}

function sideOf(members: readonly Measured[], billOf: (one: Measured) => Bill): Side {
  const bill = sumOf(members.map(billOf));
  const repeated = members.reduce((sum, one) => sum + one.repeated, 0);
  const hit = repeated === 0 ? 0 : Math.min(1, bill.read / repeated);
  return { runs: members.length, billed: bill.billed, hit };
}

export interface Localisations {
  readonly runs: number;
  readonly gold: number;
  readonly right: number;
  /** Medians; each run is billed by the rules of its own wire. */
  readonly billed: number;
  readonly roundTrips: number;
}

export function localisationsOf(all: readonly Measured[]): Localisations | undefined {
  const members = all.filter(({ run }) => run.localisation);
  if (members.length === 0) return undefined;
  const sum = (key: 'gold' | 'right'): number =>
    members.reduce((total, { run }) => total + run.localisation![key], 0);
  return {
    runs: members.length,
    gold: sum('gold'),
    right: sum('right'),
    billed: median(members.map(({ anthropic, openai }) => (anthropic ?? openai).billed)),
    roundTrips: median(members.map(({ roundTrips }) => roundTrips)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
