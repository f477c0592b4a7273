/** Lines of logs as entries: JSON, logfmt, syslog, the usual frameworks; a stack trace joins the line before it. */
import { type LogRecord, levelOf, recordOf, recordText } from './record.ts';
import { type FoundTime, parseTime, timeFinder } from './timestamp.ts';

export interface LineReader {
  push(line: string): void;
  end(): void;
}

/** An entry of more is cut. Characters. */
const maxLength = 16_384;
const levelWord =
  /\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|CRIT|PANIC|SEVERE|EMERG)\b|[[<(](trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical|crit|alert|emerg)[\]>)]|\b(?:level|lvl|severity)=["']?(\w+)/;
const continued =
  /^(?:\s|Caused by: |Traceback \(|\.\.\. \d+ more|goroutine \d+ \[|[\w$.]+(?:Error|Exception)(?:: |$)|[)\]}]+$)/;

interface Open {
  readonly at: number | null;
  readonly service: string | null;
  readonly level: string | null;
  message: string;
}

/** Calls `see` with each complete entry, in the order of the lines. */
export function lineReader(see: (record: LogRecord) => void, now = Date.now()): LineReader {
  const findTime = timeFinder(now);
  let open: Open | null = null;
  // Once lines have times, those without belong to the line before them.
  let timed = false;

  const finish = (): void => {
    if (open !== null) see({ ...open, fields: none });
    open = null;
  };

  return {
    push(raw) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') return;
      if (line.charCodeAt(0) === 123) {
        const record = jsonEntry(line);
        if (record !== null) {
          finish();
          see(record);
          return;
        }
      }
      const indented = continued.test(line);
      const found = indented ? null : findTime(line);
      if (open !== null && found === null && (timed || indented)) {
        if (open.message.length < maxLength) open.message += `\n${line.slice(0, maxLength)}`;
        return;
      }
      finish();
      timed ||= found !== null;
      open = plainEntry(line.length > maxLength ? line.slice(0, maxLength) : line, found);
    },
    end: finish,
  };
}

const none = Object.freeze({});

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

/** Behind the time: a host and a program (syslog), a stream (Kubernetes), or the message itself. */
const syslogOrigin = /^[\w.-]+ ([\w./@-]+?)(?:\[\d+\])?: /;
const streamOrigin = /^(?:stdout|stderr) [FP] /;

function plainEntry(line: string, found: FoundTime | null): Open {
  if (found === null) {
    const pairs = /(?:^|\s)msg=/.test(line) ? logfmt(line) : null;
    return pairs ?? { at: null, service: null, level: levelIn(line), message: line };
  }
  const before = line.slice(0, found.start).replace(/[[(<\s]+$/, '');
  let after = line.slice(found.end).replace(/^[\])>,:\s-]+/, '');
  const stream = streamOrigin.exec(after);
  if (stream !== null) after = after.slice(stream[0].length);
  const inner = after.startsWith('{') ? jsonEntry(after) : null;
  if (inner !== null) return { ...inner, at: inner.at ?? found.at, message: recordText(inner) };
  if (/\bmsg=/.test(after) || /(?:^|\s)(?:ts|time|t)=["']?$/.test(before)) {
    const pairs = logfmt(
      `${before}${after.startsWith('"') ? '' : '"'}${after}`.replace(/^(?:ts|time|t)=""?/, ''),
    );
    if (pairs !== null) return { ...pairs, at: pairs.at ?? found.at };
  }
  const glog = /^[IWEF]\d{4} /.exec(line);
  const origin = glog === null && found.start === 0 ? syslogOrigin.exec(after) : null;
  const isSyslog = origin !== null && /^(?:<\d+>)?[A-Z][a-z]{2} /.test(line);
  const text = isSyslog ? after.slice(origin![0].length) : after;
  return {
    at: found.at,
    service: isSyslog ? origin![1]! : null,
    level: glog === null ? levelIn(line) : levelOf(glog[0][0]),
    message: before === '' ? text : `${before} ${text}`,
  };
}

function levelIn(line: string): string | null {
  const found = levelWord.exec(line.length > 200 ? line.slice(0, 200) : line);
  return found === null ? null : levelOf(found[1] ?? found[2] ?? found[3]);
}

/** `level=info msg="it happened" caller=main.go:1`. */
function logfmt(line: string): Open | null {
  const values: Record<string, string> = {};
  for (const [, name, quoted, bare] of line.matchAll(/([\w.@-]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g))
    values[name!] = quoted === undefined ? (bare ?? '') : quoted.replace(/\\"/g, '"');
  if (values['msg'] === undefined && values['message'] === undefined) return null;
  const { at, service, level, message, fields } = recordOf(values);
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return { at: at ?? parseTime(values['ts']), service, level, message: [message, ...rest].join(' ') };
}
