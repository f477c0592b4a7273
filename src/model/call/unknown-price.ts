/** Explains why the money does not cover a call: a model whose price is unknown is reserved at the dearest known price. */
import type { BudgetEnd } from '../../core/index.ts';
import type { Model } from '../model.ts';
import type { Cost } from '../prices.ts';

export function unknownPriceRemedy(
  { resource }: Pick<BudgetEnd, 'resource'>,
  { name }: Pick<Model, 'name'>,
  { kind, price: { input, output } }: Cost,
): string | null {
  if (resource !== 'usd' || kind !== 'unknown') return null;
  return (
    `The price of ${name} is not known, so its calls are counted at the dearest known price ($${input} and ` +
    `$${output} per million tokens). Give its price in settings.prices, as ` +
    `{"${name}": {"input": 1, "output": 4}}, or raise max_usd.`
  );
}
