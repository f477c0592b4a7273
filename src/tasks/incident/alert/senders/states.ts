/** Derives the state of an alert from the words that senders use for it. */
import type { Alert } from '../alert.ts';

const endWords =
  /^(?:ok|okay|normal|resolved?|recover(?:ed|y)|close[ds]?|delete[ds]?|success|green|up|cleared?|inactive)$/i;
/** Words for messages that do not change whether the alert fires, such as `acknowledged` or `test`. */
const noteWords =
  /^(?:ack(?:nowledged?)?|un-?ack(?:nowledged?)?|annotated|note|add_?note|add_?tags?|assign(?:ed|_?ownership)?|delegated|escalated?|reassigned|snoozed?|priority_updated|comment(?:ed)?|archived|ignored|muted|silenced|insufficient_data|test)$/i;

export const parseState = (...texts: readonly (string | null | undefined)[]): Alert['state'] => {
  const words = texts.flatMap((text) => (text == null ? [] : [text.trim()]));
  if (words.some((word) => endWords.test(word))) return 'resolved';
  return words.some((word) => noteWords.test(word)) ? 'note' : 'firing';
};
