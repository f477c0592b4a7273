/**
 * Loki. Times are texts of nanoseconds, `start` inclusive and `end` exclusive; a request gives at most as many
 * lines as the server allows (5,000 unless it was set otherwise), so that long stretches are read by pages.
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
  /** Which streams are looked at, `{namespace="shop"}`; all that have the service label where absent. */
  readonly selector?: string;
  /** The label that names the service. */
  readonly serviceLabel?: string;
  /** Lines of one page, and the most pages of one question. */
  readonly pageLines?: number;
  readonly pages?: number;
}

const stream = z.object({
  stream: z.record(z.string(), z.string()),
  values: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())),
});
const matrix = z.object({
  metric: z.record(z.string(), z.string()),
  values: z.array(z.tuple([z.number(), z.string()])),
});
const rangeReply = z.object({
  status: z.literal('success'),
  warnings: z.array(z.string()).nullish(),
  data: z.discriminatedUnion('resultType', [
    z.object({ resultType: z.literal('streams'), result: z.array(stream) }),
    z.object({ resultType: z.literal('matrix'), result: z.array(matrix) }),
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

  const page = async (query: string, from: bigint, to: bigint, limit: number, signal: AbortSignal) =>
    http.getJson(
      '/loki/api/v1/query_range',
      { query, start: String(from), end: String(to), limit, direction: 'forward' },
      rangeReply,
      signal,
    );

  /** All lines of a stretch, page after page; false if there were more than the pages could hold. */
  const readAll = async (
    query: string,
    stretch: { readonly from: number; readonly to: number },
    see: (line: LokiLine) => void,
    signal: AbortSignal,
  ): Promise<
    { readonly kind: 'read'; readonly whole: boolean; readonly notes: readonly string[] } | SignalFailure
  > => {
    const warnings = new Set<string>();
    const end = (whole: boolean) => ({ kind: 'read', whole, notes: [...warnings] }) as const;
    let from = nanos(stretch.from);
    const to = nanos(stretch.to);
    let atEdge = new Set<string>();
    for (let count = 0; count < pages; count++) {
      const reply = await page(query, from, to, pageLines, signal);
      if (reply.kind === 'failure') {
        if (count === 0) return reply;
        warnings.add(
          `The lines after ${time(Number(from / 1_000_000n))} could not be read: ${reply.message}`,
        );
        return end(false);
      }
      for (const warning of reply.value.warnings ?? []) warnings.add(`Loki: ${warning}`);
      if (reply.value.data.resultType !== 'streams') return end(true);
      const lines = reply.value.data.result.flatMap((one) =>
        one.values.map(([ns, text]): LokiLine => ({ ns: BigInt(ns), text, labels: one.stream })),
      );
      const last = lines.reduce((max, { ns }) => (ns > max ? ns : max), from);
      const edge = new Set<string>();
      for (const line of lines) {
        const key = `${line.ns} ${JSON.stringify(line.labels)} ${line.text}`;
        if (line.ns === last) edge.add(key);
        if (!atEdge.has(key)) see(line);
      }
      if (lines.length < pageLines) return end(true);
      // The next page begins with the last instant again, since it may have been cut within it.
      from = last === from && edge.size === atEdge.size ? last + 1n : last;
      atEdge = edge;
    }
    warnings.add(`Only the first ${pages * pageLines} lines were read.`);
    return end(false);
  };

  const scan: Scan = async (stretch, see, signal) => {
    const { service, contains } = stretch;
    const query = `${service === undefined ? selector : withLabel(selector, serviceLabel, service)}${contains === undefined ? '' : ` |~ ${JSON.stringify(`(?i)${quote(contains)}`)}`}`;
    const end = await readAll(query, stretch, (line) => see(recordOfLine(line, serviceLabel)), signal);
    if (end.kind === 'failure') return end;
    return { ...end, kind: 'scanned', query: `${query}${filterText(stretch)}` };
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
          const asked = `${query} from ${time(window.baseline_from)} to ${time(window.to)}`;
          const rows = Math.min(pageLines, limits.rows);
          const reply = await page(query, nanos(window.baseline_from), nanos(window.to), rows, signal);
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
            return { kind: 'reading', query: asked, rows: { kind: 'series', series }, notes };
          }
          const lines = data.result
            .flatMap((one) =>
              one.values.map(([ns, text]) =>
                lineOf(recordOfLine({ ns: BigInt(ns), text, labels: one.stream }, serviceLabel)),
              ),
            )
            .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
          return {
            kind: 'reading',
            query: asked,
            rows: { kind: 'lines', lines },
            ...(lines.length >= rows && { total: null }),
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
          const span = { start: String(nanos(window.baseline_from)), end: String(nanos(window.to)) };
          const reply = await http.getJson(path, span, namesReply, signal);
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
        async (within) => {
          const reply = await http.getJson(
            '/loki/api/v1/status/buildinfo',
            {},
            z.object({ version: z.string() }),
            within,
          );
          if (reply.kind === 'failure') return reply;
          // Its version is told to everybody; this only to a tenant.
          const allowed = await http.getJson('/loki/api/v1/labels', {}, namesReply, within);
          return allowed.kind === 'failure' ? allowed : { kind: 'healthy', version: reply.value.version };
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

function nanos(ms: number): bigint {
  return BigInt(Math.floor(ms)) * 1_000_000n;
}

/** The line read as any log line is; what the labels say of its service and level comes first. */
function recordOfLine({ ns, text, labels }: LokiLine, serviceLabel: string): LogRecord {
  let found: LogRecord | null = null;
  const reader = lineReader((record) => {
    found ??= record;
  });
  reader.push(text.includes('\n') ? text.slice(0, text.indexOf('\n')) : text);
  reader.end();
  const logRecord = found as LogRecord | null;
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
  const inner = selector
    .trim()
    .replace(/^\{|\}[^}]*$/g, '')
    .trim();
  const own = `${label}=${JSON.stringify(value)}`;
  const others = inner
    .split(/,\s*(?=\w+\s*[=!])/)
    .filter((one) => one !== '' && !one.startsWith(`${label}=`));
  return `{${[...others, own].join(', ')}}`;
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
