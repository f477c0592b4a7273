/**
 * The maximum number of input tokens of a request: computed with the provider's tokenizer if it is known, otherwise
 * learned from its reports.
 */
import { bareModelId } from '../known-models.ts';
import type { ModelRequest } from '../model.ts';
import { addSample, ceilingOf, type TokenSamples } from './learned-ceiling.ts';
import { type ByteCounts, shapeOf } from './text-shape.ts';
import { countTokens } from './tokens.ts';

type Input = Pick<ModelRequest, 'messages' | 'schema'>;

export interface InputCeiling {
  /** Tokens. */
  maxTokens(input: Input): number;
  /** Learns from the tokens that a provider reported for an input. */
  learn(input: Input, tokens: number): void;
}

/** Stores facts about a model's tokenizer between runs. It must not throw. */
export interface LearnedStore {
  load(model: string): unknown;
  save(model: string, learned: unknown): void;
}

/** Tokens that are not in any text: marks around a message, and the provider's own additions. */
const extraTokens: Readonly<Record<'request' | 'message' | 'schema', number>> = {
  request: 64,
  message: 16,
  schema: 400,
};
const specialKinds = { request: -1, message: -2, schema: -3 } as const;
/** Providers rewrite schemas, so their text is a kind of its own. */
const schemaKinds = 1_000;

export function shapeOfInput({ messages, schema }: Input): ByteCounts {
  const shape = new Map<number, number>([
    [specialKinds.request, 1],
    [specialKinds.message, messages.length],
  ]);
  const addCounts = (counts: ByteCounts, offset: number) => {
    for (const [kind, bytes] of counts) shape.set(offset + kind, (shape.get(offset + kind) ?? 0) + bytes);
  };
  for (const { text } of messages) addCounts(shapeOf(text), 0);
  if (schema) {
    shape.set(specialKinds.schema, 1);
    addCounts(shapeOf(JSON.stringify(schema.json)), schemaKinds);
  }
  return shape;
}

type Rates = (kind: number) => number;

/** Bytes are at most one token each. */
function rateOf(kind: number): number {
  if (kind === specialKinds.request) return extraTokens.request;
  if (kind === specialKinds.message) return extraTokens.message;
  return kind === specialKinds.schema ? extraTokens.schema : 1;
}

/** The maximum tokens of a text that a provider adds. A larger report is false, and must not end all later runs. */
const maxAddedTokens = 32_000;

/**
 * Some providers add a text of their own to each request: if more than one token per byte was reported, the excess is
 * attributed to it. The latest report counts, so that a correct report replaces a wrong one.
 */
function ratesOf(learned: TokenSamples): Rates {
  const lastSample = learned.at(-1);
  const addedTokens =
    lastSample === undefined ? 0 : lastSample.tokens - ceilingOf(new Map(lastSample.shape), rateOf, []);
  const requestTokens = extraTokens.request + Math.min(maxAddedTokens, Math.max(0, addedTokens));
  return (kind) => (kind === specialKinds.request ? requestTokens : rateOf(kind));
}

/** One token per byte, for models that never report a count. */
export function byteCeiling(input: Input): number {
  return ceilingOf(shapeOfInput(input), rateOf, []);
}

/** The minimum of tokens per byte; a smaller report is not taken as a count. */
const minRate = 1 / 24;

/** Begins at one token per byte. `model`: the name to store it under. */
export function createLearnedCeiling(model: string, store?: LearnedStore): InputCeiling {
  let learned = parseLearned(store?.load(model));
  return {
    maxTokens: (input) => ceilingOf(shapeOfInput(input), ratesOf(learned), learned),
    learn(input, tokens) {
      const shape = shapeOfInput(input);
      if (tokens < countBytes(input) * minRate) return;
      const nextSamples = addSample(shape, tokens, ratesOf(learned), learned);
      if (nextSamples === learned) return;
      learned = nextSamples;
      store?.save(model, learned);
    },
  };
}

/** Counts with the tokenizer that the provider has published. A higher report raises all later counts. */
export function createCountedCeiling(model: string, store?: LearnedStore): InputCeiling {
  let factor = parseFactor(store?.load(model));
  const count = ({ messages, schema }: Input): number =>
    messages.reduce((sum, { text }) => sum + extraTokens.message + countTokens(text), extraTokens.request) +
    (schema ? extraTokens.schema + countTokens(JSON.stringify(schema.json)) : 0);
  return {
    maxTokens: (input) => Math.min(Math.ceil(count(input) * factor), byteCeiling(input)),
    learn(input, tokens) {
      const ratio = tokens / count(input);
      if (ratio <= factor) return;
      factor = ratio;
      store?.save(model, { factor });
    },
  };
}

/** Whether the model is one of OpenAI's that use the included tokenizer. */
export function hasTokenizer(id: string): boolean {
  return /^(gpt-(4o|4\.1|4\.5|[5-9])|o[1-9]|chatgpt)/.test(bareModelId(id));
}

/** For a model behind an address: two servers may use one name for two models. */
export function ceilingFor(
  name: string,
  id: string,
  address: string,
  store: LearnedStore | undefined,
): InputCeiling {
  const model = `${name} ${address}`;
  return hasTokenizer(id) ? createCountedCeiling(model, store) : createLearnedCeiling(model, store);
}

function countBytes({ messages }: Input): number {
  return messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Checks stored samples, and drops damaged ones. */
function parseLearned(value: unknown): TokenSamples {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (sample): sample is TokenSamples[number] =>
      typeof sample === 'object' &&
      sample !== null &&
      isAmount(sample.tokens) &&
      Array.isArray(sample.shape) &&
      sample.shape.every(
        (part: unknown) => Array.isArray(part) && part.length === 2 && part.every(Number.isFinite),
      ),
  );
}

function parseFactor(value: unknown): number {
  const factor = (value as { readonly factor?: unknown } | null | undefined)?.factor;
  return isAmount(factor) && factor >= 1 ? factor : 1;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
