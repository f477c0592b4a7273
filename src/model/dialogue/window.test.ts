import { expect, it } from 'vitest';
import { scriptedModel } from '../scripted.ts';
import { byteCeiling } from '../tokens/input-ceiling.ts';
import { addEntries, beginDialogue, type Dialogue, type DialogueCut, uncut } from './dialogue.ts';
import { estimateDialogue, measureSince } from './measure.ts';
import { turnCost } from './turn.ts';
import { applyCut, chooseCut, cutAfterOverflow, findSentBefore, learnSize } from './window.ts';

const result = 'a line of a result that takes some room\n'.repeat(60);

function rounds(count: number, text = result): Dialogue {
  let dialogue = beginDialogue({ system: 's', tools: [] }, 'Why?');
  for (let n = 0; n < count; n += 1)
    dialogue = addEntries(
      dialogue,
      {
        kind: 'reply',
        by: 'm',
        parts: [{ kind: 'call', id: `c${n}`, name: 'grep', input: {}, fit: 'read' }],
      },
      {
        kind: 'results',
        results: [{ call: `c${n}`, name: 'grep', ok: true, text: `${n} ${text}` }],
        note: 'note',
      },
    );
  return dialogue;
}

const size = (dialogue: Dialogue, cut: DialogueCut) => estimateDialogue(applyCut(dialogue, cut));

it('while there is room nothing gives way', () => {
  const dialogue = rounds(5);
  expect(chooseCut(dialogue, uncut, 100_000)).toBe(uncut);
  expect(applyCut(dialogue, uncut)).toBe(dialogue);
});

it('what gives way gives way to half at once, and then not for a while', () => {
  const window = size(rounds(10), uncut);
  let cut = uncut;
  const cuts: number[] = [];
  for (let n = 1; n <= 40; n += 1) {
    const next = chooseCut(rounds(n), cut, window);
    if (next !== cut) cuts.push(n);
    cut = next;
    expect(size(rounds(n), cut)).toBeLessThanOrEqual(window);
  }
  expect(cuts.length).toBeLessThan(10);
});

it('what is left of the room, not the half of it, decides where rounds would have to go', () => {
  const dialogue = rounds(5);
  const full = size(dialogue, { ...uncut, shortened: 7 }) / 0.9;
  // Half of it has no room for the newest two.
  expect(chooseCut(dialogue, uncut, full)).toMatchObject({ shortened: 7, dropped: 0 });
});

