import type { VNode } from 'preact';
import type { Amounts } from '../../api/types.ts';
import { count, money } from '../../parts/words.ts';
import type { Spending } from './rows.ts';

const width = 640;
const height = 120;
const maxPoints = 400;

/** Tokens over time, with the limit where there is one. */
export function SpendingView({
  spending,
  limits,
  spent,
}: {
  readonly spending: readonly Spending[];
  readonly limits: Amounts;
  readonly spent: Amounts;
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
    </section>
  );
}

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
  const line = points.map(({ at, tokens }) => `${x(at).toFixed(1)},${y(tokens).toFixed(1)}`).join(' ');
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        preserveAspectRatio="none"
        aria-label={`Tokens over time: ${count(first.tokens)} to ${count(last.tokens)}`}
      >
        {limit !== undefined && limit <= most && (
          <line x1="0" x2={width} y1={y(limit)} y2={y(limit)} class="limit" />
        )}
        <polyline points={`0,${height} ${line} ${width},${height}`} class="area" />
        <polyline points={line} class="curve" />
      </svg>
      <figcaption class="small muted">Tokens over time</figcaption>
    </figure>
  );
}
