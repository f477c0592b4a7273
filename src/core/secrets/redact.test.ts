import { expect, test } from 'vitest';
import { maskDeep, maskSecrets, removeKnownSecrets } from './redact.ts';

// Put together here, so that no scanner of this repository takes them for real ones.
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join('.');
const aws = `AKIA${'IOSFODNN7EXAMPLE'}`;
const github = `ghp_${'a1B2'.repeat(9)}`;
const slack = `xoxb-${'123456789012'}-abcDEF`;
const stripe = `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`;
const pem = (kind: string, body: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;

test.each([
  ['password=hunter2 user=bob', 'password=[secret] user=bob'],
  ['DB_PASSWORD: "hun ter2", next', 'DB_PASSWORD: "[secret]", next'],
  ['{"password":"a\\nb","user":"bob"}', '{"password":"[secret]","user":"bob"}'],
  ['{\\"api_key\\":\\"abc\\",\\"n\\":1}', '{\\"api_key\\":\\"[secret]\\",\\"n\\":1}'],
  ["aws_secret_access_key = 'wJalrXUtnFEMI/K7MDENG'", "aws_secret_access_key = '[secret]'"],
  [`key ${aws} used`, 'key [secret] used'],
  ['Authorization: Bearer abcdefghij', 'Authorization: Bearer [secret]'],
  ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [secret]'],
  ['authorization: ApiKey zzz yyy', 'authorization: [secret]'],
  ['{"authorization":"Token abc"}', '{"authorization":"[secret]"}'],
  ['Cookie: sid=abc; other=def', 'Cookie: [secret]'],
  ['{"cookie": ["sid=abc; other=def"]}', '{"cookie": ["[secret]"]}'],
  ['X-Api-Key: 0123', 'X-Api-Key: [secret]'],
  [`saw ${jwt} here`, 'saw [secret] here'],
  [`saw ${github} here`, 'saw [secret] here'],
  [`saw ${slack} here`, 'saw [secret] here'],
  [`saw ${stripe} here`, 'saw [secret] here'],
  ['https://hooks.slack.com/services/T0/B0/xyz', 'https://hooks.slack.com/services/[secret]'],
  ['postgres://app:s3cr/t@db:5432/shop', 'postgres://app:[secret]@db:5432/shop'],
  ['redis://:p@ss@cache:6379', 'redis://:[secret]@cache:6379'],
  ['https://user:hunter2@host/v1', 'https://user:[secret]@host/v1'],
  [`a ${pem('RSA PRIVATE KEY', 'MIIEow\nIBAAK')} b`, `a ${pem('RSA PRIVATE KEY', '[secret]\n[secret]')} b`],
  ['-----BEGIN PRIVATE KEY-----\nMIIEvQ cut', '-----BEGIN PRIVATE KEY-----\n[secret]'],
  ['GET /v1?access_token=abc123&x=1', 'GET /v1?access_token=[secret]&x=1'],
  ['run --password hunter2 --host db', 'run --password [secret] --host db'],
  ['curl -u bob:hunter2 http://x', 'curl -u bob:[secret] http://x'],
  ["CREATE USER x IDENTIFIED BY 'hunter2'", "CREATE USER x IDENTIFIED BY '[secret]'"],
  ["ALTER ROLE x WITH PASSWORD 'hunter2'", "ALTER ROLE x WITH PASSWORD '[secret]'"],
  ['CONFIG requirepass foobared', 'CONFIG requirepass [secret]'],
  [
    'DefaultEndpointsProtocol=https;AccountKey=abc+/==;x',
    'DefaultEndpointsProtocol=https;AccountKey=[secret];x',
  ],
  ['client_secret: "x"', 'client_secret: "[secret]"'],
  ['if password == "hunter2" {', 'if password == "[secret]" {'],
  ["if (token === 'a1b2c3')", "if (token === '[secret]')"],
  ['password==hunter2', 'password==[secret]'],
])('%s', (text, clean) => {
  expect(maskSecrets(text)).toBe(clean);
  // Masking what is masked changes nothing.
  expect(maskSecrets(clean)).toBe(clean);
});

// What an investigation needs stays as it is.
test.each([
  'commit c62e9decee7bb083f3628909019dd66e25dd25d8 by priya',
  'trace_id=8a4afd972f32f3e40110331cc02a344d took 12 ms',
  'token expired for user 12',
  'invalid token: expired',
  'max_tokens=4096 tokens: 12',
  // Folders and names that begin like keys.
  '/tmp/run-25147-glcszL/sonde-logs-tHkhsr/nowhere does not exist',
  'npm/lib/node_modules/npm/bin failed, npm_config_update_notifier=false',
  'pull-requests-of-last-week/index.html, pulled-from/registry.internal/shop',
  'hfs/volumes/data/segment-000017 and dapi/controllers/orders.go, shpat/readme-for-users.md',
  'password := os.environ["DB"]',
  'apiKey: process.env.API_KEY',
  'token = getToken(ctx)',
  'if page.NextToken == "" {',
  'if password == stored.password:',
  "while (secret === '') return null;",
  'if token == nil {',
  'at http://10.0.0.1:8080/users/@me',
  'cache.key.kind=item ttl=15s',
  'context.WithTimeout(ctx, 300*time.Millisecond)',
  'risk-assessment-service restarted',
])('%s is kept', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test('a long text without spaces takes no longer than a short one for each character', () => {
  const long = `${'a'.repeat(200_000)}password=hunter2`;
  expect(maskSecrets(long).endsWith('password=[secret]')).toBe(true);
});

test('known secrets go, however they are written', () => {
  expect(removeKnownSecrets('p/q+r=s and p%2Fq%2Br%3Ds and "a\\"bcdefg"', ['p/q+r=s', 'a"bcdefg'])).toBe(
    '[secret] and [secret] and "[secret]"',
  );
});

test('what is made of texts is masked as deep as it goes, and by the names of its fields', () => {
  const value = {
    rows: [
      ['password=hunter2hunter2', 3, null],
      { db_password: 'x', api_key: 'abc', n: 1, tokens: 12, token: '' },
    ],
  };
  const clean = maskDeep(value);
  expect(clean).toEqual({
    rows: [
      ['password=[secret]', 3, null],
      { db_password: '[secret]', api_key: '[secret]', n: 1, tokens: 12, token: '' },
    ],
  });
  expect(Object.isFrozen(clean.rows[1])).toBe(true);
  expect(value.rows[0]).toContain('password=hunter2hunter2');
});
