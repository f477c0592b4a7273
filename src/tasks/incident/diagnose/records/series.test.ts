import { expect, test } from 'vitest';
import { seriesLines } from '../../../../signals/series-text.ts';
import { parseSeries } from './series.ts';

const rows: readonly (readonly [
  name: string,
  labels: Record<string, string>,
  metric: string,
  held: string,
])[] = [
  ['depth', {}, 'depth', ''],
  ['depth', { service: 'broker' }, 'depth', 'service="broker"'],
  ['depth', { queue: 'a{b}', service: 'broker' }, 'depth', 'queue="a{b}", service="broker"'],
  ['depth{queue=mail}', {}, 'depth{queue=mail}', ''],
  ['depth{queue=mail}', { service: 'broker' }, 'depth{queue=mail}', 'service="broker"'],
];

test.each(rows)('a series is read as it was written: %s %j', (name, labels, metric, held) => {
  for (const to of [0, 9]) {
    const points = Array.from({ length: 40 }, (_, n) => [n * 60_000, n < 20 ? 0 : to] as const);
    const { series, others } = parseSeries(seriesLines({ name, labels, points }));
    expect(others).toEqual([]);
    expect(series).toMatchObject([{ metric, labels: held, direction: to === 0 ? null : 'up' }]);
  }
});
