/** States reported in lines: events of objects, logs of servers, and errors that clients get from servers. */
import type { Facts } from '../facts.ts';
import { isBad, isWorse } from '../symptoms.ts';
import type { StateSeen } from './condition.ts';
import { findCondition, reasons } from './kubernetes.ts';
import { messages } from './messages.ts';

interface SeenLogLine {
  readonly text: string;
  readonly original: string;
  readonly service: string | null;
  readonly level: string | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly evidence: string;
}

/** `Pod api-7f BackOff: ...`, `payments Deployment FailedCreate: ...`. */
const eventForm = /^((?:[\w.-]+\s+){1,3})([A-Z][A-Za-z-]+):\s*(.*)$/s;

export function findLineStates(facts: Facts): readonly StateSeen[] {
  const lines: readonly SeenLogLine[] = [
    ...facts.patterns
      .filter((logPattern) => isWorse(logPattern))
      .map((logPattern) => ({
        ...logPattern,
        text: `${logPattern.template}\n${logPattern.example}`,
        original: logPattern.example,
      })),
    ...facts.lines.map((logLine) => ({
      ...logLine,
      original: logLine.text,
      first: logLine.at,
      last: logLine.at,
    })),
  ];
  return lines.flatMap((line) => [...readEvent(line), ...readMessage(line)]);
}

function readEvent({ original: quote, service, first, last, evidence }: SeenLogLine): readonly StateSeen[] {
  const [, head = '', reason = '', message = ''] = eventForm.exec(quote) ?? [];
  const condition = findCondition(reason, message);
  if (condition === null || (!Object.hasOwn(reasons, reason) && !/^Failed|^Killing/.test(reason))) return [];
  const words = head.trim().split(/\s+/);
  const name = service ?? words.at(-1)!;
  const kind = words.find((word) => /^[A-Z]/.test(word));
  const isResolvedFault = condition.role !== 'good' && isResolved(message);
  return [
    {
      condition: isResolvedFault ? { ...condition, role: 'effect' } : condition,
      object: kind === undefined ? name : `${kind}/${name}`,
      service: name,
      first,
      last,
      isCurrent: false,
      quote: `${reason}: ${message}`.slice(0, 160),
      evidence,
    },
  ];
}

/** Whether a message is only an early warning: `82 GB remaining of 200 GB` is not yet a shortage. */
function hasRoom(text: string): boolean {
  const [, left, total] =
    /([\d.]+) ?[KMGT]i?B (?:remaining|free|left|available) of ([\d.]+) ?[KMGT]i?B/i.exec(text) ?? [];
  return left !== undefined && Number(left) > 0.25 * Number(total);
}

const isResolved = (message: string): boolean => /\b(recovered|rolled back|resolved)\b/i.test(message);

function readMessage(line: SeenLogLine): readonly StateSeen[] {
  for (const { system, shape, condition } of messages) {
    const match = shape.exec(line.text);
    if (match === null) continue;
    // Good states are reported at any level; bad ones by an error or by the server itself.
    if (condition.role !== 'good' && !isBad(line.level) && !isOwnReport(line)) continue;
    if (condition.role !== 'good' && (isResolved(line.original) || hasRoom(line.original))) continue;
    return [
      {
        condition,
        object:
          // Read from the original line, since a template has a placeholder instead of the number.
          findObject(shape.exec(line.original)) ??
          findHost(line.text, match) ??
          (system === null ? (line.service ?? 'a server') : chooseObject(system, line)),
        service: line.service,
        first: line.first,
        last: line.last,
        isCurrent: false,
        quote: line.original.slice(0, 160),
        evidence: line.evidence,
      },
    ];
  }
  return [];
}

/** The object is the service if it is a server of that kind, otherwise the product that a client names. */
const chooseObject = (system: string, { service }: SeenLogLine): string =>
  service !== null && new RegExp(system.slice(0, 5), 'i').test(service) ? service : system;

const isOwnReport = ({ original: quote, level }: SeenLogLine): boolean =>
  level === null ||
  /^(\w+ )?\S+: |^DB (instance|cluster)|^(PostgreSQL|MySQL|MariaDB) log|LOG:|event/i.test(quote) ||
  (level === 'INFO' &&
    /storage|connections|failover|checkpoint|alarm|promot|primary|leader|shutdown/i.test(quote));

/** The object that the message names; the placeholder of a template is not a name. */
const findObject = (match: RegExpExecArray | null): string | null => {
  const name = match?.groups?.['object'];
  return name === undefined || name.includes('<') ? null : name;
};

/** The host with the problem, if the message names one. */
function findHost(text: string, match: RegExpExecArray): string | null {
  const from = Math.max(0, match.index - 160);
  // A name that was cut off does not count.
  const surroundingText = text
    .slice(from, match.index + match[0].length + 80)
    .replace(from > 0 ? /^\S*/ : /^$/, '');
  const named =
    /(?:getaddrinfo \w+|resolve(?: host)?:?|lookup|host:?) "?((?:[a-z0-9-]+\.)+[a-z0-9-]+)/i.exec(
      surroundingText,
    )?.[1] ??
    withoutCluster(
      /(?<![\w.-]|[\w.]\/)(?!localhost:)([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*)(?<!\.(?:rb|py|go|[cm]?[jt]sx?|java|kt|php|rs|exs?|cs|scala|c|cc|cpp)):\d{2,5}\b(?![.:]\d)/i.exec(
        surroundingText,
      )?.[1],
    );
  return named ?? null;
}

/** `ledger.payments.svc.cluster.local` is the service `ledger`. */
const withoutCluster = (host: string | undefined): string | undefined =>
  host?.replace(/^([a-z0-9-]+)\.[a-z0-9-]+\.svc(?:\..*)?$/i, '$1');
