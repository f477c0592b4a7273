/**
 * Decides what to do with one note, from three texts: of the file, of the page, and the last text that both shared.
 * Pure.
 */
import { mergeBlocks } from '../merge/index.ts';

/** The three texts; null if there is no file, no page, or no shared text. */
export interface NoteSides {
  readonly base: string | null;
  readonly file: string | null;
  readonly page: string | null;
  /** The text of the file in a conflict that waits for a decision. */
  readonly held?: string | null;
  /** Whether the page differs only in links to pages that have moved. */
  readonly onlyLinks?: boolean;
}

/**
 * pull, push: copy to the page or to the file, creating it if necessary. merge: write `text` to both. adopt: record
 * that both are the same. wait: the conflict in the inbox is unchanged. forget: both are deleted.
 */
export type NoteAct =
  | { readonly kind: 'nothing' | 'adopt' | 'pull' | 'push' | 'conflict' | 'wait' | 'forget' }
  | { readonly kind: 'delete_page' | 'delete_file' }
  | { readonly kind: 'merge'; readonly text: string };

type SimpleKind = Exclude<NoteAct['kind'], 'merge'>;
const noteAct = (kind: SimpleKind): NoteAct => ({ kind });

/**
 * | file \ page | as agreed | changed | gone |
 * |---|---|---|---|
 * | as agreed | nothing | push | delete the file |
 * | changed | pull | merge, or conflict | pull: an edit outlives a deletion |
 * | gone | delete the page | push, likewise | forget |
 */
export function decideNote(sides: NoteSides): NoteAct {
  const { base, file, page, held = null, onlyLinks = false } = sides;
  if (file === page) return noteAct(file === null ? 'forget' : file === base ? 'nothing' : 'adopt');
  if (page === null) return noteAct(file === base ? 'delete_file' : 'pull');
  if (file === null) return noteAct(page === base ? 'delete_page' : 'push');
  if (file === base) return noteAct('push');
  if (page === base) return noteAct('pull');
  const merged = base === null ? null : mergeBlocks({ base, ours: page, theirs: file });
  if (merged?.kind === 'merged') return { kind: 'merge', text: merged.text };
  if (onlyLinks) return noteAct('pull');
  return noteAct(held === file ? 'wait' : 'conflict');
}
