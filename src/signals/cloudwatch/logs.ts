/**
 * Reads log groups with `FilterLogEvents`, in pages of 10,000 events or 1 MB: all streams of a group, ordered by time.
 */
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

export interface LogGroupOptions {
  /** Names of log groups; a name that ends in `*` is a prefix. */
  readonly groups: readonly string[];
  /** Maximum pages that one question reads, over all groups. Default: 60. */
  readonly maxPages?: number;
}

const maxGroups = 20;
/** If a group has more lines than may be read, only lines with these words are read; AWS filters them. */
const troublePattern =
  '?ERROR ?Error ?error ?WARN ?Warn ?warn ?FATAL ?Fatal ?fatal ?CRITICAL ?Exception ?exception ?panic ?Traceback ?failed ?Failed';

export function groupScan(aws: Aws, { groups, maxPages = 60 }: LogGroupOptions): Scan {
  let knownNames: readonly string[] | null = null;
  const groupNames = async (
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'names'; readonly names: readonly string[] } | SignalFailure> => {
    if (knownNames !== null) return { kind: 'names', names: knownNames };
    const names = groups.filter((one) => !one.endsWith('*'));
    for (const prefix of groups.filter((one) => one.endsWith('*'))) {
      const logGroupNamePrefix = prefix.slice(0, -1);
      const body = { limit: 50, ...(logGroupNamePrefix !== '' && { logGroupNamePrefix }) };
      const reply = await aws.ask('DescribeLogGroups', body, groupsReply, signal);
      if (reply.kind === 'failure') return reply;
      names.push(...reply.value.logGroups.map(({ logGroupName }) => logGroupName));
    }
    knownNames = [...new Set(names)];
    return { kind: 'names', names: knownNames };
  };

  return async (request, onRecord, signal) => {
    const groupList = await groupNames(signal);
    if (groupList.kind === 'failure') return groupList;
    const { service } = request;
    const serviceGroups = groupList.names.filter(
      (name) => service !== undefined && serviceOfGroup(name) === service,
    );
    // A service without a log group of its own may still occur in the lines of other groups.
    const names = (serviceGroups.length > 0 ? serviceGroups : groupList.names).slice(0, maxGroups);
    const notes: string[] = [];
    let firstFailure: SignalFailure | null = null;
    let groupsRead = 0;
    let isWhole = names.length === (serviceGroups.length > 0 ? serviceGroups : groupList.names).length;
    if (!isWhole) notes.push(`Of ${groupList.names.length} log groups ${maxGroups} were read.`);
    const pagesPerGroup = Math.max(2, Math.floor(maxPages / Math.max(1, names.length)));
    for (const name of names) {
      const seenKeys = new Set<string>();
      const readPass = (pattern: string | null, pages: number) =>
        readGroup(aws, name, { ...request, pattern, pages }, { see: onRecord, seen: seenKeys, signal });
      const firstPass = await readPass(null, pagesPerGroup);
      if (firstPass.kind === 'failure') {
        firstFailure ??= firstPass;
        notes.push(`${name} could not be read: ${firstPass.message}`);
        isWhole = false;
        continue;
      }
      groupsRead++;
      if (firstPass.isWhole) continue;
      isWhole = false;
      const secondPass = await readPass(troublePattern, pagesPerGroup);
      notes.push(
        `Only the first lines of ${name} were read${secondPass.kind === 'failure' ? '' : ', and of the rest those with words of trouble'}.`,
      );
    }
    if (groupsRead === 0 && firstFailure !== null) return firstFailure;
    return { kind: 'scanned', query: `${names.join(', ')}${filterText(request)}`, whole: isWhole, notes };
  };
}

/** One reading of a log group: `to` is exclusive, `pattern` is AWS's filter, `pages` is the maximum. */
interface GroupPass {
  readonly from: number;
  readonly to: number;
  readonly pattern: string | null;
  readonly pages: number;
}

async function readGroup(
  aws: Aws,
  name: string,
  { from, to, pattern, pages }: GroupPass,
  {
    see: onRecord,
    seen,
    signal,
  }: { readonly see: (record: LogRecord) => void; readonly seen: Set<string>; readonly signal: AbortSignal },
): Promise<{ readonly kind: 'read'; readonly isWhole: boolean } | SignalFailure> {
  let token: string | null = null;
  for (let page = 0; page < pages; page++) {
    const body: Readonly<Record<string, unknown>> = {
      logGroupName: name,
      startTime: Math.floor(from),
      // CloudWatch includes the end of the range; `to` is exclusive.
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
    for (const event of reply.value.events) {
      const key = event.eventId ?? `${event.timestamp} ${event.message}`;
      if (seen.has(key)) continue;
      seen.add(key);
      onRecord(recordOfEvent(event.timestamp, event.message, serviceOfGroup(name)));
    }
    const next: string | null = reply.value.nextToken ?? null;
    if (next === null || next === token) return { kind: 'read', isWhole: true };
    token = next;
  }
  return { kind: 'read', isWhole: false };
}

/**
 * The service that writes to a log group: `orders` for `/aws/lambda/orders`, `orders-db` for
 * `/aws/rds/instance/orders-db/error`.
 */
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
  let firstRecord: LogRecord | null = null;
  const reader = lineReader((record) => {
    firstRecord ??= record;
  });
  for (const line of text.split('\n')) reader.push(line);
  reader.end();
  const logRecord = firstRecord as LogRecord | null;
  return {
    at,
    service: logRecord?.service ?? service,
    level: logRecord?.level ?? null,
    message: logRecord?.message ?? text,
    fields: logRecord?.fields ?? {},
  };
}
