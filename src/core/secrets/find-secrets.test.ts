import { expect, test } from 'vitest';
import { findSecrets, mayHoldSecret } from './find-secrets.ts';

// Put together here, so that no scanner of this repository, and not Sonde itself, takes them for real ones.
const letters = 'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo0iEwPbNxMzSt';
const drawn = (length: number): string => letters.repeat(4).slice(0, length);
const hex = (length: number): string => '9f3a71c05be2d846'.repeat(10).slice(0, length);
const body = `MIIE${drawn(60)}\n${drawn(64)}\n${drawn(20)}==`;
const pem = (label: string, text: string) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----`;

/** What is found, as `kind` and text. */
const found = (text: string) =>
  findSecrets(text).map(({ start, end, kind }) => [kind, text.slice(start, end)] as const);

test.each([
  ['aws', (s: string) => `key = ${s};`, `AKIA${'QWERTYUIOPASDFG7'}`],
  ['anthropic', (s: string) => `x ${s}`, `sk-ant-api03-${drawn(60)}`],
  ['openai', (s: string) => `('${s}')`, `sk-proj-${drawn(48)}`],
  ['github', (s: string) => `//${s}@github.com`, `ghp_${drawn(36)}`],
  ['github', (s: string) => `a\\n${s}`, `github_pat_${drawn(50)}`],
  ['gitlab', (s: string) => `"${s}"`, `glpat-${drawn(20)}`],
  ['slack', (s: string) => s, `xoxb-${'123456789012'}-${drawn(24)}`],
  ['stripe', (s: string) => s, `sk_live_${drawn(24)}`],
  ['google', (s: string) => `?key=${s}&a=b`, `AIza${drawn(35)}`],
  ['npm', (s: string) => `//registry.npmjs.org/:_authToken=${s}`, `npm_${drawn(36)}`],
  ['sendgrid', (s: string) => s, `SG.${drawn(22)}.${drawn(43)}`],
  ['jwt', (s: string) => `token ${s} here`, `eyJ${drawn(20)}.eyJ${drawn(30)}.${drawn(30)}`],
  ['azure', (s: string) => `AccountName=a;AccountKey=${s};`, `${drawn(86)}==`],
  ['azure', (s: string) => `secret ${s}`, `abc8Q~${drawn(34)}`],
  ['telegram', (s: string) => `bot${s.slice(0, 0)} ${s}`, `1234567890:AA${drawn(33)}`],
  ['mailchimp', (s: string) => `k ${s}`, `${hex(32)}-us12`],
  ['url_password', (s: string) => `postgres://app:${s}@db:5432/shop`, 'n0tSoEasy!9'],
  ['url_password', (s: string) => `amqp://u:${s}@h`, 'p%40ssw%3Ard7'],
  ['password', (s: string) => `connect(user="billing", password="${s}")`, 'Wq8!zP4#rT'],
  ['password', (s: string) => `data:\n  password: ${s}\n  username: x`, 'V3E4IXpQNCNyVHNlY3JldA=='],
  ['password', (s: string) => `  POSTGRES_PASSWORD: ${s}\n`, 'correct-horse-7-battery'],
  ['password', (s: string) => `aws.secretAccessKey=${s}\n`, `wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLE'}KEY`],
  ['url_password', (s: string) => `mongodb+srv://u:${s}@h/db`, 'mySecret789'],
  ['tailscale', (s: string) => s, `tskey-auth-${drawn(12)}-${drawn(24)}`],
  ['github', (s: string) => s, `ghs_12345_eyJ${drawn(40)}`],
  ['password', (s: string) => `DB_PASSWORD=${s}\nNEXT=1`, 'Xk9#mQ2$vL7p'],
  ['password', (s: string) => `password: ${s}\n`, 'Pl4net&0rbit|7'],
  ['password', (s: string) => `  smtp.password = ${s}\r\n`, 'a7;Qd{k}2,Zz9'],
  ['password', (s: string) => `- password: ${s} # of the lab`, 'Lk3&Xq8;Wd5%'],
  ['password', (s: string) => `user: zed\npassword: ${s}\nhost: db`, 'marble42gardens'],
  ['password', (s: string) => `password: '${s}'`, 'Sup3rS3cret!42'],
  ['password', (s: string) => `{"db_password":"${s}"}`, 'a9!kDmz0Pq'],
  ['password', (s: string) => `<password>${s}</password>`, 'kq8!Zm2@pL0x'],
  ['password', (s: string) => `- name: DB_PASSWORD\n  value: "${s}"`, 'kq8!Zm2@pL0x'],
  ['token', (s: string) => `api_token = "${s}"`, drawn(32)],
  ['token', (s: string) => `const apiKey: string = '${s}';`, hex(40)],
  ['token', (s: string) => `setApiKey("${s}")`, drawn(32)],
  [
    'private_key',
    (s: string) => `a\n-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
    body,
  ],
  ['private_key', (s: string) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}`, body],
  ['private_key', (s: string) => `${s}\n-----END PRIVATE KEY-----`, body],
  ['password', (s: string) => `machine api.example.com login zed password ${s}`, 'J6H3u0EGhgErQp9g'],
  ['password', (s: string) => `machine h\n  login zed\n  password ${s}\n`, 'J6H3u0EGhgErQp9g'],
  ['password', (s: string) => `sshpass -p '${s}' ssh a@b`, 'xArC2qYe46p5wajY'],
  ['password', (s: string) => `sshpass -p${s} scp x`, 'xArC2qYe46p5wajY'],
  ['password', (s: string) => `docker login -u zed -p ${s} reg.io`, 'xArC2qYe46p5wajY'],
  ['password', (s: string) => `mysqldump -uroot -p${s} prod`, 'xArC2qYe46p5wajY'],
  ['password', (s: string) => `tool --user z --password ${s} --host h`, 'xArC2qYe46p5wajY'],
  ['token', (s: string) => `["vault", "login", "--token", "${s}"]`, drawn(32)],
  ['token', (s: string) => `run --api-key ${s}\n`, drawn(32)],
  ['password', (s: string) => `port 1\nrequirepass ${s}\n`, 'uzIQiYq8tAUfEPew'],
  ['password', (s: string) => `db.example.com:5432:prod:app:${s}\n`, 'uzIQiYq8tAUfEPew'],
  ['password', (s: string) => `password: >-\n  ${s}\nuser: x`, 'uzIQiYq8tAUfEPew'],
  ['authorization', (s: string) => `{'Authorization': 'token ${s}'}`, hex(40)],
  ['authorization', (s: string) => `Authorization: ApiKey ${s}\n`, drawn(32)],
  ['passphrase', (s: string) => `passphrase: "${s}"`, 'tangerine orbit velvet 9 magnet'],
  ['passphrase', (s: string) => `export GPG_PASSPHRASE='${s}'`, 'Zanzibar Lantern Quilt Ocean'],
  [
    'mnemonic',
    (s: string) => `mnemonic: "${s}"`,
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
  ],
  ['discord', (s: string) => `client.login('${s}')`, `MTI${drawn(23)}.GabcdE.${drawn(38)}`],
  ['buildkite', (s: string) => s, `bkua_${hex(40)}`],
  ['heroku', (s: string) => s, `HRKU-${drawn(60)}`],
  ['circleci', (s: string) => s, `CCIPAT_${drawn(22)}_${hex(40)}`],
  ['pinecone', (s: string) => s, `pcsk_${drawn(60)}`],
  ['resend', (s: string) => s, `re_${drawn(8)}_${drawn(24)}`],
  ['launchdarkly', (s: string) => s, 'sdk-9f3a71c0-5be2-d846-9f3a-71c05be2d846'],
  ['asana', (s: string) => s, `1/1203456789012345:${hex(32)}`],
])('%s: %s', (kind, around, secret) => {
  expect(found(around(secret))).toEqual([[kind, secret]]);
  const bytes = Buffer.from(around(secret));
  expect(mayHoldSecret(bytes, bytes.length)).toBe(true);
});

