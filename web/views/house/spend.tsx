import type { VNode } from 'preact';
import type { Spend as Spending } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Empty, Shown } from '../../parts/states.tsx';
import { count, lasted, money, plainText } from '../../parts/words.ts';

export function Spend(): VNode {
  const reading = useRead<Spending>('/spend');
  return (
    <div class="pad">
      <h1>Spend</h1>
      <Shown of={reading} what="what was spent">
        {({ runs, shapes: kinds, days }) =>
          runs === 0 ? (
            <Empty title="Nothing was spent" />
          ) : (
            <>
              <p class="muted">The last {runs} runs.</p>
              <SpentTable title="By kind of run" first="Kind" rows={kinds} />
              <SpentTable
                title="By day"
                first="Day (UTC)"
                rows={days.toSorted((a, b) => (a.key < b.key ? 1 : -1))}
              />
            </>
          )
        }
      </Shown>
    </div>
  );
}

const SpentTable = ({
  title,
  first,
  rows,
}: {
  readonly title: string;
  readonly first: string;
  readonly rows: Spending['shapes'];
}): VNode => (
  <section>
    <h2>{title}</h2>
    <div class="table-wrap" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {['Runs', 'Tokens', 'Calls', 'Cost', 'Time'].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, runs, spent: { tokens = 0, calls = 0, usd = 0, wall_ms = 0 } }) => (
            <tr key={key}>
              <td>{plainText(key)}</td>
              {[count(runs), count(tokens), count(calls), money(usd), lasted(wall_ms)].map((text) => (
                <td class="number">{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
