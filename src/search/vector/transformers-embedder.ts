import { messageOf, SondeError } from '../../core/index.ts';
import type { Embedder } from '../search.ts';

/** The part of `@huggingface/transformers` that is used. */
export interface TransformersModule {
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { readonly dtype: string },
  ): Promise<
    (
      texts: string[],
      options: { readonly pooling: 'mean'; readonly normalize: boolean },
    ) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>
  >;
}

export interface TransformersEmbedderOptions {
  /** A name on the Hugging Face hub, or a local folder. */
  readonly model: string;
  /** Number format of the weights. Default `q8`: 8 bits, a quarter of the size. */
  readonly dtype?: string;
  /** Number of texts per step. Default 16. */
  readonly batch?: number;
  /** Prefixes of passages and queries, for models trained with them, such as `query: `. */
  readonly prefixes?: { readonly passage: string; readonly query: string };
  /** Loads the package. Default: the installed one. */
  readonly load?: () => Promise<TransformersModule>;
}

/** A variable, so that the code compiles without the package. */
const packageName: string = '@huggingface/transformers';

/** A model that runs in this process. The package is not a dependency: install it to use this. */
export function transformersEmbedder(options: TransformersEmbedderOptions): Embedder {
  const { model, dtype = 'q8', batch = 16, prefixes } = options;
  const load = options.load ?? (() => import(packageName) as Promise<TransformersModule>);
  let extractor: ReturnType<TransformersModule['pipeline']> | undefined;

  async function start(): Promise<Awaited<ReturnType<TransformersModule['pipeline']>>> {
    let transformers: TransformersModule;
    try {
      transformers = await load();
    } catch (thrown) {
      throw new SondeError('tool_missing', {
        message: `${packageName} is not installed, so ${model} cannot run here.`,
        remedy: `Install it (npm install ${packageName}), use an embeddings endpoint, or search by words alone.`,
        cause: thrown,
      });
    }
    try {
      return await transformers.pipeline('feature-extraction', model, { dtype });
    } catch (thrown) {
      throw new SondeError('model_config', {
        message: `The embedding model ${model} could not be loaded: ${messageOf(thrown)}`,
        remedy: 'Check its name, or that its files are on this machine.',
        cause: thrown,
      });
    }
  }

  return Object.freeze({
    id: `transformers:${model}:${dtype}`,
    dimensions: 0,
    async embed(texts: readonly string[], kind: 'passage' | 'query', signal?: AbortSignal) {
      extractor ??= start();
      extractor.catch(() => {
        extractor = undefined; // The next call tries again.
      });
      const extract = await extractor;
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch) {
        signal?.throwIfAborted();
        const prefixedTexts = texts.slice(from, from + batch).map((text) => (prefixes?.[kind] ?? '') + text);
        const { dims, data } = await extract(prefixedTexts, { pooling: 'mean', normalize: true });
        const width = dims.at(-1) ?? 0;
        const numbers = Float32Array.from(data);
        for (let row = 0; row < prefixedTexts.length; row++)
          vectors.push(numbers.slice(row * width, (row + 1) * width));
      }
      return vectors;
    },
  });
}
