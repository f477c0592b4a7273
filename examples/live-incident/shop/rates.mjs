const rates = new Map([
  ['de', { percent: 19, currency: 'EUR' }],
  ['fr', { percent: 20, currency: 'EUR' }],
  ['gb', { percent: 20, currency: 'GBP' }],
]);

export function rateOf(country) {
  return rates.get(country.toLowerCase());
}
