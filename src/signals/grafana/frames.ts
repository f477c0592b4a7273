/** Data frames of Grafana: tables by columns, of numbers for metrics and of texts for logs. */
import { z } from 'zod';
import type { LogLine, Series, SignalRows } from '../../core/index.ts';
import { parseTime } from '../logs/timestamp.ts';

const labels = z.record(z.string(), z.string());

export const frame = z.object({
  schema: z.object({
    name: z.string().optional(),
    fields: z.array(z.object({ name: z.string(), type: z.string().optional(), labels: labels.nullish() })),
  }),
  data: z.object({ values: z.array(z.array(z.unknown())) }),
});
type Frame = z.infer<typeof frame>;

/** Names that columns of log lines have, where a frame has several columns of texts. */
const lineNames = ['Line', 'line', 'body', 'message'];

/** Series for frames with numbers, lines for frames with texts only. */
export function rowsOfFrames(frames: readonly Frame[], query: string): SignalRows {
  const series = frames.flatMap((one) => seriesOf(one, query));
  if (series.length > 0) return { kind: 'series', series };
  const lines = frames.flatMap(linesOf);
  return lines.length > 0
    ? { kind: 'lines', lines: lines.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)) }
    : { kind: 'series', series: [] };
}

function timesOf({ schema, data }: Frame): readonly unknown[] | null {
  const timeAt = schema.fields.findIndex(({ type }) => type === 'time');
  return timeAt < 0 ? null : (data.values[timeAt] ?? []);
}

/** A time, and any number of values with labels of their own. */
function seriesOf(one: Frame, query: string): readonly Series[] {
  const { schema, data } = one;
  const times = timesOf(one);
  if (times === null) return [];
  return schema.fields.flatMap((field, k): readonly Series[] => {
    if (field.type !== 'number') return [];
    const { __name__: name, ...rest } = field.labels ?? {};
    const points = (data.values[k] ?? []).flatMap((value, row) => {
      const at = times[row];
      return typeof value === 'number' && typeof at === 'number' ? [[at, value] as const] : [];
    });
    return [
      { name: name ?? (field.name === 'Value' ? (schema.name ?? query) : field.name), labels: rest, points },
    ];
  });
}

function linesOf(one: Frame): readonly LogLine[] {
  const { schema, data } = one;
  const texts = schema.fields.flatMap(({ name, type }, k) => (type === 'string' ? [{ name, k }] : []));
  const column = texts.find(({ name }) => lineNames.includes(name)) ?? texts[0];
  if (column === undefined) return [];
  const times = timesOf(one) ?? [];
  return (data.values[column.k] ?? []).flatMap((text, row): readonly LogLine[] =>
    typeof text === 'string' ? [{ at: parseTime(times[row]), service: null, level: null, text }] : [],
  );
}
