import { describe, expect, it } from 'vitest';
import { askUntilAgreed } from './agreement.ts';
import type { RawReply } from './connection.ts';

interface Script {
  readonly replies: readonly (number | null | Extract<RawReply, { kind: 'none' }>)[];
  /** Asks for which it is busy. */
  readonly busy?: number;
  readonly rounds?: number;
  readonly thinBelow?: number;
  readonly limitMs?: number;
}

async function ask({ replies, busy = 0, rounds = 0, thinBelow = 0, limitMs = 5_000 }: Script) {
  let [asks, time] = [0, 0];
  const found = await askUntilAgreed<number>(
    {
      ask: async () => {
        const next = replies[Math.min(asks, replies.length - 1)]!;
        asks += 1;
        return typeof next === 'number' || next === null ? { kind: 'reply', value: next } : next;
      },
      read: (value) => value as number | null,
      isSame: (one, other) => one === other,
      isBusy: () => asks <= busy,
      isThin: (answer) => answer < thinBelow,
      rounds,
    },
    {
      limitMs,
      now: () => time,
      pause: async (ms) => {
        time += ms;
      },
    },
  );
  return { found, asks };
}

const gone = { kind: 'none', why: 'it ended', isGone: true } as const;

describe('an answer counts when it is given twice', () => {
  it.each<[string, Script, unknown, number]>([
    ['at once', { replies: [26] }, { kind: 'agreed', answer: 26 }, 2],
    ['when it has grown', { replies: [3, 20, 26] }, { kind: 'agreed', answer: 26 }, 4],
    ['not while it is busy', { replies: [3, 3, 3, 26], busy: 3 }, { kind: 'agreed', answer: 26 }, 5],
    [
      'not before it has what is known',
      { replies: [3, 3, 26], rounds: 3, thinBelow: 10 },
      { kind: 'agreed', answer: 26 },
      4,
    ],
    [
      'though it lacks what is known, in the end',
      { replies: [3], rounds: 3, thinBelow: 10 },
      { kind: 'agreed', answer: 3 },
      5,
    ],
    ['never where it ends', { replies: [3, gone] }, { ...gone, isSlow: false }, 2],
    ['never where it is no answer', { replies: [null] }, { kind: 'none', isSlow: false }, 1],
  ])('%s', async (_, script, expected, asks) => {
    expect(await ask(script)).toMatchObject({ found: expected, asks });
  });

  it('is given up at its limit, where none agree or it is busy for ever', async () => {
    const unsteady = Array.from({ length: 1_000 }, (_, nth) => nth);
    for (const script of [{ replies: unsteady }, { replies: [3], busy: 1_000_000 }])
      expect((await ask(script)).found).toEqual({
        kind: 'none',
        why: 'no two of its answers agreed in 5 s',
        isGone: false,
        isSlow: true,
      });
  });
});
