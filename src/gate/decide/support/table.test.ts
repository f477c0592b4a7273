import { describe, expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const verdict = (claim: string, content: string, header = '') =>
  checkClaims({
    answer: `${claim} [${id}].`,
    sources: [{ id, path: 'notes.md', start: 1, end: content.split('\n').length, content, header }],
  }).map((one) => one.verdict)[0];

const plans = `|                   | Sync Standard | Sync Plus       |
| ----------------- | ------------- | --------------- |
| Synced vaults     | 1             | 10              |
| Maximum file size | 5 MB          | 200 MB          |
| Total storage     | 1 GB          | 10 GB to 100 GB |
| [[History]]       | 1 month       | 12 months       |
| Devices           | Unlimited     | Unlimited       |`;
const ports = `| Puerto | Servicio típico |
|---|---|
| 22/TCP | SSH (acceso remoto seguro) |
| 80/TCP | HTTP (web sin cifrar) |
| 443/TCP | HTTPS (web cifrada) |`;

describe('what a table has in the row and the column that a claim names', () => {
  test.each<[claim: string, table: string]>([
    ['The maximum file size of Sync Standard is 5 MB', plans],
    ['With Sync Plus the maximum file size is 200 MB', plans],
    ['Plus has a maximum file size of 200 MB', plans],
    ['The history on Plus is 12 months', plans],
    ['Devices are unlimited on Sync Standard', plans],
    ['El puerto 22/TCP es para SSH', ports],
    ['El servicio típico del puerto 443/TCP es HTTPS', ports],
  ])('%s: shown', (claim, table) => {
    expect(verdict(claim, table)).toBe('shown');
  });

  test.each<[claim: string, table: string]>([
    ['The maximum file size of Sync Plus is 5 MB', plans],
    ['The history of Standard is 12 months', plans],
    ['El servicio típico del puerto 80/TCP es HTTPS', ports],
    ['El puerto 22/TCP es para HTTP', ports],
  ])('%s: contradicted', (claim, table) => {
    expect(verdict(claim, table)).toBe('contradicted');
  });

  test.each([
    'The maximum file size of Sync Plus is more than 200 MB',
    'The maximum file size is 200 MB',
    'Sync Plus needs a maximum file size of 200 MB',
    'The total storage of Sync Plus is 10 GB',
    'The history on Plus was 12 months until May',
  ])('%s: not settled by the table', (claim) => {
    expect(verdict(claim, plans)).not.toBe('shown');
  });

  test('the titles may stand in the header', () => {
    const [titles = '', , ...rows] = plans.split('\n');
    expect(verdict('The maximum file size of Sync Plus is 200 MB', rows.join('\n'), titles)).toBe('shown');
    expect(verdict('The maximum file size of Sync Plus is 5 MB', rows.join('\n'), titles)).toBe(
      'contradicted',
    );
  });

  test('two columns the other way round are not shown', () => {
    const trips = '| From | To |\n|---|---|\n| Anna | Bob |\n| Clara | Dora |';
    expect(verdict('From Bob to Anna', trips)).not.toBe('shown');
    expect(verdict('It goes from Bob to Anna', trips)).not.toBe('shown');
    expect(verdict('From Anna to Bob', trips)).toBe('shown');
  });

  test('a row that stands twice says neither', () => {
    const twice = `${ports}\n| 22/TCP | FTP |`;
    expect(verdict('El puerto 22/TCP es para SSH', twice)).not.toBe('shown');
  });
});
