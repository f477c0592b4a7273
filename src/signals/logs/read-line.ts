/**
 * Converts log lines to entries: JSON, logfmt, syslog and the usual frameworks. A stack trace is added to the line
 * before it.
 */
import { type LogRecord, levelOf, recordOf, recordText } from './record.ts';
import { type FoundTime, parseTime, timeFinder } from './timestamp.ts';

export interface LineReader {
  push(line: string): void;
  end(): void;
}

/** The length from which an entry gets no further lines; a single line is cut there. Characters. */
const maxEntryLength = 16_384;
const levelWord =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|CRIT|PANIC|SEVERE|EMERG)\b|[[<(](trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical|crit|alert|emerg)[\]>)]|\b(?:level|lvl|severity)=["']?(\w+)/;
const continuation =
  /^(?:\s|Caused by: |Traceback \(|\.\.\. \d+ more|goroutine \d+ \[|[\w$.]+(?:Error|Exception)(?:: |$)|[)\]}]+$)/;

interface OpenEntry {
  readonly at: number | null;
  readonly service: string | null;
  readonly level: string | null;
  message: string;
}

/** Calls `onRecord` with each complete entry, in the order of the lines. */
export function lineReader(onRecord: (record: LogRecord) => void, now = Date.now()): LineReader {
  const findTime = timeFinder(now);
  let openEntry: OpenEntry | null = null;
  // Once a line had a time, lines without one belong to the line before them.
  let hasTimes = false;

  const finish = (): void => {
    if (openEntry !== null) onRecord({ ...openEntry, fields: noFields });
    openEntry = null;
  };

  return {
    push(raw) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') return;
      if (line.charCodeAt(0) === 123) {
        const record = jsonEntry(line);
        if (record !== null) {
          finish();
          onRecord(record);
          return;
        }
      }
      const isContinued = continuation.test(line);
      const foundTime = isContinued ? null : findTime(line);
      if (openEntry !== null && foundTime === null && (hasTimes || isContinued)) {
        if (openEntry.message.length < maxEntryLength)
          openEntry.message += `\n${line.slice(0, maxEntryLength)}`;
        return;
      }
      finish();
      hasTimes ||= foundTime !== null;
      openEntry = plainEntry(line.length > maxEntryLength ? line.slice(0, maxEntryLength) : line, foundTime);
    },
    end: finish,
  };
}

const noFields = Object.freeze({});

/** Parses a line of JSON; if a container runtime wrapped the line of a program, the wrapper is removed. */
function jsonEntry(line: string): LogRecord | null {
  const value = objectOf(line);
  if (value === null) return null;
  const outer = recordOf(value);
  const inner = outer.message.startsWith('{') ? objectOf(outer.message.trim()) : null;
  if (inner === null) return { ...outer, message: outer.message.replace(/\n$/, '') };
  const record = recordOf(inner);
  return {
    at: record.at ?? outer.at,
    service: record.service ?? outer.service,
    level: record.level ?? outer.level,
    message: record.message,
    fields: { ...outer.fields, ...record.fields },
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** What may follow the time: a host and a program (syslog), or a stream (Kubernetes). */
const syslogOrigin = /^[\w.-]+ ([\w./@-]+?)(?:\[\d+\])?: /;
const streamOrigin = /^(?:stdout|stderr) [FP] /;

function plainEntry(line: string, found: FoundTime | null): OpenEntry {
  if (found === null) {
    const logfmtEntry = /(?:^|\s)msg=/.test(line) ? logfmt(line) : null;
    return logfmtEntry ?? { at: null, service: null, level: levelIn(line), message: line };
  }
  const textBefore = line.slice(0, found.start).replace(/[[(<\s]+$/, '');
  let textAfter = line.slice(found.end).replace(/^[\])>,:\s-]+/, '');
  const stream = streamOrigin.exec(textAfter);
  if (stream !== null) textAfter = textAfter.slice(stream[0].length);
  const inner = textAfter.startsWith('{') ? jsonEntry(textAfter) : null;
  if (inner !== null) return { ...inner, at: inner.at ?? found.at, message: recordText(inner) };
  if (/\bmsg=/.test(textAfter) || /(?:^|\s)(?:ts|time|t)=["']?$/.test(textBefore)) {
    const logfmtEntry = logfmt(
      `${textBefore}${textAfter.startsWith('"') ? '' : '"'}${textAfter}`.replace(/^(?:ts|time|t)=""?/, ''),
    );
    if (logfmtEntry !== null) return { ...logfmtEntry, at: logfmtEntry.at ?? found.at };
  }
  const glogHead = /^[IWEF]\d{4} /.exec(line);
  const origin = glogHead === null && found.start === 0 ? syslogOrigin.exec(textAfter) : null;
  const isSyslog = origin !== null && /^(?:<\d+>)?[A-Z][a-z]{2} /.test(line);
  const text = isSyslog ? textAfter.slice(origin![0].length) : textAfter;
  return {
    at: found.at,
    service: isSyslog ? origin![1]! : null,
    level: glogHead === null ? levelIn(line) : levelOf(glogHead[0][0]),
    message: textBefore === '' ? text : `${textBefore} ${text}`,
  };
}

function levelIn(line: string): string | null {
  const found = levelWord.exec(line.length > 200 ? line.slice(0, 200) : line);
  return found === null ? null : levelOf(found[1] ?? found[2] ?? found[3]);
}

/** `level=info msg="it happened" caller=main.go:1`. */
function logfmt(line: string): OpenEntry | null {
  const values: Record<string, string> = {};
  for (const [, name, quoted, bare] of line.matchAll(/([\w.@-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g))
    values[name!] = quoted === undefined ? (bare ?? '') : quoted.replace(/\\"/g, '"');
  if (values['msg'] === undefined && values['message'] === undefined) return null;
  const { at, service, level, message, fields } = recordOf(values);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return { at: at ?? parseTime(values['ts']), service, level, message: [message, ...rest].join(' ') };
}
