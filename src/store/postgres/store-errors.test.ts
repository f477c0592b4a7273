/** Errors of the store tell what went wrong, and nobody where it is or who uses it. */
import { expect, it } from 'vitest';
import { isSondeError } from '../../core/index.ts';
import { toStoreError } from './store-errors.ts';

const url = 'postgres://planted_user:planted%2Dword@db.planted.example:6543/planted_base';
const error = (message: string, code: string): Error => Object.assign(new Error(message), { code });

it.each([
  ['connect ECONNREFUSED 10.1.2.3:6543', 'ECONNREFUSED', 'store_away', 'connect ECONNREFUSED its address'],
  ['connect ECONNREFUSED ::1:6543', 'ECONNREFUSED', 'store_away', 'connect ECONNREFUSED its address'],
  ['getaddrinfo ENOTFOUND db.planted.example', 'ENOTFOUND', 'store_away', 'getaddrinfo ENOTFOUND …'],
  ['connect ETIMEDOUT db.planted.example:6543', 'ETIMEDOUT', 'store_away', 'connect ETIMEDOUT …'],
  [
    'password authentication failed for user "planted_user"',
    '28P01',
    'store_unusable',
    'password authentication failed for user',
  ],
  [
    'no pg_hba.conf entry for host "10.1.2.3", user "planted_user", database "planted_base", no encryption',
    '28000',
    'store_unusable',
    'no pg_hba.conf entry for host, user, database, no encryption',
  ],
  ['database "planted_base" does not exist', '3D000', 'store_unusable', 'database does not exist'],
  [
    'role "planted_user" is not permitted to log in',
    '28000',
    'store_unusable',
    'role is not permitted to log in',
  ],
  ['permission denied for table runs', '42501', 'store_unusable', 'permission denied for table runs'],
  ['timeout expired at 12:30:01', 'X', 'store_away', 'timeout expired at 12:30:01'],
] as const)('%s', (message, code, expected, told) => {
  const made = toStoreError(url, error(message, code));
  expect(made).toMatchObject({ code: expected, message: expect.stringContaining(`: ${told}`) });
  if (isSondeError(made)) expect(made.message + made.remedy).not.toMatch(/planted|10\.1\.2\.3|6543/);
});
