import { expect, test } from 'vitest';
import { removeKnownSecrets } from '../core/index.ts';
import { redact } from './redact.ts';

test.each([
  ['the key abcdef123 is wrong', ['abcdef123'], 'the key [secret] is wrong'],
  ['twice s3cr3t-x and s3cr3t-x', ['s3cr3t-x'], 'twice [secret] and [secret]'],
  ['encoded p%2Fq%2Br%3Ds', ['p/q+r=s'], 'encoded [secret]'],
  ['in JSON "a\\"bcdefg"', ['a"bcdefg'], 'in JSON "[secret]"'],
  ['a $& pattern', ['pattern'], 'a $& [secret]'],
  ['Authorization: Bearer abcdefghij', [], 'Authorization: Bearer [secret]'],
  ['sk-ant-api03-AbCdEf_123 leaked', [], '[secret] leaked'],
  ['http://user:hunter2@host/v1', [], 'http://user:[secret]@host/v1'],
  ['too short to be a secret', ['to'], 'too short to be a secret'],
  ['nothing here', ['', 'abcdef'], 'nothing here'],
])('%s', (text, secrets, clean) => {
  expect(redact(text, secrets)).toBe(clean);
});

test('texts for readers lose known secrets only, not what merely looks like one', () => {
  expect(removeKnownSecrets('the test uses sk-test-0123456789', ['sk-live-9876543210'])).toBe(
    'the test uses sk-test-0123456789',
  );
});
