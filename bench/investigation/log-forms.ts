/** Logs, and how whoever knows each of them reads its lines: the truth that a program is measured against. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRow } from './log-questions.ts';

export interface Log {
  readonly name: string;
  readonly file: string;
  /** The programs were written over this one, and over no other. */
  readonly written: boolean;
  rows(): readonly LogRow[];
}

type Fields = Omit<LogRow, 'number' | 'text'>;

function rowsOf(file: string, read: (line: string) => Fields): readonly LogRow[] {
  return readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .flatMap((text, index) => (text.trim() === '' ? [] : [{ number: index + 1, text, ...read(text) }]));
}

/** 2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - Message */
function zookeeper(line: string): Fields {
  const [date = '', time = '', , level = ''] = line.split(/\s+/, 4);
  const head = line.slice(line.indexOf('['), line.indexOf('] - '));
  const place = head.slice(head.lastIndexOf(':') + 1);
  return {
    at: Date.parse(`${date}T${time.slice(0, 8)}Z`),
    level,
    component: place.slice(0, place.lastIndexOf('@')),
    message: line.slice(line.indexOf('] - ') + 4),
  };
}

/** Of Debian's packages: 2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36 252.38 */
function dpkg(line: string): Fields {
  const [date, time, component = '', ...rest] = line.split(' ');
  return { at: Date.parse(`${date}T${time}Z`), component, message: rest.join(' ') };
}

/** One JSON object a line: {"timestamp", "service", "severity_text", "msg", …} */
function service(line: string): Fields {
  const row = JSON.parse(line) as Readonly<Record<string, string>>;
  return {
    at: Math.floor(Date.parse(row['timestamp'] ?? '') / 1000) * 1000,
    level: row['severity_text'] ?? '',
    component: row['service'] ?? '',
    message: row['msg'] ?? '',
  };
}

const forms: Readonly<Record<string, (line: string) => Fields>> = { Zookeeper: zookeeper, dpkg, service };

/** Those of `data`, and more as `NAME=FILE`. */
export function logs(data: string, more: readonly string[]): readonly Log[] {
  const here = join(data, 'logs/Zookeeper_2k.log');
  const named = more.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)] as const);
  return [...(existsSync(here) ? [['Zookeeper', here] as const] : []), ...named].map(([name, file]) => {
    const read = forms[name];
    if (read === undefined)
      throw new Error(`no form of logs is called ${name}: ${Object.keys(forms).join(', ')}`);
    return { name, file, written: file === here, rows: () => rowsOf(file, read) };
  });
}
