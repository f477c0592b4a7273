/** What is code in a changed line, and what people read. */
import { expect, it } from 'vitest';
import { findMechanisms } from '../mechanisms.ts';
import { getDiff } from './diff.ts';
import { extractCode, isProse } from './extract-code.ts';

it.each([
  ["export const label = 'Order now'; // now", "export const label = ''; "],
  ['key = f"cart {user_id} now"', 'key = f"{user_id}"'],
  ['<button class="b">Order now</button>', '<button class="b"></button>'],
  ['Order now', ''],
  ['const q = "SELECT a FROM b WHERE date(x) = ?"', 'const q = "SELECT a FROM b WHERE date(x) = ?"'],
  ['id = headers["X-Request-Id"]', 'id = headers["X-Request-Id"]'],
  ['- cron: 0 3 * * *', '- cron: 0 3 * * *'],
  ['url = "https://rates.example/v1"  # where rates are', 'url = "https://rates.example/v1"  '],
  ["fn first<'a>(of: &'a str) -> &'a str {", "fn first<'a>(of: &'a str) -> &'a str {"],
])('code of %s', (line, code) => {
  expect(extractCode(line)).toBe(code);
});

it.each([
  ['Order now', true],
  ['Jetzt für dich ausgewählt', true],
  ['今すぐ注文', true],
  ['Purchase', false],
  ['every 5 minutes', false],
  ['yyyy-MM-dd HH:mm', false],
  ['no-store, must-revalidate', false],
  ['where day = ?', false],
  ['/srv/app/now', false],
])('%s is read by people: %s', (text, expected) => {
  expect(isProse(text)).toBe(expected);
});

const label = (was: string, is: string): string =>
  `-export const label = '${was}';\n+export const label = '${is}';`;

it.each([
  ['Buy', 'Order now'],
  ['Buy', 'random pick'],
  ['Buy', 'Purchase'],
  ['Retry with a backoff', 'Try once more'],
  ['Choose', 'Wait for the lock and sleep'],
  ['Shop', 'Look for shoes in each store'],
  ['Sale is on', 'Sale is off'],
  ['Close the cart', 'Leave the cart'],
  ['Done in 10 minutes', 'Done in 20 minutes'],
  ['Terms', 'Privacy policy and the role of a token'],
  ['Our cache and pool', 'Our sea'],
  ['Prices, all at the limit', 'Prices'],
])('a label that went from %s to %s breaks nothing', (was, is) => {
  expect(findMechanisms(getDiff(label(was, is)))).toEqual([]);
});

it.each([
  ['-key = f"cart {shop}"\n+key = f"cart {request_id}"', 'never the same'],
  ["-say('Order');\n+say('Order now'); mutex.lock();", 'waits'],
  ['-q = "SELECT id FROM o LIMIT 50"\n+q = "SELECT id FROM o"', 'unbounded'],
  ["-topic = 'orders.v1'\n+topic = 'orders.v2'", 'another name on the wire'],
])('and code beside a text does: %s', (diff, name) => {
  expect(findMechanisms(getDiff(diff)).map((found) => found.name)).toContain(name);
});
