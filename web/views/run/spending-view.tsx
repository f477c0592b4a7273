import type { VNode } from 'preact';
import type { Amounts } from '../../api/types.ts';
import { count, lasted, money, plainText } from '../../parts/words.ts';
import type { Share, Spending } from './rows.ts';

const width = 640;
const height = 180;
const maxPoints = 400;

/** Tokens over time, with the limit where there is one. */
export function SpendingView({
  spending,
  limits,
  spent,
  shares,
}: {
  readonly spending: readonly Spending[];
  readonly limits: Amounts;
  readonly spent: Amounts;
  readonly shares: readonly Share[];
}): VNode {
  const last = spending.at(-1);
  const names = ['tokens', 'usd', 'calls', 'steps'] as const;
  return (
    <section class="spending" aria-label="Budget">
      <dl class="facts">
        {names.map((name) => {
          const [used = 0, limit] = [spent[name], limits[name]];
          const say = name === 'usd' ? money : count;
          return (
            <div>
              <dt>{name === 'usd' ? 'cost' : name}</dt>
              <dd>
                {say(used)}
                {limit !== undefined && <span class="muted"> of {say(limit)}</span>}
                {limit !== undefined && (
                  <meter min={0} max={limit} value={Math.min(used, limit)} aria-label={`${name} used`} />
                )}
              </dd>
            </div>
          );
        })}
        {last !== undefined && last.cached > 0 && (
          <div>
            <dt>from the cache</dt>
            <dd>{count(last.cached)} tokens</dd>
          </div>
        )}
      </dl>
      {spending.length > 1 && <Curve spending={spending} limit={limits.tokens} />}
      {shares.length > 0 && <Shares of={shares} />}
    </section>
  );
}

/** Tokens as they were spent: those that the provider had in its cache, and all of them above. */
function Curve({
  spending,
  limit,
}: {
  readonly spending: readonly Spending[];
  readonly limit: number | undefined;
}): VNode {
  const every = Math.ceil(spending.length / maxPoints);
  const points = spending.filter((_, n) => n % every === 0 || n === spending.length - 1);
  const [first, last] = [points[0]!, points.at(-1)!];
  const most = Math.max(last.tokens, limit !== undefined && limit < last.tokens * 4 ? limit : 0, 1);
  const x = (at: number): number => ((at - first.at) / Math.max(1, last.at - first.at)) * width;
  const y = (tokens: number): number => height - (tokens / most) * (height - 8);
  const line = (of: 'tokens' | 'cached'): string =>
    points.map((point) => `${x(point.at).toFixed(1)},${y(point[of]).toFixed(1)}`).join(' ');
  const area = (of: 'tokens' | 'cached'): string => `0,${height} ${line(of)} ${width},${height}`;
  return (
    <figure class="curve-figure">
      <div class="curve-amounts small muted" aria-hidden="true">
        <span>{count(most)}</span>
        <span>{count(most / 2)}</span>
        <span>0</span>
      </div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        preserveAspectRatio="none"
        aria-label={`Tokens over ${lasted(last.at - first.at)}: ${count(first.tokens)} to ${count(last.tokens)}, of them ${count(last.cached)} from the cache`}
      >
        <line x1="0" x2={width} y1={y(most / 2)} y2={y(most / 2)} class="grid" />
        {limit !== undefined && limit <= most && (
          <line x1="0" x2={width} y1={y(limit)} y2={y(limit)} class="limit" />
        )}
        <polyline points={area('tokens')} class="area" />
        <polyline points={area('cached')} class="area cached" />
        <polyline points={line('tokens')} class="curve" />
      </svg>
      <figcaption class="row spread small muted">
        <span class="row legend">
          <span class="call">all tokens</span>
          <span class="cached">of them from the cache</span>
          {limit !== undefined && limit <= most && <span class="limit">the limit, {count(limit)}</span>}
        </span>
        <span>{lasted(last.at - first.at)}</span>
      </figcaption>
    </figure>
  );
}

const Shares = ({ of }: { readonly of: readonly Share[] }): VNode => (
  <section>
    <h2>Where it went</h2>
    <div class="table-wrap" tabIndex={0} role="region" aria-label="Where it went">
      <table>
        <thead>
          <tr>
            <th scope="col">Asked</th>
            <th scope="col">Model</th>
            {['Calls', 'Tokens', 'From the cache', 'Fresh', 'Cost'].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map(({ model, signature, calls, tokens, cached, usd }) => (
            <tr>
              <td>{plainText(signature)}</td>
              <td>{plainText(model)}</td>
              {[count(calls), count(tokens), count(cached), count(tokens - cached), money(usd)].map(
                (text) => (
                  <td class="number">{text}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
