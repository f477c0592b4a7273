import { expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';

const found = (text: string) => findSecrets(text).map(({ start, end }) => text.slice(start, end));

const drawn = 'q7Rk2Zp9XvB4mTnW8cLd5sHf3gJy6aKe';
const other = '9f3a71c05be2d8469f3a71c05be2d846';

test.each([
  [`curl -H 'Cookie: sid=${drawn}; theme=dark' http://h`, [drawn]],
  [`Cookie: theme=dark; sid=${drawn}; remember=${other}\n`, [drawn, other]],
  [`Set-Cookie: PHPSESSID=${other}; path=/; HttpOnly; Secure\n`, [other]],
  [`Set-Cookie: Expires=Wed, 21 Oct 2026 07:28:00 GMT; a=${drawn}\n`, [drawn]],
  [`{"name": "Cookie", "value": "_app=${drawn}; locale=fr"}`, [drawn]],
  [`{"cookie": "a=${drawn}; b=2"}`, [drawn]],
  [`'Cookie' => 'a=${drawn}'`, [drawn]],
  [`curl --cookie 'a=${drawn}' http://h`, [drawn]],
  [`"POST /login" 302 set-cookie="JSESSIONID=${drawn}; Path=/app" rt=0.1`, [drawn]],
  [`curl -s -b 'auth=${drawn}' https://h`, [drawn]],
  [`requests.get(u, cookies={'sid': '${drawn}', 'lang': "fr", 'x': '${other}'})`, [drawn, other]],
  [`{"cookie": ["a=${drawn}; b=1"]}`, [drawn]],
  [`cookie: connect.sid=s%3A${drawn}.Zp0Q; cart=17`, [`s%3A${drawn}.Zp0Q`]],
])('values: %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each([
  'Cookie: theme=dark; lang=en-GB; consent=accepted-all-2024',
  'Set-Cookie: id=a3fWa; Max-Age=2592000; Domain=shop.example.com; Path=/a1b2c3d4e5f6g7h8',
  'Cookie: _ga=GA1.2.1234567890.1600000000',
  'Cookie: sessionid=YOUR_SESSION_ID_1234567',
  "res.cookie('name', value2, { httpOnly: true })",
  'const cookie = parse(document.cookie);',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what a program holds.
  'Cookie: `sid=${sessionIdOfTheUser1}`',
])('none in %s', (text) => {
  expect(found(text)).toEqual([]);
});

test.each(['Cookie: ', 'Cookie: a=', 'Cookie: a=b; '])('a long row of %j is gone through', (piece) => {
  const text = piece.repeat(200_000 / piece.length);
  expect(findSecrets(text)).toEqual([]);
});
