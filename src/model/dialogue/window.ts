/**
 * Keeps a dialogue within its model's window. When it is too full it is cut to half of the window at once, since each
 * cut makes the cache useless behind it. Results go first, then whole rounds; the newest two rounds stay while the
 * last one fits with the one before it; a person's words stay, unless they have a short form. Each cut is recorded,
 * so that a resumed run sends the same bytes.
 */
import type { Dialogue, DialogueCut, Entry } from './dialogue.ts';
import { estimateDialogue } from './measure.ts';
import type { SentBefore } from './turn.ts';

/** Shorter results stay: a notice would be no shorter. Characters. */
const minShortened = 400;
/** When the window is fuller than the first share, the dialogue is cut until it fills no more than the second. */
const full = 0.9;
const half = 0.5;
/** The newest rounds that are kept: normally, and if the window is too small for that. */
const keptRounds = 2;
const minRounds = 1;

/** The part of the dialogue that is sent. */
export function applyCut(dialogue: Dialogue, { shortened, dropped }: DialogueCut): Dialogue {
  if (shortened === 0 && dropped <= 1) return dialogue;
  const [first, ...rest] = dialogue.entries;
  if (first === undefined) return dialogue;
  const left = Math.max(0, dropped - 1);
  const before = rest.slice(0, left);
  const rounds = before.filter(({ kind }) => kind === 'reply').length;
  const opening: Entry =
    rounds > 0 && first.kind === 'user'
      ? { kind: 'user', text: `${first.text}${leftOutNote(rounds)}` }
      : first;
  const entries = rest.slice(left).map((entry, n) => (n + left + 1 < shortened ? short(entry) : entry));
  const words = before.filter((entry) => entry.kind === 'user' && entry.brief === undefined);
  return { ...dialogue, entries: [opening, ...words, ...entries] };
}

const leftOutNote = (rounds: number): string => `\n\n(${rounds} earlier rounds are left out, to make room.)`;

function short(entry: Entry): Entry {
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

/** Decides where to cut a dialogue now: as before while there is room. `window`: available input tokens. */
export function nextCut(dialogue: Dialogue, dialogueCut: DialogueCut, window: number): DialogueCut {
  const room = Math.min(window, dialogueCut.window ?? Infinity);
  const size = (tried: DialogueCut) =>
    estimateDialogue(applyCut(dialogue, tried)) * (dialogueCut.perGuess ?? 1);
  if (size(dialogueCut) <= room * full) return dialogueCut;
  return firstOf(
    dialogue,
    dialogueCut,
    [keptRounds, (tried) => size(tried) <= room * half],
    [keptRounds, (tried) => size(tried) <= room * full],
    [minRounds, (tried) => size(tried) <= room * full],
  );
}

type Wish = readonly [kept: number, isSmall: (cut: DialogueCut) => boolean];

/** The cut for the first size that can be reached; the largest cut where none can. */
function firstOf(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  ...wishes: readonly [Wish, ...Wish[]]
): DialogueCut {
  let tried = dialogueCut;
  for (const [kept, isSmall] of wishes) {
    tried = smaller(dialogue, dialogueCut, isSmall, kept);
    if (isSmall(tried)) return tried;
  }
  return tried;
}

/** The dialogue with everything cut but the newest rounds. */
export function minLength(dialogue: Dialogue, dialogueCut: DialogueCut, kept = keptRounds): Dialogue {
  return applyCut(
    dialogue,
    smaller(dialogue, dialogueCut, () => false, kept),
  );
}

/** The smallest cut that the budget can pay for; the largest possible one if it can pay for none. */
export function payableCut(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  pays: (cut: DialogueCut) => boolean,
): DialogueCut {
  return pays(dialogueCut) ? dialogueCut : smaller(dialogue, dialogueCut, pays, minRounds);
}

/**
 * After a model refused a request as longer than its window: at most half of what was sent. Null where
 * nothing more can give way.
 */
export function afterOverflow(dialogue: Dialogue, dialogueCut: DialogueCut): DialogueCut | null {
  const sent = estimateDialogue(applyCut(dialogue, dialogueCut));
  const isHalf = (tried: DialogueCut) => estimateDialogue(applyCut(dialogue, tried)) <= sent * half;
  const next = firstOf(dialogue, dialogueCut, [keptRounds, isHalf], [minRounds, isHalf]);
  const gave = next.shortened > dialogueCut.shortened || next.dropped > dialogueCut.dropped;
  if (!gave || estimateDialogue(applyCut(dialogue, next)) >= sent) return null;
  return { ...next, window: Math.floor(sent * (dialogueCut.perGuess ?? 1)) };
}

/** The smallest cut that fits; the largest possible one if none does. */
function smaller(
  dialogue: Dialogue,
  dialogueCut: DialogueCut,
  isSmall: (cut: DialogueCut) => boolean,
  kept = keptRounds,
): DialogueCut {
  const end = findFirstKept(dialogue, kept);
  let tried = dialogueCut;
  for (let at = dialogueCut.shortened + 1; at <= end; at += 1) {
    tried = { ...dialogueCut, shortened: at };
    if (isSmall(tried)) return tried;
  }
  for (const at of repliesIn(dialogue).filter(
    (one) => one > Math.max(1, dialogueCut.dropped) && one <= end,
  )) {
    tried = { ...tried, dropped: at };
    if (isSmall(tried)) return tried;
  }
  return tried;
}

/** The first entry of the newest rounds: each a reply with its results. */
function findFirstKept(dialogue: Dialogue, kept: number): number {
  return kept === 0 ? dialogue.entries.length : (repliesIn(dialogue).at(-kept) ?? 1);
}

/** The indexes of the replies, at which rounds begin. */
function repliesIn({ entries }: Dialogue): readonly number[] {
  return entries.flatMap(({ kind }, at) => (kind === 'reply' ? [at] : []));
}

/** How the estimate compares with a reported usage; the cut unchanged where none was reported. */
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

/**
 * The counts of the beginning that are still valid after this cut. If later cuts removed more, only the first message
 * is the same.
 */
export function beforeCut({ shortened, dropped, sent, first }: DialogueCut): {
  readonly before?: SentBefore;
} {
  if (sent?.shortened === shortened && sent.dropped === dropped) return { before: sent };
  if (first === undefined) return {};
  return { before: { entries: 1, input: first + (dropped > 1 ? leftOutBytes : 0) } };
}
