/**
 * Decides what to do with one note, from three texts: of the file, of the page, and of both when they were last the
 * same. Pure.
 */
import { mergeBlocks } from '../merge/index.ts';

/** Texts; null if there is no file, no page, or no time at which both were the same. */
export interface NoteSides {
  readonly base: string | null;
  readonly file: string | null;
  readonly page: string | null;
  /** The text of the file in a conflict that waits for a decision. */
  readonly held?: string | null;
  /** Whether the page differs only in links, whose pages have moved since. */
  readonly onlyLinks?: boolean;
}

/**
 * pull, push: copy to the page or to the file, creating it if necessary. merge: write `text` to both. adopt: both are
 * the same. wait: the conflict in the inbox is still the same. forget: both are gone.
 */
export type NoteAct =
  | { readonly kind: 'nothing' | 'adopt' | 'pull' | 'push' | 'conflict' | 'wait' | 'forget' }
  | { readonly kind: 'delete_page' | 'delete_file' }
  | { readonly kind: 'merge'; readonly text: string };

type Plain = Exclude<NoteAct['kind'], 'merge'>;
const act = (kind: Plain): NoteAct => ({ kind });

/**
 * | file \ page | as agreed | changed | gone |
 * |---|---|---|---|
 * | as agreed | nothing | push | delete the file |
 * | changed | pull | merge, or conflict | pull: an edit outlives a deletion |
 * | gone | delete the page | push, likewise | forget |
 */
export function decideNote(sides: NoteSides): NoteAct {
  const { base, file, page, held = null, onlyLinks = false } = sides;
  if (file === page) return act(file === null ? 'forget' : file === base ? 'nothing' : 'adopt');
  if (page === null) return act(file === base ? 'delete_file' : 'pull');
  if (file === null) return act(page === base ? 'delete_page' : 'push');
  if (file === base) return act('push');
  if (page === base) return act('pull');
  const merged = base === null ? null : mergeBlocks({ base, ours: page, theirs: file });
  if (merged?.kind === 'merged') return { kind: 'merge', text: merged.text };
  if (onlyLinks) return act('pull');
  return act(held === file ? 'wait' : 'conflict');
}
