import { expect, it } from 'vitest';
import type { Configuration } from '../config/index.ts';
import { openConfiguredAccess } from './configured-access.ts';

const open = (values: object) =>
  openConfiguredAccess(
    { values: { oidc_team_claim: 'groups', store: 'sqlite', ...values } } as Pick<Configuration, 'values'>,
    {
      tokenCheck: { check: () => ({ kind: 'unknown' }) },
      place: { kind: 'workspace', workspace: 'notes', id: 'ws-1' },
      workspace: null,
    },
  );

it('is not there unless a provider is configured', async () => {
  expect(await open({})).toBeNull();
});

it.each([
  ['an issuer alone', { oidc_issuer: 'https://id.example.com' }, /oidc_audience is not set/],
  ['an audience alone', { oidc_audience: 'sonde' }, /oidc_issuer is not set/],
  [
    'keys over an unprotected connection',
    { oidc_issuer: 'http://id.example.com', oidc_audience: 'sonde' },
    /unprotected connection/,
  ],
])('is refused: %s', async (_name, values, message) => {
  await expect(open(values)).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringMatching(message),
  });
});

it('takes a provider of this machine, or one that is reached safely', async () => {
  for (const oidc_issuer of ['https://id.example.com', 'http://127.0.0.1:9', 'http://localhost:9'])
    await (await open({ oidc_issuer, oidc_audience: 'sonde' }))?.close();
});
