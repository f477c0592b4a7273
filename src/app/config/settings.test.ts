import { expect, it } from 'vitest';
import { serverLanguages } from '../../code/servers/index.ts';
import { modelForms } from '../../model/index.ts';
import { modelNames, parseSetting, settingKeys, specOf } from './settings.ts';

it('names the same models as the room that knows them', () => {
  expect(modelNames.split(', ')).toEqual(modelForms.map(([form]) => form));
});

it.each(settingKeys)('%s says what it is and what it allows', (name) => {
  const { what, allowed, env, secret } = specOf(name);
  expect(what).toMatch(/^[A-Z].*\.$/);
  expect(allowed).not.toBe('');
  expect(/_(api_key|secret_key|token|login|password)$|^store_url$/.test(name)).toBe(secret === true);
  for (const variable of env) expect(variable).toMatch(/^[A-Z_]+$/);
});

const servers = (value: unknown) => parseSetting('language_servers', value);

it('names the same language servers as the room that knows them', () => {
  for (const name of serverLanguages) expect(servers(name)?.value).toEqual({ [name]: {} });
});

it.each<[unknown, unknown]>([
  ['ts, python', { typescript: {}, python: {} }],
  ['TS,js', { typescript: {} }],
  ['off', {}],
  ['', {}],
  ['{"py": {"command": ["/opt/pyright", "--stdio"]}}', { python: { command: ['/opt/pyright', '--stdio'] } }],
  [{ rs: { settings: { 'rust-analyzer': {} } } }, { rust: { settings: { 'rust-analyzer': {} } } }],
  ['perl', undefined],
  ['{', undefined],
  ['{"ts": {"command": []}}', undefined],
  [{ ts: { program: 'x' } }, undefined],
  [['ts'], undefined],
  [7, undefined],
])('language servers of %j are %j', (given, wanted) => {
  expect(servers(given)?.value).toEqual(wanted);
});
