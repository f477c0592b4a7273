/** The words with which senders say that something began, ended, or goes on. */
import type { Alert } from '../alert.ts';

const over =
  /^(?:ok|okay|normal|resolved?|recover(?:ed|y)|close[ds]?|delete[ds]?|success|green|up|cleared?|inactive)$/i;
/** Words for actions on an alert (such as acknowledged), and for reminders of one that still fires. */
const notes =
  /^(?:ack(?:nowledged?)?|un-?ack(?:nowledged?)?|annotated|note|add_?note|add_?tags?|assign(?:ed|_?ownership)?|delegated|escalated?|reassigned|snoozed?|priority_updated|comment(?:ed)?|archived|ignored|muted|silenced|insufficient_data|test)$/i;

export const stateIn = (...said: readonly (string | null | undefined)[]): Alert['state'] => {
  const words = said.flatMap((one) => (one == null ? [] : [one.trim()]));
  if (words.some((word) => over.test(word))) return 'resolved';
  return words.some((word) => notes.test(word)) ? 'note' : 'firing';
};
