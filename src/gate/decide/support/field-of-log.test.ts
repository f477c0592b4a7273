import { describe, expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const verdict = (claim: string, content: string, path = 'server.log') =>
  checkClaims({
    answer: `${claim.replace(/\.$/, '')} [${id}].`,
    sources: [{ id, path, start: 1, end: content.split('\n').length, content }],
  })[0]!.verdict;

const gateway =
  'Jul 30 09:03:52 gate haproxy[32450]: 10.2.3.4:38862 [30/Jul/2018:09:03:52.726] berths/docs 200 "GET /tides HTTP/1.1"';
const plain = '2015-03-02 11:20:31,269 ERROR crane - could not lift';
const firewall = '2019-05-15T16:27:08Z gate Deny inbound UDP from 10.2.3.4/6502 to 10.9.9.9/53';

describe('the form of a value in a log says which field it is', () => {
  test.each<[string, string, string]>([
    ['a time', 'The timestamp is 2015-03-02 11:20:31,269.', plain],
    [
      'a time as web servers write it',
      'The timestamp is 06/Feb/2014:00:00:38 +0000.',
      '79a5 berths [06/Feb/2014:00:00:38 +0000] 10.2.3.4',
    ],
    ['a level', 'The level is ERROR.', plain],
    ['the only address', 'The address is 10.2.3.4.', gateway],
    ['a port behind an address', 'The port is 38862.', gateway],
    ['a method', 'The request method was GET.', gateway],
    ['a transport', 'The transport is UDP.', firewall],
  ])('shown: %s', (_, claim, line) => {
    expect(verdict(claim, line)).toBe('shown');
  });

  test.each<[string, string, string]>([
    ['a level that it denies', 'The level is not ERROR.', plain],
    ['a method that it denies', 'The method is not GET.', gateway],
  ])('contradicted: %s', (_, claim, line) => {
    expect(verdict(claim, line)).toBe('contradicted');
  });

  test.each<[string, string, string, string?]>([
    ['another time', 'The timestamp is 2015-03-02 11:21:31,269.', plain],
    ['one of two addresses', 'The address is 10.2.3.4.', firewall],
    ['one of two levels', 'The level is ERROR.', `${plain}\n2015-03-02 11:20:32,000 INFO crane - lifted`],
    ['a time for what is none', 'The component is 2015-03-02 11:20:31,269.', plain],
    ['a field of another form', 'The level is crane.', plain],
    ['more than the field', 'The level is ERROR on every crane.', plain],
    ['a qualified field', 'The source port is 38862.', gateway],
    ['no log', 'The protocol is TCP.', 'Unlike TCP, our protocol never waits.', 'a.md'],
  ])('not shown: %s', (_, claim, line, path) => {
    expect(verdict(claim, line, path)).not.toBe('shown');
  });
});

describe('a boolean that a function gives without writing it', () => {
  const sorted =
    'def is_sorted(items, reverse=False):\n    a, b = tee(items)\n    next(b, None)\n    return all(map(le, a, b))';
  test.each([
    ['a default is no result', 'Returns `True` if the items are sorted.', sorted],
    [
      'one is written, the other worked out',
      'Returns `True` if `n` is prime.',
      'def is_prime(n):\n    if n < 2:\n        return False\n    return all(n % d for d in range(2, n))',
    ],
  ])('is not missing: %s', (_, claim, code) => {
    expect(verdict(claim, code, 'a.py')).toBe('unclear');
  });

  test.each([
    ['all results are written', 'It returns `True`.', 'def on():\n    return False'],
    [
      'it returns another',
      'The default of `reverse` is `True`.',
      'def order(items, reverse=False):\n    pass',
    ],
  ])('is missing: %s', (_, claim, code) => {
    expect(['not shown', 'contradicted']).toContain(verdict(claim, code, 'a.py'));
  });
});
