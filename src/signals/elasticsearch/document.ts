/** Converts a document to a log record. */
import { lineReader } from '../logs/read-line.ts';
import { type LogRecord, levelOf, recordOf } from '../logs/record.ts';
import { parseTime } from '../logs/timestamp.ts';
import { type Fields, valueAt } from './fields.ts';

/** Maximum characters of a stack trace, which ECS keeps in a field of its own. */
const maxStack = 4_000;
const errorFields = ['error.message', 'exception.message', 'attributes.exception.message'];
const stackFields = ['error.stack_trace', 'exception.stacktrace', 'attributes.exception.stacktrace'];

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;

export function recordOfDocument(
  source: Readonly<Record<string, unknown>>,
  sortedAt: number | null,
  fields: Fields,
): LogRecord {
  const firstText = (names: readonly string[]): string | null => {
    for (const name of names) {
      const text = textOf(valueAt(source, name));
      if (text !== null) return text;
    }
    return null;
  };
  const messageText = firstText(fields.messages);
  // Containers write JSON and logfmt, which a shipper may have passed on unparsed.
  const logRecord = messageText === null ? recordOf(source) : readRecord(messageText);
  const errorMessage = firstText(errorFields);
  const stack = firstText(stackFields);
  const message = [
    logRecord.message,
    errorMessage !== null && !logRecord.message.includes(errorMessage) ? errorMessage : '',
  ]
    .filter((part) => part !== '')
    .join(': ');
  return {
    at: sortedAt ?? parseTime(valueAt(source, fields.time)),
    service: firstText(fields.services.map(({ name }) => name)) ?? logRecord.service,
    level: levelOf(firstText(fields.levels.map(({ name }) => name))) ?? logRecord.level,
    message: stack === null || message.includes(stack) ? message : `${message}\n${stack.slice(0, maxStack)}`,
    // Fields that a log shipper adds about machines and agents are left out.
    fields: messageText === null ? {} : logRecord.fields,
  };
}

function readRecord(text: string): LogRecord {
  let firstRecord: LogRecord | null = null;
  const reader = lineReader((record) => {
    firstRecord ??= record;
  });
  for (const line of text.split('\n')) reader.push(line);
  reader.end();
  return (
    (firstRecord as LogRecord | null) ?? { at: null, service: null, level: null, message: text, fields: {} }
  );
}
