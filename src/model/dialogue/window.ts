/**
 * Keeps a dialogue within its model's window. A dialogue that is too full is cut to half of the window at once, since
 * each cut makes the provider's cache useless from there on. Results are cut first, then whole rounds. The newest two
 * rounds stay if they fit, else the newest one. A person's words stay, unless they have a short form. Each cut is
 * recorded, so that a resumed run sends the same bytes.
 */
import type { Dialogue, DialogueCut, Entry } from './dialogue.ts';
import { estimateDialogue } from './measure.ts';
import type { SentBefore } from './turn.ts';

/** Shorter results stay: a notice would be no shorter. Characters. */
const minShortened = 400;
/** A dialogue that fills more than `maxFill` of the window is cut until it fills at most `fillAfterCut` of it. */
const maxFill = 0.9;
const fillAfterCut = 0.5;
/** How many of the newest rounds are kept: usually, and if the window is too small for that. */
const usualRounds = 2;
const minRounds = 1;

/** The part of the dialogue that is sent. */
export function applyCut(dialogue: Dialogue, { shortened, dropped }: DialogueCut): Dialogue {
  if (shortened === 0 && dropped <= 1) return dialogue;
  const [first, ...rest] = dialogue.entries;
  if (first === undefined) return dialogue;
  const firstKept = Math.max(0, dropped - 1);
  const droppedEntries = rest.slice(0, firstKept);
  const droppedRounds = droppedEntries.filter(({ kind }) => kind === 'reply').length;
  const opening: Entry =
    droppedRounds > 0 && first.kind === 'user'
      ? { kind: 'user', text: `${first.text}${formatLeftOut(droppedRounds)}` }
      : first;
  const entries = rest
    .slice(firstKept)
    .map((entry, n) => (n + firstKept + 1 < shortened ? shortenEntry(entry) : entry));
  const keptMessages = droppedEntries.filter((entry) => entry.kind === 'user' && entry.brief === undefined);
  return { ...dialogue, entries: [opening, ...keptMessages, ...entries] };
}

const formatLeftOut = (rounds: number): string =>
  `\n\n(${rounds} earlier rounds are left out, to make room.)`;

function shortenEntry(entry: Entry): Entry {
  if (entry.kind === 'user') {
    const { text, brief } = entry;
    return brief === undefined || text.length < minShortened ? entry : { kind: 'user', text: brief };
  }
  if (entry.kind !== 'results') return entry;
  return {
    ...entry,
    results: entry.results.map((result) =>
      result.text.length < minShortened || result.kept
        ? result
        : {
            ...result,
            text: `(Left out to make room: ${result.text.length} characters. Make the same call to see it again.)`,
          },
    ),
  };
}

/** Chooses the cut of a dialogue; `dialogueCut` itself if that still fits. `window`: available input tokens. */
export function chooseCut(dialogue: Dialogue, dialogueCut: DialogueCut, window: number): DialogueCut {
  const room = Math.min(window, dialogueCut.window ?? Infinity);
  const sizeOf = (candidate: DialogueCut) =>
    estimateDialogue(applyCut(dialogue, candidate)) * (dialogueCut.perGuess ?? 1);
  if (sizeOf(dialogueCut) <= room * maxFill) return dialogueCut;
  return findReachableCut(
    dialogue,
    dialogueCut,
    [usualRounds, (candidate) => sizeOf(candidate) <= room * fillAfterCut],
    [usualRounds, (candidate) => sizeOf(candidate) <= room * maxFill],
    [minRounds, (candidate) => sizeOf(candidate) <= room * maxFill],
  );
}

type SizeGoal = readonly [roundCount: number, isSmall: (cut: DialogueCut) => boolean];

/** Returns the cut for the first goal that can be reached; the largest possible cut if none can. */
function findReachableCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  ...goals: readonly [SizeGoal, ...SizeGoal[]]
): DialogueCut {
  let candidate = dialogueCut;
  for (const [roundCount, isSmall] of goals) {
    candidate = findSmallestCut(dialogue, dialogueCut, isSmall, roundCount);
    if (isSmall(candidate)) return candidate;
  }
  return candidate;
}

