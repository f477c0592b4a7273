import { expect, test } from 'vitest';
import { type TransformersModule, transformersEmbedder } from './transformers-embedder.ts';

const asked: unknown[] = [];
const fake: TransformersModule = {
  pipeline: async (task, model, options) => {
    asked.push({ task, model, ...options });
    return async (texts, settings) => {
      asked.push({ texts, ...settings });
      return { dims: [texts.length, 2], data: texts.flatMap((text) => [text.length, 0.5]) };
    };
  },
};

test('one vector a text, in batches, the model loaded once', async () => {
  asked.length = 0;
  const prefixes = { passage: 'p: ', query: 'q: ' };
  const embedder = transformersEmbedder({ model: 'mini', batch: 2, prefixes, load: async () => fake });
  const vectors = await embedder.embed(['a', 'bb', 'ccc'], 'passage');
  expect(vectors.map((vector) => [...vector])).toEqual([
    [4, 0.5],
    [5, 0.5],
    [6, 0.5],
  ]);
  await embedder.embed(['x'], 'query');
  expect(asked).toEqual([
    { task: 'feature-extraction', model: 'mini', dtype: 'q8' },
    { texts: ['p: a', 'p: bb'], pooling: 'mean', normalize: true },
    { texts: ['p: ccc'], pooling: 'mean', normalize: true },
    { texts: ['q: x'], pooling: 'mean', normalize: true },
  ]);
  expect(embedder.id).toBe('transformers:mini:q8');
});

test('where the package is not installed, the remedy says how to get it', async () => {
  const embedder = transformersEmbedder({ model: 'mini' });
  await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({
    code: 'tool_missing',
    remedy: expect.stringContaining('npm install @huggingface/transformers'),
  });
});

test('a model that does not load is named, and tried again at the next call', async () => {
  let broken = true;
  const load = async (): Promise<TransformersModule> => ({
    pipeline: (...given) => (broken ? Promise.reject(new Error('no such file')) : fake.pipeline(...given)),
  });
  const embedder = transformersEmbedder({ model: 'maxi', load });
  await expect(embedder.embed(['a'], 'query')).rejects.toThrow('maxi could not be loaded: no such file');
  broken = false;
  expect(await embedder.embed(['a'], 'query')).toHaveLength(1);
});
