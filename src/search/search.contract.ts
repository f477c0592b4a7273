import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSondeError } from '../core/index.ts';
import type { SearchHit, SearchIndex, SearchRequest } from './search.ts';

/** The conformance suite of a search. */

export type ContractFiles = Readonly<Record<string, string>>;

export interface ContractSubject {
  readonly index: SearchIndex;
  /** Removes the files of the subject, after the index is closed. */
  dispose(): void;
}

const lines = (count: number, line: (k: number) => string): string =>
  Array.from({ length: count }, (_, k) => `${line(k + 1)}\n`).join('');

export const contractFiles: ContractFiles = {
  'src/retry.ts': 'export function retryRequest(times: number) {\n  return times;\n}\n',
  'src/deep/retry.test.ts': "test('retryRequest', () => {});\n",
  'lib/backoff.py': 'def backoff(delay):\n    """Waits, then a retry."""\n',
  'docs/guide.md': '# Guide\n\n## When to retry\n\nA zebra waits between each retry.\n',
  // The word occurs three times, in different chunks.
  'lib/long.txt': lines(300, (k) => (k % 100 === 5 ? `quagga number ${k}` : `line ${k}`)),
  'lib/short.txt': 'One quagga.\n',
};

const isInside = (files: ContractFiles, hit: SearchHit): boolean => {
  const count = files[hit.path]?.split('\n').length ?? 0;
  return hit.start >= 1 && hit.start <= hit.end && hit.end <= count;
};

export function searchContract(name: string, open: (files: ContractFiles) => ContractSubject): void {
  describe(`${name}: contract of a search`, () => {
    let subject: ContractSubject;
    let index: SearchIndex;
    beforeAll(async () => {
      subject = open(contractFiles);
      index = subject.index;
      await index.refresh();
    });
    afterAll(() => {
      index.close();
      subject.dispose();
    });

    const paths = async (request: SearchRequest): Promise<string[]> => {
      const { hits } = await index.search(request);
      for (const hit of hits)
        expect(isInside(contractFiles, hit), `${hit.path}:${hit.start}-${hit.end}`).toBe(true);
      return hits.map(({ path }) => path);
    };

    const check = (title: string, request: SearchRequest, expected: readonly string[]) =>
      test(title, async () => expect(new Set(await paths(request))).toEqual(new Set(expected)));

    check('a word', { query: 'zebra' }, ['docs/guide.md']);
    check('a word that is nowhere', { query: 'okapi' }, []);
    check('nothing asked for', { query: '' }, []);
    check('a folder as scope', { query: 'retry', scope: 'src' }, ['src/retry.ts', 'src/deep/retry.test.ts']);
    check('globs as scope', { query: 'retry', scope: 'src/**,!**/*.test.ts' }, ['src/retry.ts']);
    check('a file as scope', { query: 'retry', scope: 'lib/backoff.py' }, ['lib/backoff.py']);
    check('a scope where nothing is', { query: 'retry', scope: 'nowhere' }, []);
    check('a wide search keeps to its scope', { query: 'retry', wide: true, scope: 'docs' }, [
      'docs/guide.md',
    ]);

    test('the best span of each file comes first, further spans after', async () => {
      const found = await paths({ query: 'quagga', k: 10 });
      expect(new Set(found.slice(0, 2))).toEqual(new Set(['lib/long.txt', 'lib/short.txt']));
      expect(found.slice(2).every((path) => path === 'lib/long.txt')).toBe(true);
    });

    test('a wide search gives several spans of a file, best first', async () => {
      const { hits } = await index.search({ query: 'quagga', wide: true });
      expect(hits.filter(({ path }) => path === 'lib/long.txt')).toHaveLength(3);
      expect(hits.map(({ score }) => score)).toEqual(
        hits.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      expect(new Set(hits.map(({ path, start }) => `${path}:${start}`)).size).toBe(hits.length);
    });

    test('never more than k', async () => {
      expect(await paths({ query: 'retry', k: 2 })).toHaveLength(2);
      expect(await paths({ query: 'quagga', wide: true, k: 1 })).toHaveLength(1);
    });

    test('the same question has the same answer', async () => {
      const request = { query: 'retry request', wide: true };
      expect(await index.search(request)).toEqual(await index.search(request));
    });

    test('every path is listed once, in order, and only those in scope', async () => {
      expect(await index.paths()).toEqual(Object.keys(contractFiles).sort());
      expect(await index.paths('src,!**/*.test.ts')).toEqual(['src/retry.ts']);
      expect(await index.paths('nowhere')).toEqual([]);
    });

    const refuses = (title: string, request: SearchRequest, code: string) =>
      test(title, async () => {
        const thrown = await index.search(request).catch((error: unknown) => error);
        expect(isSondeError(thrown) && thrown.code).toBe(code);
      });

    refuses('a scope that leads out of the root', { query: 'retry', scope: '../other' }, 'bad_pattern');
    refuses('a search that was cancelled', { query: 'retry', signal: AbortSignal.abort() }, 'cancelled');

    test('a refresh of what has not changed does nothing', async () => {
      expect(await index.refresh()).toMatchObject({ added: 0, changed: 0, removed: 0 });
    });

    test('a refresh that was cancelled', async () => {
      const thrown = await index.refresh({ signal: AbortSignal.abort() }).catch((error: unknown) => error);
      expect(isSondeError(thrown) && thrown.code).toBe('cancelled');
      expect(await paths({ query: 'zebra' })).toEqual(['docs/guide.md']);
    });
  });
}
