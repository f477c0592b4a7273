import { expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';

const found = (text: string) => findSecrets(text).map(({ start, end }) => text.slice(start, end));

const one = 'q7Rk2Zp9XvB4';
const two = 'W8cLd5sHf3gJ';
const long = 'q7Rk2Zp9XvB4mTnW8cLd5sHf';

test.each([
  [`id,name,password\n1,Nora,${one}\n2,Piet,${two}\n`, [one, two]],
  [`id,name,password\n1,"Nora, N.",meadowlark\n`, ['meadowlark']],
  [`client\tsecret\tcreated\nbilling\t${long}\t2026\n`, [long]],
  [`Konto;Passwort;Inhaber\r\n"K1";"${one}#";"Ott"\r\n`, [`${one}#`]],
  [
    `Hosts:\n\n| host | password |\n|---|---|\n| nas | ${one} |\n| gate | \`${two}\` |\n\nEnd ${long}\n`,
    [one, two],
  ],
  [` id |  api_token\n----+------------\n  1 | ${long}\n(1 row)\n`, [long]],
  [
    `+----+--------------+\n| id | password     |\n+----+--------------+\n|  1 | ${one} |\n+----+--------------+\n`,
    [one],
  ],
])('the column of %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each([
  '| Option | Password |\n|---|---|\n| login | required |\n| guest | not needed |\n',
  '| Token | Meaning |\n|---|---|\n| IDENTIFIER | a name |\n| FatArrow | => |\n',
  'name, password, token\n\nA paragraph of 2 lines, with commas, as people write\n',
  'user, password = read()\nhost, port = where2()\n',
  'type,token\nkeyword,function\noperator,instanceof\n',
  'id,password\n1,[secret:password:abc123]\n2,********\n3,<password>\n',
  'id,password_changed_at\n1,2026-01-01T00:00\n',
])('none in %s', (text) => {
  expect(found(text)).toEqual([]);
});

test.each(['password,', 'password\n', 'password,a\n', '|password|\n|---|\n'])(
  'a long row of %j is gone through',
  (piece) => {
    expect(findSecrets(piece.repeat(200_000 / piece.length)).length).toBe(0);
  },
);

test.each(['\r', '\u2028', '\u2029', '\u0085', '\v', '\u0000'])('a cell that holds %j is a cell', (end) => {
  expect(found(`id,password\n1${end}2,${one}\na${end},${two}${end}\n`)).toContain(one);
  expect(found(`|id|password|\n|---|---|\n|1${end}|${two}|\n`)).toContain(two);
});
