import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDocumentIndex } from './document-index.ts';
import type { DocumentChange, DocumentIndex, DocumentSource } from './documents.ts';
import type { Embedder } from './search.ts';

/** A collection in memory that numbers its changes. */
class Collection implements DocumentSource {
  readonly id: string;
  readonly #log: DocumentChange[] = [];
  /** How often everything was asked for. */
  scans = 0;

  constructor(id = 'collection') {
    this.id = id;
  }

  put(path: string, content: string | null): this {
    this.#log.push({ path, content });
    return this;
  }

  head(): number {
    return this.#log.length;
  }

  changes(after: number): DocumentChange[] {
    return this.#log.slice(after);
  }

  *all() {
    this.scans++;
    for (const [path, content] of this.#now()) yield { path, content };
  }

  read(path: string): string | null {
    return this.#now().get(path) ?? null;
  }

  #now(): Map<string, string> {
    const now = new Map<string, string>();
    for (const { path, content } of this.#log) {
      if (content === null) now.delete(path);
      else now.set(path, content);
    }
    return now;
  }
}

let directory: string;
let source: Collection;
let index: DocumentIndex;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sonde-documents-'));
  source = new Collection()
    .put('Animals/Zebra.md', '# Zebra\n\nStriped, lives in herds.\n')
    .put('Animals/Okapi.md', '# Okapi\n\nStriped legs, lives alone.\n')
    .put('Plans.md', 'Visit the zebra.\n');
  index = openDocumentIndex({ source, directory });
});

afterEach(() => {
  index.close();
  rmSync(directory, { recursive: true });
});

const found = async (query: string, more: object = {}, of = index): Promise<string[]> =>
  (await of.search({ query, ...more })).hits.map(({ path }) => path);

const only = (path: string) => ({ key: path, matches: (other: string) => other === path });

const fresh = () => {
  index.close();
  index = openDocumentIndex({ source, directory });
};

it('finds nothing, and says why, before it has followed', async () => {
  expect(await index.search({ query: 'zebra' })).toMatchObject({ hits: [], completeness: 'partial' });
  expect(index.cursor()).toBeNull();
});

it('finds what there is, best first, with the lines of the documents', async () => {
  expect(await index.follow()).toMatchObject({ cursor: 3, documents: 3, added: 3, changed: 0, removed: 0 });
  expect(await found('zebra')).toEqual(['Animals/Zebra.md', 'Plans.md']);
  const { hits } = await index.search({ query: 'alone' });
  expect(hits).toMatchObject([{ path: 'Animals/Okapi.md', start: 1, end: 3 }]);
});

it('keeps to a scope and to a filter', async () => {
  await index.follow();
  expect(await found('zebra', { scope: 'Animals' })).toEqual(['Animals/Zebra.md']);
  expect(await found('zebra', { scope: 'Animals' })).toEqual(['Animals/Zebra.md']);
  expect(await found('zebra', { filter: only('Plans.md') })).toEqual(['Plans.md']);
  expect(await found('zebra', { filter: only('Animals/Zebra.md') })).toEqual(['Animals/Zebra.md']);
  expect(await found('zebra', { scope: 'Animals', filter: only('Plans.md') })).toEqual([]);
});

describe('follows changes', () => {
  const steps: readonly [string, () => unknown, object, Readonly<Record<string, readonly string[]>>][] = [
    ['nothing', () => {}, { added: 0, changed: 0, removed: 0 }, { herds: ['Animals/Zebra.md'] }],
    [
      'a new one',
      () => source.put('Quagga.md', 'A quagga in herds.\n'),
      { added: 1, changed: 0, removed: 0 },
      { quagga: ['Quagga.md'] },
    ],
    [
      'another text',
      () => source.put('Animals/Zebra.md', 'Grazes.\n'),
      { added: 0, changed: 1, removed: 0 },
      { herds: [], grazes: ['Animals/Zebra.md'] },
    ],
    [
      'one that is gone',
      () => source.put('Plans.md', null),
      { added: 0, changed: 0, removed: 1 },
      { visit: [], zebra: ['Animals/Zebra.md'] },
    ],
    [
      'a move',
      () => source.put('Plans.md', null).put('Old/Plans.md', 'Visit the zebra.\n'),
      { added: 1, changed: 0, removed: 1 },
      { visit: ['Old/Plans.md'] },
    ],
    [
      'several of one document: the last counts',
      () => source.put('Plans.md', 'First.').put('Plans.md', null).put('Plans.md', 'Last.'),
      { added: 0, changed: 1, removed: 0 },
      { first: [], last: ['Plans.md'], visit: [] },
    ],
    [
      'one that came and went',
      () => source.put('Brief.md', 'Brief.').put('Brief.md', null),
      { added: 0, changed: 0, removed: 0 },
      { brief: [] },
    ],
  ];
  it.each(steps)('%s', async (_what, change, counts, expected) => {
    await index.follow();
    change();
    expect(await index.follow()).toMatchObject({ ...counts, cursor: source.head() });
    for (const [query, paths] of Object.entries(expected)) expect(await found(query)).toEqual(paths);
    fresh();
    for (const [query, paths] of Object.entries(expected)) expect(await found(query)).toEqual(paths);
    expect(index.cursor()).toBe(source.head());
    expect(source.scans).toBe(1);
  });
});

