/** Finds the alert inside plain JSON that wraps it. */
import { type Fields, isFields, textIn } from './fields.ts';

/** Fields that name an alert in plain JSON. */
export const ownNames = ['alertname', 'alert_name', 'monitor', 'name', 'title', 'rule', 'check'] as const;
/** Names that senders give to the wrapped alert. */
const innerNames = [
  ...ownNames,
  'alertRule',
  'condition_name',
  'policy_name',
  'AlarmName',
  'Subject',
  'message',
] as const;

/** Names that programs build: trigger_name, ruleTitle, ConditionName. */
const builtName =
  /^(?:alert|rule|trigger|check|condition|policy|monitor|alarm|problem|event|incident)_?(?:name|title|rule)$/i;
const builtId = /^(?:rule|trigger|condition|monitor|check|policy|alarm)_?(?:uu|u)?id$/i;

const textByName = (payload: Fields, built: RegExp): string | null =>
  textIn(payload, ...Object.keys(payload).filter((name) => built.test(name)));

/** The name of an alert in plain JSON; null if it has none. */
export const nameIn = (payload: Fields): string | null =>
  textIn(payload, ...ownNames) ?? textByName(payload, builtName);

/** The id of the rule that fired, if the payload has one. */
export const ruleIdIn = (payload: Fields): string | null => textByName(payload, builtId);

/** Parts of a message that also have a name, but are not the alert: the sender, the receiver, the subject. */
const nonAlertParts =
  /^(?:actor|sender|user|owner|author|creator|assignees?|responders?|org|organi[sz]ation|account|team|installation|integration|application|project|repository|receiver|monitor_group|labels|tags|links?|host|service|environment)$/i;

const maxDepth = 4;
const maxObjects = 200;

/**
 * The payload together with the fields of the objects it wraps, if it has no name itself. Its own fields have priority.
 * The search goes level by level, so that outer fields win over inner ones.
 */
export function unwrap(payload: Fields): Fields {
  if (nameIn(payload) !== null) return payload;
  let level: readonly Fields[] = [payload];
  let objectCount = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: Fields[] = [];
    for (const fields of level)
      for (const [name, value] of Object.entries(fields)) {
        if (++objectCount > maxObjects) return payload;
        if (isFields(value) && !nonAlertParts.test(name)) next.push(value);
      }
    const found = next.find((fields) => textIn(fields, ...innerNames) !== null);
    if (found !== undefined) return { ...found, name: textIn(found, ...innerNames), ...payload };
    level = next;
  }
  return payload;
}
