import { expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';

const found = (text: string) => findSecrets(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ['smtp:\n  host: a\n  password: "*"\n', 'nine copper kettles 52'],
  ["DB_PASSWORD='*'\n", 'grey Heron by the 4th weir'],
  ["  'PASSWORD': '*',\n", 'Gr4vel under Snow!'],
  ['{"wifi_password": "*"}', 'Dachrinne 1988 rechts'],
  ['password = "*"\n', 'walnut ferry orbit cactus'],
  [
    'spring.datasource.username=a\nspring.datasource.password=*\nspring.datasource.url=b\n',
    'larkspurgatepost',
  ],
  ["connect({ user: 'reader', password: '*', host: 'h' })", 'DimHollyhock'],
  ['auth:\n  username: queue\n  password: *\n', 'goldenrodsatchel'],
  ['[client]\nuser=report\npassword=*\nhost=h\n', 'QuillPartridge'],
  ["CREATE ROLE importer LOGIN PASSWORD '*';", 'sandpiperladder'],
  ['"Server=db;User Id=sa;Password=*;"', 'Warm 6 pebbles sink'],
  ['"Server=db;User Id=sa;Pwd=*"', 'BasaltWarbler'],
  ["CREATE USER 'app'@'%' IDENTIFIED BY '*';", 'herondaffodil'],
  ["define('DB_PASSWORD', '*');", 'gravelthimble'],
  ['<ldap>\n bindpw *\n</ldap>', 'bracketwillow'],
  ['<password>*</password>', 'sandpiperladder7'],
])('behind a name: %s', (around, secret) => {
  expect(found(around.replace('*', secret))).toEqual([secret]);
});

// What programs, forms and their translations hold.
test.each([
  'password: "Enter the 6 digit code"',
  'password: "Must be at least 8 characters long"',
  '"password": "mot de passe oublie"',
  'password: "Neues Passwort 2"',
  "'password' => 'required|confirmed'",
  "'password' => 'required'",
  'password: "userPassword"',
  'password = "placeholdervalue"',
  'password = "metricsmetrics"',
  'password: SecretString\n',
  'class Login:\n    username: str\n    password: passwordhasher\n',
  'self.password = temporarily\nreturn self',
  'password = decryptedvalue(settings)\n',
  'password: encryptedvalue,\n',
  '{\n  password: somethingelse\n}',
  'passwordAgain: "CobaltLantern"',
  'password_hint: "the river behind house 9"',
  '"password": "Adgangskode", "x": 1',
  '"password": "Zaboravljena", "x": 1',
  '<label for="password">Type it twice 2</label>',
  'if (password === null) throw new Error("three blind mice 3")',
  "CREATE ROLE importer LOGIN PASSWORD 'password'",
  "CREATE USER app IDENTIFIED BY 'yourpassword'",
  "validate('password', 'CobaltLantern')",
  'a = b; password = lanternbrook;',
])('none in %s', (text) => {
  expect(found(text)).toEqual([]);
});
