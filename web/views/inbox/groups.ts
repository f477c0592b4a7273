/** Groups the items of the inbox by conversation, and within it by page. */
import type { InboxItem, ThreadSummary } from '../../api/types.ts';

export interface Group {
  readonly key: string;
  readonly title: string;
  readonly thread: string | null;
  readonly pages: readonly { readonly path: string; readonly items: readonly InboxItem[] }[];
}

export function groupsOf(items: readonly InboxItem[], threads: readonly ThreadSummary[]): readonly Group[] {
  const titles = new Map(threads.map(({ id, title }) => [id, title]));
  return [...Map.groupBy(items, ({ thread }) => thread)].map(([thread, of]) => ({
    key: thread ?? '',
    thread,
    title:
      thread === null
        ? of.every(({ kind }) => kind === 'flag')
          ? 'Look again'
          : 'Outside of conversations'
        : titles.get(thread) || `Conversation ${thread}`,
    pages: [...Map.groupBy(of, ({ path }) => path)].map(([path, waiting]) => ({ path, items: waiting })),
  }));
}

/** In the order in which they are shown. */
export const inOrder = (groups: readonly Group[]): readonly InboxItem[] =>
  groups.flatMap(({ pages }) => pages.flatMap(({ items }) => items));

/** The decision that an item asks for, in one or two words. */
export function nameOf({ kind, before, after, conflicts }: InboxItem): string {
  if (kind === 'flag') return 'Look again';
  if (conflicts.length > 0) return 'Conflict';
  if (before === null) return 'New';
  return after === null ? 'Removal' : 'Change';
}

/** Only the text of a block can be edited here; a whole page has its own editor. */
export const isBlock = ({ content_id }: InboxItem): boolean => content_id.startsWith('bl-');

/** The first words of what it is about. */
export function gistOf({ text, after, before, note }: InboxItem): string {
  return wordsOf(text ?? after ?? before ?? note) || note.slice(0, 140);
}

/** The first line that says something, without its Markdown. */
export function wordsOf(text: string): string {
  const line = text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .split('\n')
    .find((one) => one.trim() !== '');
  return (line ?? '')
    .replace(/^[\s#>*+-]+/, '')
    .replace(/\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/\*\*|__|`/g, '')
    .slice(0, 140);
}
