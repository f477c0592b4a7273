/** Vectors from a server on loopback, by the command line. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { newHome } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';
import { sonde } from '../testbed/sonde-here.ts';

/** A text is near another where it speaks of parcels as the other does: two dimensions that a test understands. */
const vectorOf = (text: string): number[] => {
  const count = (word: RegExp) => text.match(word)?.length ?? 0;
  return [count(/backoff|wait|patience/gi) + 0.01, count(/limit|most|ceiling/gi) + 0.01];
};

async function embeddingsServer() {
  const keys: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    keys.push(request.headers.authorization ?? '');
    const { input } = JSON.parse(text) as { input: string[] };
    response.end(JSON.stringify({ data: input.map((one, index) => ({ index, embedding: vectorOf(one) })) }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { address, keys, close: () => server.close() };
}

const search = async (env: Record<string, string>, tree = createSmallTree(), home = newHome()) => {
  const ended = await sonde(['search', 'patience of a parcel', tree, '--json'], { home, env });
  return { ...ended, hits: ended.status === 0 ? JSON.parse(ended.stdout) : [] };
};

it('finds by vectors what no word finds, and sends the key where it belongs', async () => {
  const server = await embeddingsServer();
  const env = {
    SONDE_EMBEDDINGS: 'openai:toy',
    SONDE_EMBEDDINGS_URL: server.address,
    OPENAI_API_KEY: 'sk-planted-0123456789',
  };
  const { hits, stderr } = await search(env);
  expect({ stderr, found: hits.map(({ provenance }: { provenance: string }) => provenance) }).toEqual({
    stderr: '',
    found: expect.arrayContaining([expect.stringMatching(/vector|hybrid/)]),
  });
  // The key is for OpenAI, and this is another address.
  expect(new Set(server.keys)).toEqual(new Set(['']));
  await search({ ...env, SONDE_EMBEDDINGS_API_KEY: 'own-planted-0123456789' });
  expect(server.keys.at(-1)).toBe('Bearer own-planted-0123456789');
  server.close();
});

it('a server that is down is told, and words alone are searched', async () => {
  const { status, hits, stderr } = await search({
    SONDE_EMBEDDINGS: 'openai-compatible:toy',
    SONDE_EMBEDDINGS_URL: 'http://127.0.0.1:1/v1',
  });
  expect(status).toBe(0);
  expect(stderr).toMatch(/note: .*toy/);
  for (const { provenance } of hits) expect(provenance).toBe('bm25');
  expect(hits.length).toBeGreaterThan(0);
});

it.each([
  ['word2vec', /word2vec/],
  ['openai-compatible:toy', /no address is set/],
])('%s is refused with a remedy', async (name, message) => {
  const { status, stdout } = await search({ SONDE_EMBEDDINGS: name });
  expect(status).toBe(2);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'bad_config',
    message: expect.stringMatching(message),
    remedy: expect.stringMatching(/\S/),
  });
});
