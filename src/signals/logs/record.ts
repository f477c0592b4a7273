/** A log entry, independent of the format in which it was written. */
import { parseTime } from './timestamp.ts';

export interface LogRecord {
  /** Milliseconds since the Unix epoch; null if no time can be read. */
  readonly at: number | null;
  readonly service: string | null;
  /** Upper case: TRACE, DEBUG, INFO, WARN, ERROR, FATAL. */
  readonly level: string | null;
  readonly message: string;
  /** Further fields of a structured entry. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const timeNames = [
  'timestamp',
  '@timestamp',
  'time',
  'ts',
  'at',
  'date',
  'datetime',
  'eventTime',
  't',
  'asctime',
];
const messageNames = ['msg', 'message', 'body', 'log', 'event', 'text', 'MESSAGE', '@message'];
const levelNames = [
  'severity_text',
  'level',
  'severity',
  'lvl',
  'loglevel',
  'log.level',
  'levelname',
  'severityText',
  '@level',
];
const serviceNames = [
  'service',
  'service.name',
  'service_name',
  'app',
  'application',
  'job',
  'container',
  'component',
  'logger',
  'unit',
];

/** The log record in an object, by the usual names of its fields. */
export function recordOf(value: Readonly<Record<string, unknown>>): LogRecord {
  const usedNames = new Set<string>();
  const takeFirst = (names: readonly string[]): unknown => {
    for (const name of names) {
      const fieldValue = name in value ? value[name] : readNested(value, name);
      if (fieldValue === undefined || fieldValue === null || fieldValue === '') continue;
      usedNames.add(name in value ? name : name.split('.')[0]!);
      return fieldValue;
    }
    return null;
  };
  const at = parseTime(takeFirst(timeNames));
  const message = takeFirst(messageNames);
  const level = takeFirst(levelNames);
  const service = takeFirst(serviceNames);
  const fields = Object.fromEntries(Object.entries(value).filter(([name]) => !usedNames.has(name)));
  return {
    at,
    service: typeof service === 'string' ? service : (nameOf(service) ?? null),
    level: levelOf(level),
    message: typeof message === 'string' ? message : message === null ? '' : JSON.stringify(message),
    fields,
  };
}

/** `service.name` where `service` is an object. */
function readNested(value: Readonly<Record<string, unknown>>, name: string): unknown {
  const [outer, inner] = name.split('.');
  const fieldValue = inner === undefined ? undefined : value[outer!];
  return typeof fieldValue === 'object' && fieldValue !== null
    ? (fieldValue as Record<string, unknown>)[inner!]
    : undefined;
}

function nameOf(value: unknown): string | null {
  const name = typeof value === 'object' && value !== null ? (value as { name?: unknown }).name : null;
  return typeof name === 'string' ? name : null;
}

/** The levels of the priorities 0 to 7 of syslog and journald. */
const syslogLevels = ['FATAL', 'FATAL', 'FATAL', 'ERROR', 'WARN', 'INFO', 'INFO', 'DEBUG'];

/**
 * Converts any spelling of a level to one of six. Numbers below 8 are those of syslog, from 10 those of pino and
 * bunyan.
 */
export function levelOf(value: unknown): string | null {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{1,2}$/.test(value))) {
    const number = Number(value);
    if (number < 8) return syslogLevels[number]!;
    return ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'][Math.floor(number / 10) - 1] ?? null;
  }
  return typeof value === 'string' ? findLevel(value) : null;
}

function findLevel(text: string): string | null {
  const name = text.toLowerCase();
  if (/^(fatal|crit|emerg|alert|panic|severe$)/.test(name)) return 'FATAL';
  if (/^(err|e$)/.test(name)) return 'ERROR';
  if (/^(warn|w$)/.test(name)) return 'WARN';
  if (/^(info|notice|i$|log$)/.test(name)) return 'INFO';
  if (/^(debug|dbg|fine|d$)/.test(name)) return 'DEBUG';
  return /^(trace|verbose|t$|v$)/.test(name) ? 'TRACE' : null;
}

/** WARN and above. */
export function isBad(level: string | null): boolean {
  return level === 'WARN' || level === 'ERROR' || level === 'FATAL';
}

/** The record as a text: the message, followed by the other fields as `name=value`. */
export function recordText(record: LogRecord): string {
  const rest = Object.entries(record.fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${/\s/.test(text) ? JSON.stringify(text) : text}`;
  });
  return [record.message, ...rest].filter((part) => part !== '').join(' ');
}
