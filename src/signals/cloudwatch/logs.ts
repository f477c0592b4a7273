/** Log groups, read by `FilterLogEvents`: pages of 10,000 events or 1 MB, of all streams of a group in the order of time. */
import { z } from 'zod';
import type { SignalFailure } from '../../core/index.ts';
import type { JsonReply } from '../http.ts';
import { filterText, type Scan } from '../logs/log-questions.ts';
import { lineReader } from '../logs/read-line.ts';
import type { LogRecord } from '../logs/record.ts';
import type { Aws } from './services.ts';

const groupsReply = z.object({
  logGroups: z.array(z.object({ logGroupName: z.string() })),
  nextToken: z.string().nullish(),
});
const eventsReply = z.object({
  events: z.array(z.object({ timestamp: z.number(), message: z.string(), eventId: z.string().nullish() })),
  nextToken: z.string().nullish(),
});

export interface LogsOptions {
  /** Names, and beginnings of names with a `*`. */
  readonly groups: readonly string[];
  /** Pages of one question, over all groups. */
  readonly maxPages?: number;
}

const maxGroups = 20;
/** If a group has more lines than may be read, only lines with these words are read; AWS filters them. */
const troublePattern =
  '?ERROR ?Error ?error ?WARN ?Warn ?warn ?FATAL ?Fatal ?fatal ?CRITICAL ?Exception ?exception ?panic ?Traceback ?failed ?Failed';

export function groupScan(aws: Aws, { groups, maxPages = 60 }: LogsOptions): Scan {
  let known: readonly string[] | null = null;
  const groupNames = async (
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'names'; readonly names: readonly string[] } | SignalFailure> => {
    if (known !== null) return { kind: 'names', names: known };
    const names = groups.filter((one) => !one.endsWith('*'));
    for (const prefix of groups.filter((one) => one.endsWith('*'))) {
      const logGroupNamePrefix = prefix.slice(0, -1);
      const body = { limit: 50, ...(logGroupNamePrefix !== '' && { logGroupNamePrefix }) };
      const reply = await aws.ask('DescribeLogGroups', body, groupsReply, signal);
      if (reply.kind === 'failure') return reply;
      names.push(...reply.value.logGroups.map(({ logGroupName }) => logGroupName));
    }
    known = [...new Set(names)];
    return { kind: 'names', names: known };
  };

  return async (stretch, see, signal) => {
    const found = await groupNames(signal);
    if (found.kind === 'failure') return found;
    const { service } = stretch;
    const own = found.names.filter((name) => service !== undefined && serviceOfGroup(name) === service);
    // A service without a log group of its own may still occur in the lines of other groups.
    const names = (own.length > 0 ? own : found.names).slice(0, maxGroups);
    const notes: string[] = [];
    let failed: SignalFailure | null = null;
    let read = 0;
    let whole = names.length === (own.length > 0 ? own : found.names).length;
    if (!whole) notes.push(`Of ${found.names.length} log groups ${maxGroups} were read.`);
    const perGroup = Math.max(2, Math.floor(maxPages / Math.max(1, names.length)));
    for (const name of names) {
      const seen = new Set<string>();
      const pass = (pattern: string | null, pages: number) =>
        readGroup(aws, name, { ...stretch, pattern, pages }, { see, seen, signal });
      const first = await pass(null, perGroup);
      if (first.kind === 'failure') {
        failed ??= first;
        notes.push(`${name} could not be read: ${first.message}`);
        whole = false;
        continue;
      }
      read++;
      if (first.isWhole) continue;
      whole = false;
      const more = await pass(troublePattern, perGroup);
      notes.push(
        `Only the first lines of ${name} were read${more.kind === 'failure' ? '' : ', and of the rest those with words of trouble'}.`,
      );
    }
    if (read === 0 && failed !== null) return failed;
    return { kind: 'scanned', query: `${names.join(', ')}${filterText(stretch)}`, whole, notes };
  };
}

interface Pass {
  readonly from: number;
  readonly to: number;
  readonly pattern: string | null;
  readonly pages: number;
}

async function readGroup(
  aws: Aws,
  name: string,
  { from, to, pattern, pages }: Pass,
  {
    see,
    seen,
    signal,
  }: { readonly see: (record: LogRecord) => void; readonly seen: Set<string>; readonly signal: AbortSignal },
): Promise<{ readonly kind: 'read'; readonly isWhole: boolean } | SignalFailure> {
  let token: string | null = null;
  for (let page = 0; page < pages; page++) {
    const body: Readonly<Record<string, unknown>> = {
      logGroupName: name,
      startTime: Math.floor(from),
      // CloudWatch includes the end of the range, a window of ours does not.
      endTime: Math.ceil(to) - 1,
      limit: 10_000,
      ...(pattern !== null && { filterPattern: pattern }),
      ...(token !== null && { nextToken: token }),
    };
    const reply: JsonReply<z.infer<typeof eventsReply>> | SignalFailure = await aws.ask(
      'FilterLogEvents',
      body,
      eventsReply,
      signal,
    );
    if (reply.kind === 'failure') return page === 0 ? reply : { kind: 'read', isWhole: false };
    for (const one of reply.value.events) {
      const key = one.eventId ?? `${one.timestamp} ${one.message}`;
      if (seen.has(key)) continue;
      seen.add(key);
      see(recordOfEvent(one.timestamp, one.message, serviceOfGroup(name)));
    }
    const next: string | null = reply.value.nextToken ?? null;
    if (next === null || next === token) return { kind: 'read', isWhole: true };
    token = next;
  }
  return { kind: 'read', isWhole: false };
}

/** `/aws/lambda/orders`, `/ecs/orders`, `/aws/rds/instance/orders-db/error`: who writes into it. */
export function serviceOfGroup(name: string): string {
  const [, instance] = /^\/aws\/rds\/(?:instance|cluster)\/([^/]+)/.exec(name) ?? [];
  return (
    instance ??
    name
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ??
    name
  );
}

function recordOfEvent(at: number, text: string, service: string): LogRecord {
  let found: LogRecord | null = null;
  const reader = lineReader((record) => {
    found ??= record;
  });
  for (const line of text.split('\n')) reader.push(line);
  reader.end();
  const logRecord = found as LogRecord | null;
  return {
    at,
    service: logRecord?.service ?? service,
    level: logRecord?.level ?? null,
    message: logRecord?.message ?? text,
    fields: logRecord?.fields ?? {},
  };
}
