import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { openHider } from './hide.ts';

it.each([
  ['in /srv/code/a.ts:3', 'in [root]/a.ts:3'],
  ['/srv/code', '[root]'],
  ['/srv/codec is another', '/srv/codec is another'],
  [`${homedir()}/notes`, '~/notes'],
  ['cd /home/vera/plans && ls', 'cd [path] && ls'],
  ['of /Users/vera', 'of [path]'],
  ['the material says /etc/nginx/nginx.conf', 'the material says /etc/nginx/nginx.conf'],
  ['GET https://example.com/home/index', 'GET https://example.com/home/index'],
  ['key ghp_abcdefghijklmnopqrstuvwxyz0123456789', expect.stringMatching(/^key \[secret:/)],
])('%s', (text, shown) => {
  expect(openHider('/srv/code')(text)).toEqual(shown);
});
