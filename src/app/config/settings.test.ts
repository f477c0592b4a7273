import { expect, it } from 'vitest';
import { modelForms } from '../../model/index.ts';
import { factsOf, modelNames, settingKeys } from './settings.ts';

it('names the same models as the room that knows them', () => {
  expect(modelNames.split(', ')).toEqual(modelForms.flatMap(([form]) => form.split(', ')));
});

it.each(settingKeys)('%s says what it is and what it allows', (name) => {
  const { what, allowed, env, secret } = factsOf(name);
  expect(what).toMatch(/^[A-Z].*\.$/);
  expect(allowed).not.toBe('');
  expect(/_(api_key|token|login)$/.test(name)).toBe(secret === true);
  for (const variable of env) expect(variable).toMatch(/^[A-Z_]+$/);
});
