/** A document as the entry of a log. */
import { lineReader } from '../logs/read-line.ts';
import { type LogRecord, levelOf, recordOf } from '../logs/record.ts';
import { parseTime } from '../logs/timestamp.ts';
import { type Fields, valueAt } from './fields.ts';

/** Characters of a stack trace that ECS keeps apart from the message. */
const maxStack = 4_000;
const thrownFields = ['error.message', 'exception.message', 'attributes.exception.message'];
const stackFields = ['error.stack_trace', 'exception.stacktrace', 'attributes.exception.stacktrace'];

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;

export function recordOfDocument(
  source: Readonly<Record<string, unknown>>,
  sortedAt: number | null,
  fields: Fields,
): LogRecord {
  const first = (names: readonly string[]): string | null => {
    for (const name of names) {
      const text = textOf(valueAt(source, name));
      if (text !== null) return text;
    }
    return null;
  };
  const said = first(fields.messages);
  // Containers write JSON and logfmt, which a shipper may have passed on unparsed.
  const logRecord = said === null ? recordOf(source) : readOwn(said);
  const thrown = first(thrownFields);
  const stack = first(stackFields);
  const message = [logRecord.message, thrown !== null && !logRecord.message.includes(thrown) ? thrown : '']
    .filter((part) => part !== '')
    .join(': ');
  return {
    at: sortedAt ?? parseTime(valueAt(source, fields.time)),
    service: first(fields.services.map(({ name }) => name)) ?? logRecord.service,
    level: levelOf(first(fields.levels.map(({ name }) => name))) ?? logRecord.level,
    message: stack === null || message.includes(stack) ? message : `${message}\n${stack.slice(0, maxStack)}`,
    // Fields that a log shipper adds about machines and agents are left out.
    fields: said === null ? {} : logRecord.fields,
  };
}

function readOwn(text: string): LogRecord {
  let found: LogRecord | null = null;
  const reader = lineReader((record) => {
    found ??= record;
  });
  for (const line of text.split('\n')) reader.push(line);
  reader.end();
  return (found as LogRecord | null) ?? { at: null, service: null, level: null, message: text, fields: {} };
}
