/** Of plain JSON that wraps what it tells: where the alert itself stands. */
import { type Fields, isFields, textIn } from './fields.ts';

/** What an alert in plain JSON is called by. */
export const ownNames = ['alertname', 'alert_name', 'monitor', 'name', 'title', 'rule', 'check'] as const;
/** As senders call it within what they wrap. */
const innerNames = [
  ...ownNames,
  'alertRule',
  'condition_name',
  'policy_name',
  'AlarmName',
  'Subject',
  'message',
] as const;

/** These have a name, too: of whom it comes from, whom it goes to, and what it is about. */
const others =
  /^(?:actor|sender|user|owner|author|creator|assignees?|responders?|org|organi[sz]ation|account|team|installation|integration|application|project|repository|receiver|monitor_group|labels|tags|links?|host|service|environment)$/i;

const maxDepth = 4;
const maxLooked = 200;

/**
 * The payload with the fields of what it wraps, where it has no name of its own: its own fields count first. Looked for
 * level by level, so that what stands further out counts before what stands further in.
 */
export function unwrapped(payload: Fields): Fields {
  if (textIn(payload, ...ownNames) !== null) return payload;
  let level: readonly Fields[] = [payload];
  let looked = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: Fields[] = [];
    for (const fields of level)
      for (const [name, held] of Object.entries(fields)) {
        if (++looked > maxLooked) return payload;
        if (isFields(held) && !others.test(name)) next.push(held);
      }
    const found = next.find((fields) => textIn(fields, ...innerNames) !== null);
    if (found !== undefined) return { ...found, name: textIn(found, ...innerNames), ...payload };
    level = next;
  }
  return payload;
}
