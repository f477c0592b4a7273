/**
 * Loki. Times are nanoseconds as text; `start` is inclusive and `end` exclusive. A request returns at most as many lines
 * as the server allows (5,000 by default), so long time ranges are read in pages.
 */
import { z } from 'zod';
import type { Clock, LogLine, Series, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { filterText, linesQuestion, patternsQuestion, type Scan } from '../logs/log-questions.ts';
import { lineReader } from '../logs/read-line.ts';
import { type LogRecord, levelOf, recordText } from '../logs/record.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';

export interface LokiOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** For servers with tenants: the header X-Scope-OrgID. */
  readonly tenant?: string;
  /** Selects the streams that are read: `{namespace="shop"}`. Default: all streams that have the service label. */
  readonly selector?: string;
  /** The label that names the service. Default: `service_name`. */
  readonly serviceLabel?: string;
  /** Maximum number of lines per page. */
  readonly pageLines?: number;
  /** Maximum number of pages that one question reads. */
  readonly pages?: number;
}

const streamSchema = z.object({
  stream: z.record(z.string(), z.string()),
  values: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())),
});
const matrixSchema = z.object({
  metric: z.record(z.string(), z.string()),
  values: z.array(z.tuple([z.number(), z.string()])),
});
const rangeReply = z.object({
  status: z.literal('success'),
  warnings: z.array(z.string()).nullish(),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('streams'), result: z.array(streamSchema) }),
    z.object({ resultType: z.literal('matrix'), result: z.array(matrixSchema) }),
  ]),
});
const namesReply = z.object({ status: z.literal('success'), data: z.array(z.string()).optional() });