test('a key within a literal, quoted line by line, is found up to its end', () => {
  const literal = body
    .split('\n')
    .map((line) => `  "${line}\\n" +`)
    .join('\n');
  const text = `const key = "-----BEGIN EC PRIVATE KEY-----\\n" +\n${literal}\n  "-----END EC PRIVATE KEY-----";`;
  const [[kind, secret]] = found(text) as [[string, string]];
  expect(kind).toBe('private_key');
  for (const line of body.split('\n')) expect(secret).toContain(line);
});

// What programs hold that is named like a secret, or looks like one.
test.each([
  "if (text.startsWith('-----BEGIN RSA PRIVATE KEY-----')) return parse(text);",
  pem('CERTIFICATE', body),
  pem('PUBLIC KEY', body),
  'password = os.environ["DB_PASSWORD"]',
  'const token = getToken(request.headers.authorization);',
  'password: string;',
  'apiKey: process.env.OPENAI_API_KEY2',
  'password = "changeme"',
  "token: 'your-token-here-1234567890'",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a program holds.
  'api_key = "${API_KEY_2}"',
  'api_key: "<YOUR_API_KEY_HERE_123456>"',
  'token = "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
  'https://user:password@example.com/path',
  'http://localhost:8080/users/@me',
  "new Transport(self::USER, self::PASSWORD, 'eu-west-1', null)",
  'run("up", "--authkey=" + authKey, "--advertise-routes=172.31.42.0/24")',
  'mailer://ACCESS_KEY:SECRET_KEY@default',
  'sms://apiKey:authToken@default?from=06112233',
  'mysql://cacheuser:cachepass@localhost/cache',
  'mongodb://user:?collection=a@localhost',
  'content_path = path("credentials", "KnAM4a_development2.yml.enc")',
  'case Secret:\n\t\tk8sObjects = append(k8sObjects, o2)',
  'see https://example.com:443/a?b=c@d',
  'const tokenizer = new Tokenizer2("bert-base-uncased-v2");',
  'maxTokens: 128000, tokenCount = 4096',
  'secret_name = "prod/db/credentials-v2"',
  'password_field = "user_password_input_2"',
  'csrf_token = "cf50faa3fe97702ca1ae99"',
  'next_page_token: "CAUQAA9f3a71c05be2d846"',
  'publicKey = "9f3a71c05be2d8469f3a71c05be2d8469f3a71c05be2d846"',
  'integrity sha512-q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe1uQo0iEwPbNxMzSt==',
  'commit c62e9decee7bb083f3628909019dd66e25dd25d8',
  'key: value, monkey: true, keyboard = "us-intl-2"',
  'password_reset_url = "https://example.com/reset/123456789"',
  'the login form asks for a name and password before anything else',
  'login: user1 password: is asked for',
  'cli login --password-stdin < file',
  'cli --token $TOKEN --secret "$SECRET2" --password <password>',
  'requirepass foobared',
  'usage: sshpass -p password ssh host',
  'mysql -uroot -p -h db1.example.com',
  'mkdir -p build/output2 && docker login registry2.example.com',
  'Authorization: AWS4-HMAC-SHA256 Credential=…',
  "headers['Authorization'] = authorization_header_value",
  'passphrase: "enter the passphrase of your key"',
  "passphrase = 'Wrong passphrase was given.'",
  'mnemonic: "a word that stands for an instruction of the processor in this table here"',
  'password: |\n  Choose one with 8 letters',
  'rnd_seed_of_the_generator, fw_version, re_match_all, sl.append(x)',
  'api-version=2021-04-01, sdk-tools-linux-4333796.zip',
  'assert.equal(secretKeyLength, 32)',
  `data:image/png;base64,${drawn(48)}EAAA${drawn(60)}`,
])('%s holds none', (text) => {
  expect(found(text)).toEqual([]);
});

test('a secret within a secret is one, with the kind that says most', () => {
  const token = `ghp_${drawn(36)}`;
  expect(found(`password = "${token}"`)).toEqual([['github', token]]);
  expect(found(`https://bot:${token}@github.com/a/b`)).toEqual([['github', token]]);
});

test.each([
  '://a:',
  'password=a',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----END PRIVATE KEY-----\n',
  'token=',
  'AAAAAAAA-us1',
  'eyJ',
  'Bearer ',
  'secret"',
  '--password ',
  'login a password ',
  'mysql -p',
  'docker login -p ',
  'authorization: ',
  'passphrase="a b',
  'mnemonic: abc ',
  'password: >\n ',
  'password value: ',
])('a long row of %j is gone through in one pass', (piece) => {
  // With work that grows faster than the text this would not end within the time of a test.
  const text = piece.repeat(400_000 / piece.length);
  expect(findSecrets(text).length).toBeLessThan(text.length);
});
