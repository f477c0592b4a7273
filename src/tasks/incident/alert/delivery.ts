import { shallowJson } from './cut.ts';
import { fieldsIn, isFields, textIn } from './fields.ts';

/** Messages of the senders that number their deliveries are no longer than this. Characters. */
const maxLength = 300_000;
const mayBe = /"event"\s*:\s*\{|"MessageId"\s*:/;

/** Which delivery a message says that it is, the same however often it comes; null if its sender does not number them. */
export function deliveryIn(sent: string): string | null {
  if (sent.length > maxLength || !mayBe.test(sent)) return null;
  let payload: unknown;
  try {
    payload = JSON.parse(shallowJson(sent) ?? '');
  } catch {
    return null;
  }
  if (!isFields(payload)) return null;
  const topic = textIn(payload, 'TopicArn');
  const message = textIn(payload, 'MessageId');
  if (topic !== null && message !== null) return `sns ${topic} ${message}`;
  const event = fieldsIn(payload['event']);
  const id = textIn(event, 'id');
  return id !== null && textIn(event, 'event_type') !== null ? `pagerduty ${id}` : null;
}
