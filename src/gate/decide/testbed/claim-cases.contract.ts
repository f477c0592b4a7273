/** What tests of verdicts share: a source made of lines, lists of verdicts, and a check of several claims. */
import { describe, expect, test } from 'vitest';
import { createSource, type Source } from '../../lines/source.ts';
import { decide } from '../decide.ts';

export const linesOf = (path: string, ...lines: readonly string[]): Source =>
  createSource([{ id: 'ev-0000000001', path, start: 1, end: lines.length, content: lines.join('\n') }]);

/** A claim, and the verdicts that it may get. */
export type ClaimCase = readonly [claim: string, verdicts: readonly string[]];

export const refused: readonly string[] = ['contradicted', 'not shown'];
export const held: readonly string[] = ['shown', 'unclear'];
export const shown: readonly string[] = ['shown'];

export const checkClaims = (name: string, source: Source, cases: readonly ClaimCase[]): void => {
  describe(name, () => {
    test.each(cases)('%s', (claim, verdicts) => {
      expect(verdicts).toContain(decide(claim, source).verdict);
    });
  });
};
