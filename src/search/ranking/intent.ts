/**
 * The kind of a query, judged by its form. `question`: somebody wants to understand. `report`: an issue, a commit
 * message or a trace, for which the user looks for the code. `keywords`: a few words.
 */
export type Intent = 'question' | 'report' | 'keywords';

/** Maximum characters of a question. A longer text that ends with a question mark is a report that asks for help. */
const maxQuestionLength = 600;
const maxKeywordsLength = 120;
const interrogative = /^(what|how|why|where|which|when|who|does|is|are|can)\b/i;

export function classifyIntent(query: string): Intent {
  const text = query.trim();
  if (text.length < maxQuestionLength && (text.endsWith('?') || interrogative.test(text))) return 'question';
  return text.includes('\n') || text.length > maxKeywordsLength ? 'report' : 'keywords';
}