/** Throws `bad_config` if the address is not a valid URL. */
export function openLoki(options: LokiOptions): Signal {
  const { base, fetch, clock, authorization, tenant, serviceLabel = 'service_name' } = options;
  const { selector = `{${serviceLabel}=~".+"}`, pageLines = 5_000, pages = 100 } = options;
  const headers = tenant === undefined ? {} : { 'x-scope-orgid': tenant };
  const http = openHttp({ system: 'loki', base, fetch, authorization, headers });
  const place: SystemSource = { system: 'loki', source: `loki ${http.source}`, clock };

  const queryRange = async (query: string, from: bigint, to: bigint, limit: number, signal: AbortSignal) =>
    http.getJson(
      '/loki/api/v1/query_range',
      { query, start: String(from), end: String(to), limit, direction: 'forward' },
      rangeReply,
      signal,
    );

  /** Reads all lines of a time range, page after page; `whole` is false if not all could be read. */
  const readAllLines = async (
    query: string,
    stretch: { readonly from: number; readonly to: number },
    onLine: (line: LokiLine) => void,
    signal: AbortSignal,
  ): Promise<
    { readonly kind: 'read'; readonly whole: boolean; readonly notes: readonly string[] } | SignalFailure
  > => {
    const warnings = new Set<string>();
    const readResult = (whole: boolean) => ({ kind: 'read', whole, notes: [...warnings] }) as const;
    let from = toNanoseconds(stretch.from);
    const to = toNanoseconds(stretch.to);
    let seenAtLastInstant = new Set<string>();
    for (let pageIndex = 0; pageIndex < pages; pageIndex++) {
      const reply = await queryRange(query, from, to, pageLines, signal);
      if (reply.kind === 'failure') {
        if (pageIndex === 0) return reply;
        warnings.add(
          `The lines after ${time(Number(from / 1_000_000n))} could not be read: ${reply.message}`,
        );
        return readResult(false);
      }
      for (const warning of reply.value.warnings ?? []) warnings.add(`Loki: ${warning}`);
      if (reply.value.data.resultType !== 'streams') return readResult(true);
      const lines = reply.value.data.result.flatMap((stream) =>
        stream.values.map(([ns, text]): LokiLine => ({ ns: BigInt(ns), text, labels: stream.stream })),
      );
      const lastInstant = lines.reduce((max, { ns }) => (ns > max ? ns : max), from);
      const keysAtLastInstant = new Set<string>();
      for (const line of lines) {
        const key = `${line.ns} ${JSON.stringify(line.labels)} ${line.text}`;
        if (line.ns === lastInstant) keysAtLastInstant.add(key);
        if (!seenAtLastInstant.has(key)) onLine(line);
      }
      if (lines.length < pageLines) return readResult(true);
      // The next page begins with the last instant again, since this page may not have all lines of that instant.
      from =
        lastInstant === from && keysAtLastInstant.size === seenAtLastInstant.size
          ? lastInstant + 1n
          : lastInstant;
      seenAtLastInstant = keysAtLastInstant;
    }
    warnings.add(`Only the first ${pages * pageLines} lines were read.`);
    return readResult(false);
  };

  const scan: Scan = async (stretch, onRecord, signal) => {
    const { service, contains } = stretch;
    const query = `${service === undefined ? selector : withLabel(selector, serviceLabel, service)}${contains === undefined ? '' : ` |~ ${JSON.stringify(`(?i)${escapeRegExp(contains)}`)}`}`;
    const readResult = await readAllLines(
      query,
      stretch,
      (line) => onRecord(recordOfLine(line, serviceLabel)),
      signal,
    );
    if (readResult.kind === 'failure') return readResult;
    return { ...readResult, kind: 'scanned', query: `${query}${filterText(stretch)}` };
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'log lines by LogQL, and their patterns',
    questions: Object.freeze([
      linesQuestion(place, scan),
      patternsQuestion(place, scan),
      question(place, {
        name: 'loki_query',
        topic: 'logs',
        description:
          'A LogQL query over the window: lines for a log query, series for a metric query such as `sum by (app) (rate({...} |= "error" [1m]))`.',
        parameters: z.object({ query: z.string().min(1) }),
        cost: 'one request',
        reach: 'baseline',
        async read({ query }, { window, limits, signal }) {
          const queryWithTimes = `${query} from ${time(window.baseline_from)} to ${time(window.to)}`;
          const maxRows = Math.min(pageLines, limits.rows);
          const reply = await queryRange(
            query,
            toNanoseconds(window.baseline_from),
            toNanoseconds(window.to),
            maxRows,
            signal,
          );
          if (reply.kind === 'failure') return reply;
          const { data, warnings } = reply.value;
          const notes = (warnings ?? []).map((warning) => `Loki: ${warning}`);
          if (data.resultType === 'matrix') {
            const series = data.result.map(
              ({ metric, values }): Series => ({
                name: query,
                labels: metric,
                points: values.map(([seconds, value]) => [seconds * 1_000, Number(value)] as const),
              }),
            );
            return { kind: 'reading', query: queryWithTimes, rows: { kind: 'series', series }, notes };
          }
          const lines = data.result
            .flatMap((stream) =>
              stream.values.map(([ns, text]) =>
                lineOf(recordOfLine({ ns: BigInt(ns), text, labels: stream.stream }, serviceLabel)),
              ),
            )
            .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
          return {
            kind: 'reading',
            query: queryWithTimes,
            rows: { kind: 'lines', lines },
            ...(lines.length >= maxRows && { total: null }),
            notes,
          };
        },
      }),
      question(place, {
        name: 'loki_labels',
        topic: 'logs',
        description: 'Names of labels, or the values of one, in the window. To write a selector.',
        parameters: z.object({
          label: z
            .string()
            .regex(/^[a-zA-Z_]\w*$/)
            .optional(),
        }),
        cost: 'one request',
        reach: 'now',
        async read({ label }, { window, limits, signal }) {
          const path = label === undefined ? '/loki/api/v1/labels' : `/loki/api/v1/label/${label}/values`;
          const timeRange = {
            start: String(toNanoseconds(window.baseline_from)),
            end: String(toNanoseconds(window.to)),
          };
          const reply = await http.getJson(path, timeRange, namesReply, signal);
          if (reply.kind === 'failure') return reply;
          const names = reply.value.data ?? [];
          return {
            kind: 'reading',
            query: path,
            rows: {
              kind: 'table',
              rows: names.slice(0, limits.rows).map((name) => ({ [label ?? 'label']: name })),
            },
            total: names.length,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson(
            '/loki/api/v1/status/buildinfo',
            {},
            z.object({ version: z.string() }),
            healthSignal,
          );
          if (reply.kind === 'failure') return reply;
          // The version is readable by anyone; this request shows whether the tenant is accepted.
          const labelsReply = await http.getJson('/loki/api/v1/labels', {}, namesReply, healthSignal);
          return labelsReply.kind === 'failure'
            ? labelsReply
            : { kind: 'healthy', version: reply.value.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}

interface LokiLine {
  readonly ns: bigint;
  readonly text: string;
  readonly labels: Readonly<Record<string, string>>;
}

function toNanoseconds(ms: number): bigint {
  return BigInt(Math.floor(ms)) * 1_000_000n;
}

/** Parses the text of a line like that of any log. A service or level in the labels takes precedence over the text. */
function recordOfLine({ ns, text, labels }: LokiLine, serviceLabel: string): LogRecord {
  let firstRecord: LogRecord | null = null;
  const reader = lineReader((record) => {
    firstRecord ??= record;
  });
  reader.push(text.includes('\n') ? text.slice(0, text.indexOf('\n')) : text);
  reader.end();
  const logRecord = firstRecord as LogRecord | null;
  return {
    at: Number(ns / 1_000_000n),
    service: labels[serviceLabel] ?? labels['app'] ?? labels['job'] ?? logRecord?.service ?? null,
    level: levelOf(labels['level'] ?? labels['detected_level']) ?? logRecord?.level ?? null,
    message: logRecord?.message ?? text,
    fields: logRecord?.fields ?? {},
  };
}

function lineOf(record: LogRecord): LogLine {
  return { at: record.at, service: record.service, level: record.level, text: recordText(record) };
}

function withLabel(selector: string, label: string, value: string): string {
  const matchersText = selector
    .trim()
    .replace(/^\{|\}[^}]*$/g, '')
    .trim();
  const serviceMatcher = `${label}=${JSON.stringify(value)}`;
  const otherMatchers = matchersText
    .split(/,\s*(?=\w+\s*[=!])/)
    .filter((matcher) => matcher !== '' && !matcher.startsWith(`${label}=`));
  return `{${[...otherMatchers, serviceMatcher].join(', ')}}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
