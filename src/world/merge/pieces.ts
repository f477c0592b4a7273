import { splitPageUnits } from '../markdown/index.ts';
import type { BlockKind } from '../world.ts';

/** A block or a list item. `tail`: the line end and blank lines after it. */
export interface MergeBlock {
  readonly kind: BlockKind | 'property';
  readonly text: string;
  readonly tail: string;
}

export interface Pieces {
  readonly front: string;
  /** Blank lines before the first piece. */
  readonly head: string;
  readonly pieces: readonly MergeBlock[];
}

export function splitPieces(text: string): Pieces {
  const { front, units } = splitPageUnits(text);
  return {
    front: text.slice(0, front),
    head: text.slice(front, units[0]?.start ?? text.length),
    pieces: units.map(({ kind, start, end }, index) => ({
      kind,
      text: text.slice(start, end),
      tail: text.slice(end, units[index + 1]?.start ?? text.length),
    })),
  };
}

export const joinTexts = (pieces: readonly MergeBlock[]): string =>
  pieces.map(({ text, tail }) => text + tail).join('');

export const haveSameTexts = (a: readonly MergeBlock[], b: readonly MergeBlock[]): boolean =>
  a.length === b.length && a.every(({ text }, index) => text === b[index]!.text);
