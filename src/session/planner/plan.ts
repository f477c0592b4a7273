/**
 * Decides without a model: searches the pages for the person's words, and quotes what it finds with its place. It draws
 * no conclusion, and the answer says so.
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

/** Maximum passages that are quoted, and maximum characters of each. */
const maxPassages = 5;
const maxPassageLength = 600;
/** Maximum pages that are read for the text below a heading. */
const maxPages = 3;
const maxQueryLength = 2000;

export const planWithoutModel: Plan = (messages) => {
  const lastIndex = messages.findLastIndex(({ kind }) => kind === 'user');
  const question = messages[lastIndex];
  const results = messages.slice(lastIndex).filter((each) => each.kind === 'tool');
  const searchResult = results.find(({ name }) => name === 'search_pages');
  // A message of an earlier version does not list its finds, so the search is repeated.
  const hasSearched = searchResult?.ok === false || results.some(({ found }) => found !== undefined);
  if (question?.kind === 'user' && !hasSearched)
    return callTools('search_pages', [{ query: toQuery(question.text), k: maxPassages }]);
  if (searchResult === undefined) return answerWith('There is no question to search for.');
  if (!searchResult.ok) return answerWith(`The search failed: ${unquoteText(searchResult.text)}`);
  const hits = results.find(({ found }) => found !== undefined)?.found?.slice(0, maxPassages) ?? [];
  if (hits.length === 0) return answerWith('No page holds words of your message.');
  const blockResults = results.filter(({ name }) => name === 'read_block');
  const blocks = hits.flatMap(({ block }) => (block === null ? [] : [{ block }]));
  if (blockResults.length === 0 && blocks.length > 0) return callTools('read_block', blocks);
  const foundPassages = hits.flatMap((hit) => toPassage(hit, blockResults) ?? []);
  // If a heading matched, the answer may be below it, which the search has not shown.
  const headingPages = foundPassages.filter(({ text }) => isHeading(text)).map(({ page }) => page);
  const pages = [...new Set(headingPages)].slice(0, maxPages);
  const readPages = results.filter(({ name }) => name === 'read_page');
  if (readPages.length === 0 && pages.length > 0)
    return callTools(
      'read_page',
      pages.map((page) => ({ page })),
    );
  const passages = foundPassages.map((passage) => {
    const pageResult = readPages.find(({ ok, reads }) => ok && reads?.includes(passage.page) === true);
    if (pageResult === undefined || !isHeading(passage.text)) return passage;
    return { ...passage, text: findSection(unquoteText(pageResult.text), passage.text) ?? passage.text };
  });
  return answerWith(
    [
      'These passages of your pages are nearest to your words:',
      ...passages.map(
        ({ path, id, text }, n) => `${n + 1}. ${plainLine(path)} [${id}]\n${formatQuote(text)}`,
      ),
    ].join('\n\n'),
  );
};

type ToolResult = Extract<Message, { kind: 'tool' }>;

interface Passage {
  readonly path: string;
  readonly page: string;
  /** The id of the block, or else of the page. */
  readonly id: string;
  readonly text: string;
}

const isHeading = (text: string): boolean => /^#+ .*$/.test(text);

/** Null if its block could not be read. */
function toPassage(
  { path, page, block, snippet }: FoundPlace,
  blockResults: readonly ToolResult[],
): Passage | null {
  const snippetText = snippet.replace(/\s+/g, ' ').trim();
  if (block === null) return { path, page, id: page, text: snippetText };
  const blockResult = blockResults.find(({ ok, reads }) => ok && reads?.includes(block) === true);
  if (blockResult === undefined) return null;
  const text = extractBlock(unquoteText(blockResult.text));
  // A heading shows the place; the matched text is below it.
  return {
    path,
    page,
    id: block,
    text: isHeading(text) && snippetText !== text ? `${text}\n${snippetText}` : text,
  };
}

/** The heading with the text below it, up to the next heading; null if the page does not have it. */
function findSection(page: string, heading: string): string | null {
  const lines = page.split('\n').map((line) => line.replace(/^#\d+(?: \([^)]*\):)? /, ''));
  const start = lines.indexOf(heading);
  if (start === -1) return null;
  const sectionLength = lines.slice(start + 1).findIndex(isHeading);
  return lines.slice(start, sectionLength === -1 ? undefined : start + 1 + sectionLength).join('\n');
}

/** Words that belong to the phrasing of a question; a query of nothing else is left unchanged. */
const questionWords =
  /\b(?:a|about|an|and|any|are|can|did|do|does|for|have|how|i|in|is|it|me|my|of|on|or|please|say|show|tell|that|the|there|to|was|we|were|what|when|where|which|who|why|with|you|your)\b/gi;

function toQuery(text: string): string {
  const words = text
    .replace(questionWords, ' ')
    .replace(/[?!\s]+/g, ' ')
    .trim();
  return (words === '' ? text.trim() : words).slice(0, maxQueryLength);
}

const noModel = 'No model is configured, so I can search and quote, and conclude nothing.';

const answerWith = (text: string): Decision => ({ text: `${text}\n\n${noModel}`, calls: [] });

const callTools = (name: string, args: readonly ToolCallMessage['args'][]): Decision => ({
  text: '',
  calls: args.map((each) => ({ name, args: each })),
});

/**
 * The text of a block from the result of `read_block`, which has the id in the first line and the place in the last.
 */
function extractBlock(text: string): string {
  return text.split('\n').slice(1, -1).join('\n').trim();
}

function formatQuote(text: string): string {
  const shortText = text.length > maxPassageLength ? `${text.slice(0, maxPassageLength).trimEnd()}…` : text;
  return shortText
    .split('\n')
    .map((line) => `   > ${plainLine(line)}`)
    .join('\n');
}
