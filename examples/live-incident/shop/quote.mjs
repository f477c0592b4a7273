import { rateOf } from './rates.mjs';

export function quoteOf(order) {
  const rate = rateOf(order.country);
  return { total: Math.round(order.net * (100 + rate.percent)) / 100, currency: rate.currency };
}
