/** Converts Grafana's data frames, which are tables stored by column, into series or log lines. */
import { z } from 'zod';
import type { LogLine, Series, SignalRows } from '../../core/index.ts';
import { parseTime } from '../logs/timestamp.ts';

const labels = z.record(z.string(), z.string());

export const frameSchema = z.object({
  schema: z.object({
    name: z.string().optional(),
    fields: z.array(z.object({ name: z.string(), type: z.string().optional(), labels: labels.nullish() })),
  }),
  data: z.object({ values: z.array(z.array(z.unknown())) }),
});
type Frame = z.infer<typeof frameSchema>;

/** Names of the column that holds the log lines, if a frame has several text columns. */
const lineColumnNames = ['Line', 'line', 'body', 'message'];

/** Series if any frame has numbers; otherwise log lines, sorted by time. */
export function rowsOfFrames(frames: readonly Frame[], query: string): SignalRows {
  const series = frames.flatMap((frame) => seriesOf(frame, query));
  if (series.length > 0) return { kind: 'series', series };
  const lines = frames.flatMap(linesOf);
  return lines.length > 0
    ? { kind: 'lines', lines: lines.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)) }
    : { kind: 'series', series: [] };
}

function timesOf({ schema, data }: Frame): readonly unknown[] | null {
  const timeColumn = schema.fields.findIndex(({ type }) => type === 'time');
  return timeColumn < 0 ? null : (data.values[timeColumn] ?? []);
}

/** One series for each column of numbers, with the labels of that column; none if the frame has no time column. */
function seriesOf(frame: Frame, query: string): readonly Series[] {
  const { schema, data } = frame;
  const times = timesOf(frame);
  if (times === null) return [];
  return schema.fields.flatMap((field, columnIndex): readonly Series[] => {
    if (field.type !== 'number') return [];
    const { __name__: name, ...otherLabels } = field.labels ?? {};
    const points = (data.values[columnIndex] ?? []).flatMap((value, rowIndex) => {
      const at = times[rowIndex];
      return typeof value === 'number' && typeof at === 'number' ? [[at, value] as const] : [];
    });
    return [
      {
        name: name ?? (field.name === 'Value' ? (schema.name ?? query) : field.name),
        labels: otherLabels,
        points,
      },
    ];
  });
}

function linesOf(frame: Frame): readonly LogLine[] {
  const { schema, data } = frame;
  const textColumns = schema.fields.flatMap(({ name, type }, k) => (type === 'string' ? [{ name, k }] : []));
  const lineColumn = textColumns.find(({ name }) => lineColumnNames.includes(name)) ?? textColumns[0];
  if (lineColumn === undefined) return [];
  const times = timesOf(frame) ?? [];
  return (data.values[lineColumn.k] ?? []).flatMap((text, rowIndex): readonly LogLine[] =>
    typeof text === 'string' ? [{ at: parseTime(times[rowIndex]), service: null, level: null, text }] : [],
  );
}
