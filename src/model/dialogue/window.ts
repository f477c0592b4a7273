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
/** When the window is fuller than the first share, the dialogue is cut until it fills no more than the second. */
const maxFill = 0.9;
const fillAfterCut = 0.5;
/** The newest rounds that are kept: normally, and if the window is too small for that. */
const keptRounds = 2;
const minRounds = 1;

/** The part of the dialogue that is sent. */
export function applyCut(dialogue: Dialogue, { shortened, dropped }: DialogueCut): Dialogue {
  if (shortened === 0 && dropped <= 1) return dialogue;
  const [first, ...rest] = dialogue.entries;
  if (first === undefined) return dialogue;
  const firstKept = Math.max(0, dropped - 1);
  const before = rest.slice(0, firstKept);
  const rounds = before.filter(({ kind }) => kind === 'reply').length;
  const opening: Entry =
    rounds > 0 && first.kind === 'user'
      ? { kind: 'user', text: `${first.text}${formatLeftOut(rounds)}` }
      : first;
  const entries = rest
    .slice(firstKept)
    .map((entry, n) => (n + firstKept + 1 < shortened ? shortenEntry(entry) : entry));
  const words = before.filter((entry) => entry.kind === 'user' && entry.brief === undefined);
  return { ...dialogue, entries: [opening, ...words, ...entries] };
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

/** Decides where to cut a dialogue: as before if there is room. `window`: available input tokens. */
export function chooseCut(dialogue: Dialogue, dialogueCut: DialogueCut, window: number): DialogueCut {
  const room = Math.min(window, dialogueCut.window ?? Infinity);
  const size = (tried: DialogueCut) =>
    estimateDialogue(applyCut(dialogue, tried)) * (dialogueCut.perGuess ?? 1);
  if (size(dialogueCut) <= room * maxFill) return dialogueCut;
  return findReachableCut(
    dialogue,
    dialogueCut,
    [keptRounds, (tried) => size(tried) <= room * fillAfterCut],
    [keptRounds, (tried) => size(tried) <= room * maxFill],
    [minRounds, (tried) => size(tried) <= room * maxFill],
  );
}

type SizeGoal = readonly [kept: number, isSmall: (cut: DialogueCut) => boolean];

/** The cut for the first size that can be reached; the largest cut if none can. */
function findReachableCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  ...goals: readonly [SizeGoal, ...SizeGoal[]]
): DialogueCut {
  let tried = dialogueCut;
  for (const [kept, isSmall] of goals) {
    tried = findSmallestCut(dialogue, dialogueCut, isSmall, kept);
    if (isSmall(tried)) return tried;
  }
  return tried;
}

/** The dialogue with everything cut but the newest rounds. */
export function cutToMinimum(dialogue: Dialogue, dialogueCut: DialogueCut, kept = keptRounds): Dialogue {
  return applyCut(
    dialogue,
    findSmallestCut(dialogue, dialogueCut, () => false, kept),
  );
}

/** The smallest cut that the budget can pay for; the largest possible one if it can pay for none. */
export function payableCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  pays: (cut: DialogueCut) => boolean,
): DialogueCut {
  return pays(dialogueCut) ? dialogueCut : findSmallestCut(dialogue, dialogueCut, pays, minRounds);
}

/**
 * The cut after a model refused a request as too long: at most half of what was sent. Null if nothing more can be cut.
 */
export function cutAfterOverflow(dialogue: Dialogue, dialogueCut: DialogueCut): DialogueCut | null {
  const sent = estimateDialogue(applyCut(dialogue, dialogueCut));
  const isHalf = (tried: DialogueCut) => estimateDialogue(applyCut(dialogue, tried)) <= sent * fillAfterCut;
  const next = findReachableCut(dialogue, dialogueCut, [keptRounds, isHalf], [minRounds, isHalf]);
  const isLarger = next.shortened > dialogueCut.shortened || next.dropped > dialogueCut.dropped;
  if (!isLarger || estimateDialogue(applyCut(dialogue, next)) >= sent) return null;
  return { ...next, window: Math.floor(sent * (dialogueCut.perGuess ?? 1)) };
}

/** The smallest cut that fits; the largest possible one if none does. */
function findSmallestCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  isSmall: (cut: DialogueCut) => boolean,
  kept = keptRounds,
): DialogueCut {
  const end = findFirstKept(dialogue, kept);
  let tried = dialogueCut;
  for (let index = dialogueCut.shortened + 1; index <= end; index += 1) {
    tried = { ...dialogueCut, shortened: index };
    if (isSmall(tried)) return tried;
  }
  for (const index of findReplies(dialogue).filter(
    (index) => index > Math.max(1, dialogueCut.dropped) && index <= end,
  )) {
    tried = { ...tried, dropped: index };
    if (isSmall(tried)) return tried;
  }
  return tried;
}

/** The first entry of the newest rounds: each a reply with its results. */
function findFirstKept(dialogue: Dialogue, kept: number): number {
  return kept === 0 ? dialogue.entries.length : (findReplies(dialogue).at(-kept) ?? 1);
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
