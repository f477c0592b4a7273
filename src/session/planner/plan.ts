/**
 * Decisions without a model: the pages are searched for the person's words, and results are quoted with their place.
 * It draws no conclusion, and the answer says so.
 */
import { plainLine, unquoteText } from '../../core/index.ts';
import type { FoundPlace, Message, ToolCallMessage } from '../history/messages.ts';

/** An answer, or calls of tools. */
export interface Decision {
  readonly text: string;
  readonly calls: readonly Pick<ToolCallMessage, 'name' | 'args'>[];
}

/** A planner that is a function of the conversation. */
export type Plan = (messages: readonly Message[]) => Decision;

/** Passages that are quoted, and characters of each. */
const maxPassages = 5;
const maxPassageLength = 600;
/** Pages that are read for what stands below a heading. */
const maxPages = 3;
const maxQueryLength = 2000;

export const planWithoutModel: Plan = (messages) => {
  const lastIndex = messages.findLastIndex(({ kind }) => kind === 'user');
  const question = messages[lastIndex];
  const results = messages.slice(lastIndex).filter((each) => each.kind === 'tool');
  const searched = results.find(({ name }) => name === 'search_pages');
  // A message of an earlier version does not list its finds, so the search is repeated.
  const known = searched?.ok === false || results.some(({ found }) => found !== undefined);
  if (question?.kind === 'user' && !known)
    return call('search_pages', [{ query: queryOf(question.text), k: maxPassages }]);
  if (searched === undefined) return say('There is no question to search for.');
  if (!searched.ok) return say(`The search failed: ${unquoteText(searched.text)}`);
  const hits = results.find(({ found }) => found !== undefined)?.found?.slice(0, maxPassages) ?? [];
  if (hits.length === 0) return say('No page holds words of your message.');
  const read = results.filter(({ name }) => name === 'read_block');
  const blocks = hits.flatMap(({ block }) => (block === null ? [] : [{ block }]));
  if (read.length === 0 && blocks.length > 0) return call('read_block', blocks);
  const found = hits.flatMap((hit) => passageOf(hit, read) ?? []);
  // The words of a heading found it: what answers stands below, and the search has not shown it.
  const bare = found.filter(({ text }) => isHeading(text)).map(({ page }) => page);
  const pages = [...new Set(bare)].slice(0, maxPages);
  const whole = results.filter(({ name }) => name === 'read_page');
  if (whole.length === 0 && pages.length > 0)
    return call(
      'read_page',
      pages.map((page) => ({ page })),
    );
  const passages = found.map((passage) => {
    const page = whole.find(({ ok, reads }) => ok && reads?.includes(passage.page) === true);
    if (page === undefined || !isHeading(passage.text)) return passage;
    return { ...passage, text: sectionOf(unquoteText(page.text), passage.text) ?? passage.text };
  });
  return say(
    [
      'These passages of your pages are nearest to your words:',
      ...passages.map(({ path, id, text }, n) => `${n + 1}. ${plainLine(path)} [${id}]\n${quote(text)}`),
    ].join('\n\n'),
  );
};

type ToolResult = Extract<Message, { kind: 'tool' }>;

interface Passage {
  readonly path: string;
  readonly page: string;
  /** Of the block; else of the page. */
  readonly id: string;
  readonly text: string;
}

const isHeading = (text: string): boolean => /^#+ .*$/.test(text);

/** Null: its block could not be read. */
function passageOf({ path, page, block, snippet }: FoundPlace, read: readonly ToolResult[]): Passage | null {
  const near = snippet.replace(/\s+/g, ' ').trim();
  if (block === null) return { path, page, id: page, text: near };
  const found = read.find(({ ok, reads }) => ok && reads?.includes(block) === true);
  if (found === undefined) return null;
  const text = blockIn(unquoteText(found.text));
  // A heading shows the place; the matched text is below it.
  return { path, page, id: block, text: isHeading(text) && near !== text ? `${text}\n${near}` : text };
}

/** The heading with what stands below it, up to the next one; null if the page does not have it. */
function sectionOf(page: string, heading: string): string | null {
  const lines = page.split('\n').map((line) => line.replace(/^#\d+(?: \([^)]*\):)? /, ''));
  const start = lines.indexOf(heading);
  if (start === -1) return null;
  const length = lines.slice(start + 1).findIndex(isHeading);
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** Words that belong to the phrasing of a question; a query of nothing else is left unchanged. */
const questionWords =
  /\b(?:a|about|an|and|any|are|can|did|do|does|for|have|how|i|in|is|it|me|my|of|on|or|please|say|show|tell|that|the|there|to|was|we|were|what|when|where|which|who|why|with|you|your)\b/gi;

function queryOf(text: string): string {
  const words = text
    .replace(questionWords, ' ')
    .replace(/[?!\s]+/g, ' ')
    .trim();
  return (words === '' ? text.trim() : words).slice(0, maxQueryLength);
}

const noModel = 'No model is configured, so I can search and quote, and conclude nothing.';

const say = (text: string): Decision => ({ text: `${text}\n\n${noModel}`, calls: [] });

const call = (name: string, args: readonly ToolCallMessage['args'][]): Decision => ({
  text: '',
  calls: args.map((each) => ({ name, args: each })),
});

/** In the form of `read_block`: the id, the text, and a line with its place. */
function blockIn(text: string): string {
  return text.split('\n').slice(1, -1).join('\n').trim();
}

function quote(text: string): string {
  const cut = text.length > maxPassageLength ? `${text.slice(0, maxPassageLength).trimEnd()}…` : text;
  return cut
    .split('\n')
    .map((line) => `   > ${plainLine(line)}`)
    .join('\n');
}