/** The dialogue with everything cut but the newest rounds. */
export function cutToMinimum(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  roundCount = usualRounds,
): Dialogue {
  return applyCut(
    dialogue,
    findSmallestCut(dialogue, dialogueCut, () => false, roundCount),
  );
}

/** The smallest cut that the budget can pay for; the largest possible one if it can pay for none. */
export function payableCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  canPay: (cut: DialogueCut) => boolean,
): DialogueCut {
  return canPay(dialogueCut) ? dialogueCut : findSmallestCut(dialogue, dialogueCut, canPay, minRounds);
}

/**
 * The cut after a model refused a request as too long: at most half of what was sent. Null if nothing more can be cut.
 */
export function cutAfterOverflow(dialogue: Dialogue, dialogueCut: DialogueCut): DialogueCut | null {
  const sent = estimateDialogue(applyCut(dialogue, dialogueCut));
  const isHalf = (candidate: DialogueCut) =>
    estimateDialogue(applyCut(dialogue, candidate)) <= sent * fillAfterCut;
  const nextCut = findReachableCut(dialogue, dialogueCut, [usualRounds, isHalf], [minRounds, isHalf]);
  const isLarger = nextCut.shortened > dialogueCut.shortened || nextCut.dropped > dialogueCut.dropped;
  if (!isLarger || estimateDialogue(applyCut(dialogue, nextCut)) >= sent) return null;
  return { ...nextCut, window: Math.floor(sent * (dialogueCut.perGuess ?? 1)) };
}

/** The smallest cut that fits; the largest possible one if none does. */
function findSmallestCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  isSmall: (cut: DialogueCut) => boolean,
  roundCount = usualRounds,
): DialogueCut {
  const firstKept = findFirstKept(dialogue, roundCount);
  let candidate = dialogueCut;
  for (let index = dialogueCut.shortened + 1; index <= firstKept; index += 1) {
    candidate = { ...dialogueCut, shortened: index };
    if (isSmall(candidate)) return candidate;
  }
  for (const index of findReplies(dialogue).filter(
    (index) => index > Math.max(1, dialogueCut.dropped) && index <= firstKept,
  )) {
    candidate = { ...candidate, dropped: index };
    if (isSmall(candidate)) return candidate;
  }
  return candidate;
}

/** The index of the first entry of the newest rounds. A round is a reply with its results. */
function findFirstKept(dialogue: Dialogue, roundCount: number): number {
  return roundCount === 0 ? dialogue.entries.length : (findReplies(dialogue).at(-roundCount) ?? 1);
}

/** The indexes of the replies, at which rounds begin. */
function findReplies({ entries }: Dialogue): readonly number[] {
  return entries.flatMap(({ kind }, index) => (kind === 'reply' ? [index] : []));
}

/** Adds the ratio of reported to estimated tokens to the cut. Unchanged if no usage was reported. */
export function learnSize(
  dialogueCut: DialogueCut,
  dialogue: Dialogue,
  { input, estimated }: { readonly input: number; readonly estimated: boolean },
): DialogueCut {
  const guessed = estimateDialogue(dialogue);
  if (estimated || input <= 0 || guessed <= 0) return dialogueCut;
  const { shortened, dropped } = dialogueCut;
  return {
    ...dialogueCut,
    perGuess: Math.min(4, Math.max(0.25, input / guessed)),
    ...(dialogue.entries.length === 1 && { first: input }),
    sent: { shortened, dropped, entries: dialogue.entries.length, input },
  };
}

/**
 * If rounds are left out, the first message grows by a notice of this many bytes; no byte takes more than one token.
 */
const leftOutBytes = 64;

/** The token count that is still valid with this cut. If the cut has changed, only the first message is the same. */
export function findSentBefore({ shortened, dropped, sent, first }: DialogueCut): {
  readonly sentBefore?: SentBefore;
} {
  if (sent?.shortened === shortened && sent.dropped === dropped) return { sentBefore: sent };
  if (first === undefined) return {};
  return { sentBefore: { entries: 1, input: first + (dropped > 1 ? leftOutBytes : 0) } };
}
