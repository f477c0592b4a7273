import { limitDepth } from './cut.ts';
import { fieldsIn, isFields, textIn } from './fields.ts';

/** Only senders with short messages number their deliveries. Characters. */
const maxLength = 300_000;
const mayHaveId = /"event"\s*:\s*\{|"MessageId"\s*:/;

/** The id of the delivery, the same each time it is repeated; null if the sender does not number deliveries. */
export function readDeliveryId(sent: string): string | null {
  if (sent.length > maxLength || !mayHaveId.test(sent)) return null;
  let payload: unknown;
  try {
    payload = JSON.parse(limitDepth(sent) ?? '');
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
