/** Decides what to do with one note, from the texts of its file and its page and the last text that both had. Pure. */
import { mergeBlocks } from '../merge/index.ts';

/** Null: there is no file, no page, or no common text. */
export interface NoteSides {
  readonly base: string | null;
  readonly file: string | null;
  readonly page: string | null;
  /** The file's text in the open conflict of the note. */
  readonly held?: string | null;
  /** True: the page differs only in links to pages that have moved. */
  readonly onlyLinks?: boolean;
}

/**
 * pull: copy the file to the page. push: copy the page to the file. merge: write `text` to both. adopt: record that
 * both are equal. wait: leave the open conflict in the inbox. forget: both are deleted, so drop the record.
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