it('what a person said stays, also where the rounds around it are left out', () => {
  const words = addEntries(
    rounds(4),
    { kind: 'reply', by: 'm', parts: [{ kind: 'text', text: 'So.' }] },
    {
      kind: 'user',
      text: 'And why that?',
    },
  );
  const dialogue = { ...words, entries: [...words.entries, ...rounds(3).entries.slice(1)] };
  const shown = applyCut(dialogue, chooseCut(dialogue, uncut, 10));
  expect(shown.entries.filter(({ kind }) => kind === 'user')).toEqual([
    { kind: 'user', text: expect.stringMatching(/^Why\?\n\n\(7 earlier rounds/) },
    { kind: 'user', text: 'And why that?' },
  ]);
  expect(shown.entries.slice(-2)).toEqual(dialogue.entries.slice(-2));
});

it('a result that is dear to get again does not give way', () => {
  const dialogue = rounds(6);
  const entries = dialogue.entries.map((entry) =>
    entry.kind === 'results'
      ? { ...entry, results: entry.results.map((one) => ({ ...one, kept: true as const })) }
      : entry,
  );
  const cut = { ...uncut, shortened: 7 };
  expect(applyCut({ ...dialogue, entries }, cut).entries).toEqual(entries);
});

it('the newest round never gives way, whatever the window', () => {
  const dialogue = rounds(6);
  const cut = chooseCut(dialogue, uncut, 10);
  const shown = applyCut(dialogue, cut);
  expect(shown.entries.slice(-2)).toEqual(dialogue.entries.slice(-2));
  expect(shown.entries[0]).toMatchObject({
    kind: 'user',
    text: expect.stringMatching(/^Why\?\n\n\(5 earlier rounds/),
  });
  expect(shown.entries).toHaveLength(3);
});

it('results go first, with a notice; rounds only where that is not enough; what is left stays paired', () => {
  const dialogue = rounds(8);
  const cut = chooseCut(dialogue, uncut, size(dialogue, uncut));
  expect(cut.dropped).toBe(0);
  const shown = applyCut(dialogue, cut);
  expect(shown.entries[2]).toMatchObject({
    results: [{ text: expect.stringMatching(/^\(Left out to make room/) }],
  });
  expect(shown.entries).toHaveLength(dialogue.entries.length);
  const small = applyCut(rounds(60, 'short'), chooseCut(rounds(60, 'short'), uncut, 500));
  expect(small.entries.length).toBeLessThan(40);
  expect(small.entries[1]?.kind).toBe('reply');
});

it('words of the program that have a brief give way to it; a person’s stay, and so does the opening', () => {
  const reply = { kind: 'reply' as const, by: 'm', parts: [{ kind: 'text' as const, text: 'code' }] };
  const dialogue = addEntries(
    beginDialogue({ system: 's', tools: [] }, result),
    reply,
    { kind: 'user', text: result, brief: 'turn 1: 2,400 bytes' },
    reply,
    { kind: 'user', text: result },
    reply,
    { kind: 'user', text: result, brief: 'turn 3' },
    reply,
    { kind: 'user', text: result, brief: 'turn 4' },
  );
  const texts = (cut: DialogueCut) =>
    applyCut(dialogue, cut).entries.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []));
  expect(texts({ shortened: 7, dropped: 0 })).toEqual([
    result,
    'turn 1: 2,400 bytes',
    result,
    'turn 3',
    result,
  ]);
  expect(chooseCut(dialogue, uncut, size(dialogue, uncut)).shortened).toBeGreaterThan(2);
  // They belong to the round that is left out, and would bring back what had given way.
  expect(texts({ shortened: 7, dropped: 7 })).toEqual([
    expect.stringContaining('3 earlier rounds are left out'),
    result,
    result,
  ]);
  const sizes = [0, 3, 5, 7].map((dropped) => size(dialogue, { shortened: 7, dropped }));
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
});

it('an overflow halves what was sent, and is remembered; where nothing is left to give, it is the end', () => {
  const dialogue = rounds(10);
  const cut = cutAfterOverflow(dialogue, uncut);
  expect(size(dialogue, cut as DialogueCut)).toBeLessThanOrEqual(size(dialogue, uncut) / 2);
  expect(cut?.window).toBeLessThanOrEqual(size(dialogue, uncut));
  let tried: DialogueCut | null = cut;
  let times = 0;
  for (; tried !== null && times < 50; times += 1) tried = cutAfterOverflow(dialogue, tried);
  expect(tried).toBeNull();
  expect(cutAfterOverflow(rounds(1), uncut)).toBeNull();
});

it('what was reported corrects the guess', () => {
  const dialogue = rounds(10);
  const guessed = estimateDialogue(dialogue);
  const dear = learnSize(uncut, dialogue, { input: guessed * 3, estimated: false });
  expect(chooseCut(dialogue, dear, guessed * 1.5).shortened).toBeGreaterThan(0);
  expect(chooseCut(dialogue, uncut, guessed * 1.5)).toBe(uncut);
  expect(learnSize(uncut, dialogue, { input: 7, estimated: true })).toBe(uncut);
});

it('what was counted of a dialogue bounds the next turn, until more of it gives way', () => {
  const options = { maxOutputTokens: 100, timeoutMs: 1_000 };
  const model = { ...scriptedModel([]), maxInput: byteCeiling };
  const [first, next] = [rounds(2), rounds(3)];
  const cut = learnSize(uncut, first, { input: 500, estimated: false });
  const cost = (held: DialogueCut) =>
    turnCost(model, applyCut(next, held), { ...options, ...findSentBefore(held) }).tokens;
  const rest = byteCeiling(measureSince(next, first.entries.length));
  expect(cost(cut)).toBe(500 + rest + 100);
  expect(cost(uncut)).toBe(turnCost(model, next, options).tokens);
  // Never more than the whole is guessed at.
  expect(cost(learnSize(uncut, first, { input: 10_000_000, estimated: false }))).toBe(cost(uncut));
  const more = { ...cut, shortened: 3 };
  expect(findSentBefore(more)).toEqual({});
  // What nobody counted is not known.
  expect(findSentBefore(learnSize(uncut, first, { input: 500, estimated: true }))).toEqual({});
});

it('what was counted of the first words holds, whatever gives way behind them', () => {
  const model = { ...scriptedModel('x'), maxInput: byteCeiling };
  const asked = rounds(0, '');
  const counted = learnSize(uncut, asked, { input: 100, estimated: false });
  const dialogue = rounds(6);
  const whole = (cut: DialogueCut) =>
    turnCost(model, applyCut(dialogue, cut), { maxOutputTokens: 1, timeoutMs: 1 });
  const known = (cut: DialogueCut) =>
    turnCost(model, applyCut(dialogue, cut), { maxOutputTokens: 1, timeoutMs: 1, ...findSentBefore(cut) });
  for (const cut of [
    { ...counted, shortened: 5 },
    { ...counted, shortened: 9, dropped: 5 },
  ]) {
    const since = byteCeiling(measureSince(applyCut(dialogue, cut), 1));
    expect(known(cut).tokens).toBe(
      Math.min(whole(cut).tokens ?? 0, 100 + since + 1 + (cut.dropped > 1 ? 64 : 0)),
    );
  }
  // The notice that is added to them takes no more.
  const [before, after] = [applyCut(dialogue, counted), applyCut(dialogue, { ...counted, dropped: 9 })].map(
    ({ entries }) => (entries[0]?.kind === 'user' ? entries[0].text : ''),
  );
  expect(Buffer.byteLength(after ?? '') - Buffer.byteLength(before ?? '')).toBeLessThan(64);
});
