import { describe, expect, test } from 'vitest';
import { checkClaims } from './check-claims.ts';

const id = 'ev-0123456789';
const verdict = (claim: string, content: string, path = 'src/berths.py') =>
  checkClaims({
    answer: `${claim.replace(/\.$/, '')} [${id}].`,
    sources: [{ id, path, start: 1, end: content.split('\n').length, content }],
  })[0]!.verdict;

const ranges = [
  'def ranges_of(side: str, berth_text: str, berth: Berth) -> list[Span]:',
  '    if berth_text.endswith("*"):',
  '        return open_ranges(side, berth)',
  '    return plain_ranges(side, berth, "+" in berth_text)',
].join('\n');
const places = ['def place_of(values, test=bool):', '    return compress(count(), map(test, values))'].join(
  '\n',
);
const odd = [
  'def to_odd(n):',
  '    s = ((n - 1) ^ n).bit_length() - 1',
  '    d = n >> s',
  '    assert (1 << s) * d == n',
  '    return s, d',
].join('\n');
const plain = ['def as_plain(self, many=False):', '    return {k: self[k] for k in self}'].join('\n');
const parsed = [
  'def _handle_dock_offer(self, message):',
  '    key = message.take_text()',
  '    self.tower.check(key)',
].join('\n');
const tower = ['def host_of(environ):', '    return raw_host(environ["HTTP_HOST"], server_of(environ))'].join(
  '\n',
);
const split = ['def parts_of(text):', '    return tuple(int(p) for p in text.split("."))'].join('\n');
const signed = ['def sign(self, message):', '    return self._context.sign(message)'].join('\n');

describe('a true sentence is not refused for words that lines of code need not hold', () => {
  test.each<[why: string, claim: string, content: string, path?: string]>([
    ['parameters without their types', 'Ranges for one `(side, berth_text)`.', ranges],
    ['what a test comes to', 'Gives the place of each value for which `test` returns `True`.', places],
    ['a figure of a formula', 'Returns s, d such that 2**s * d == n.', odd],
    ['the type that a literal makes', 'Gives a plain `dict` of what is in it.', plain],
    ['a type that no line names', 'Gives the `bytes` of the message, signed.', signed],
    ['a constant named in a handler', 'Handles the HARBOUR_MSG_DOCK_OFFER message.', parsed],
    ['the form of a value', 'Gets the `host:port` of a request.', tower],
    ['what an example becomes', 'Turns a text like `"7.1.x"` into `("7", 1, "x")`.', split],
    ['a likeness', 'Similar in nature to `sorted`, it gives the parts of a text.', split],
    ['a protocol that the path names', 'Signs an SSH2 message.', signed, 'harbour/ssh_sign.py'],
    ['a product', 'Signs a message for OpenSSH.', signed],
    [
      'the number behind a hash sign',
      'The pid is 11479.',
      'I, [2010-12-29T11:15:32.321744 #11479]  INFO -- : berths: started',
      'berths.log',
    ],
    [
      'a word of the name of the file',
      'crane tower1: a login.',
      '1 2019-05-15T16:27:08Z login ok',
      'crane_tower1.log',
    ],
    [
      'a name of another form than the one beside its words',
      'Edit pages on the go in your harbour site using Tiller.',
      [
        '[TillerCMS](https://tiller.example/) is a system supporting on-page editing in a harbour site.',
        '',
        'You will use the [Tiller plugin](https://tiller.example/plugin) to connect it.',
      ].join('\n'),
      'tiller.md',
    ],
  ])('%s', (_, claim, content, path) => {
    expect(['shown', 'unclear']).toContain(verdict(claim, content, path));
  });

  test.each<[why: string, claim: string, content: string, path?: string]>([
    [
      'a type beside another',
      'Gives a plain `list` of what is in it.',
      'def plain(self) -> dict:\n    return dict(self)',
    ],
    ['a constant of another message', 'Handles the HARBOUR_MSG_DOCK_REFUSE message.', parsed],
    ['parameters that it does not have', 'Ranges for one `(side, harbour_text)`.', ranges],
    ['a name beside a plain value', 'Returns `False` when `harbour_text` is empty.', ranges],
    ['a figure beside a name', '`as_plain` keeps 16 of them.', plain],
    [
      'the number of another process',
      'The pid is 11480.',
      'I, [2010-12-29T11:15:32.321744 #11479]  INFO -- : berths: started at info level',
      'berths.log',
    ],
  ])('still not shown: %s', (_, claim, content, path) => {
    expect(verdict(claim, content, path)).toBe('not shown');
  });
});

test('the number of a process is not the level of what it logs', () => {
  const line = 'I, [2010-12-29T11:15:32.321744 #11479]  INFO -- : berths: started at info level';
  expect(verdict('The level is 11479.', line, 'berths.log')).toBe('unclear');
});

describe('what stands under a heading is said of it', () => {
  const page = [
    '# Harbour office',
    '',
    '## Chairs',
    '',
    '* Ana Kell (**[@anakell](https://example.com/anakell)**), Seabed',
    '',
    '## Technical leads',
    '',
    '* Bo Rusk (**[@borusk](https://example.com/borusk)**), Tideway',
  ].join('\n');
  test.each<[claim: string, verdict: string]>([
    ['Bo Rusk (`@borusk`) of Tideway is a technical lead.', 'shown'],
    ['Ana Kell (`@anakell`) of Seabed is a chair.', 'shown'],
    ['Ana Kell (`@anakell`) of Seabed is a technical lead.', 'unclear'],
    ['Bo Rusk (`@borusk`) of Tideway is a chair.', 'unclear'],
    ['Bo Rusk (`@borusk`) of Tideway is no technical lead.', 'unclear'],
  ])('%s', (claim, expected) => {
    expect(verdict(claim, page, 'office/README.md')).toBe(expected);
  });
});

describe('days and short quotations are looked for', () => {
  const meeting = '* Office hour: [Wednesdays at 09:00 PT](https://example.com) (every four weeks).';
  test.each<[claim: string, content: string, verdict: string]>([
    ['The office hour is on Friday at 09:00 PT.', meeting, 'not shown'],
    ['The line says "nagioxhost".', '[1427925600] CURRENT HOST STATE: nagioshost;UP;HARD;1', 'not shown'],
    ['The line says "nagioshost".', '[1427925600] CURRENT HOST STATE: nagioshost;UP;HARD;1', 'unclear'],
    [
      'It went down on Friday.',
      'The crane was out of order from 2024-03-08 on, and all of Thursday.',
      'unclear',
    ],
  ])('%s', (claim, content, expected) => {
    expect(verdict(claim, content, 'office.md')).toBe(expected);
  });
});

describe('a log is of the program that wrote it', () => {
  const line =
    'Feb 12 17:45:09 gate sshd[1234]: Read error from remote host 10.2.3.4: Connection reset by peer';
  test('what the daemon says', () => {
    expect(verdict('ssh connection reset by peer.', line, 'auth.log')).toBe('shown');
    expect(verdict('ftp connection reset by peer.', line, 'auth.log')).toBe('unclear');
  });
});