it('after many changes is what an index built at once is', async () => {
  const words = ['zebra', 'okapi', 'quagga', 'herd', 'grass', 'river'];
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  for (let k = 0; k < 300; k++) {
    const text = Array.from({ length: 5 + random(20) }, () => words[random(words.length)]).join(' ');
    source.put(`Page ${random(40)}.md`, random(5) === 0 ? null : `${text}\n`);
    if (k % 7 === 0) await index.follow();
  }
  await index.follow();
  const other = mkdtempSync(join(tmpdir(), 'sonde-documents-'));
  const whole = openDocumentIndex({ source, directory: other });
  await whole.follow();
  for (const query of [...words, 'zebra river', 'okapi herd grass']) {
    const scores = async (of: DocumentIndex) =>
      (await of.search({ query, k: 100 })).hits.map(({ path, score }) => [path, score.toFixed(4)]);
    expect(await scores(index)).toEqual(await scores(whole));
  }
  whole.close();
  rmSync(other, { recursive: true });
});

describe('is built anew', () => {
  const cases: readonly [string, () => void][] = [
    [
      'where a segment is damaged',
      () => {
        const name = readdirSync(directory).find((file) => file.endsWith('.seg'))!;
        writeFileSync(join(directory, name), 'not a segment');
      },
    ],
    ['where the manifest is damaged', () => writeFileSync(join(directory, 'manifest.json'), '{}')],
    [
      'where it is of another collection',
      () => {
        source = new Collection('another').put('Only.md', 'A zebra.\n');
      },
    ],
    [
      'where the collection went back, as from a copy',
      () => {
        source = new Collection().put('Only.md', 'A zebra.\n');
      },
    ],
  ];
  it.each(cases)('%s', async (_what, harm) => {
    await index.follow();
    harm();
    fresh();
    const scans = source.scans;
    await index.follow();
    expect(source.scans).toBe(scans + 1);
    const expected = source.head() === 1 ? ['Only.md'] : ['Animals/Zebra.md', 'Plans.md'];
    expect(await found('zebra')).toEqual(expected);
  });
});

it('follows in turn when several ask at once', async () => {
  const other = openDocumentIndex({ source, directory });
  await Promise.all([index.follow(), other.follow(), index.follow()]);
  source.put('Quagga.md', 'A quagga.\n');
  await Promise.all([other.follow(), index.follow()]);
  expect(await found('quagga')).toEqual(['Quagga.md']);
  expect(await found('quagga', {}, other)).toEqual(['Quagga.md']);
  other.close();
});

it('can be cancelled, and is as it was', async () => {
  await index.follow();
  source.put('Quagga.md', 'A quagga.\n');
  await expect(index.follow(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  expect(await found('quagga')).toEqual([]);
  expect(index.cursor()).toBe(3);
});

it('gives an embedding model the text of documents, and ranks by its vectors too', async () => {
  const texts: string[] = [];
  const embedder: Embedder = {
    id: 'test:animals',
    dimensions: 2,
    embed: async (batch) =>
      batch.map((text) => {
        texts.push(text);
        return Float32Array.from(/stripe|zebra|okapi/i.test(text) ? [1, 0] : [0, 1]);
      }),
  };
  index.close();
  index = openDocumentIndex({ source, directory, embedder });
  expect((await index.follow()).notes).toEqual([]);
  expect(texts).toContain('Plans.md\nVisit the zebra.');
  const { hits } = await index.search({ query: 'stripes' });
  expect(hits.map(({ provenance }) => provenance)).toContain('vector');
});
