import { describe, expect, test } from 'vitest';
import { checkClaims } from '../answer/check-claims.ts';
import { findHeader } from '../lines/header.ts';
import { createSource } from '../lines/source.ts';
import { isShownChange } from './support/from-to.ts';

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
    ['a standard', 'Signs a message as RFC 2104 has it.', signed],
    ['a release', 'Signs a message, since Python 3.11.', signed],
    ['a size that is no figure', 'Gives 2-tuples of the parts of a text.', split],
    [
      'nothing, by a test of truth',
      'Gives what is there, unless `size` is 0.',
      'def rest(size):\n    if not size:\n        return ""',
    ],
    ['the range of a value', 'Gives a share between 1 and 9.', plain],
    ['an example', 'Gives the parts of a text, e.g. 834 of a long one.', split],
    ['another page', 'See `harbour_rules` for more.', split],
    ['what a call may throw', 'Raises `TideError` where there is no such value.', plain],
    ['an encoding', 'Gives the text in UTF-8.', 'def wire(text):\n    return text.encode()'],
    ['where a value is from', 'Takes the parts, as returned by `cut_all`, apart.', split],
    ['the other way', 'Inverse of `joined`.', split],
    ['a stage that the author numbers', 'Phase 2 gives the parts of a text.', split],
    [
      'names for what is returned together',
      'Yields `(name, berth)` pairs.',
      'def pairs(docks):\n    for d in docks:\n        yield d.label, d.place',
    ],
    ['what was before', 'Changed the word from "harbour_old" to "harbour".', 'word = "harbour"'],
    ['quotes as manuals wrote them', "The `many' argument, and the `self' before it, are there.", plain],
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
    [
      'another standard',
      'Signs as RFC 2104 has it.',
      'def sign(self):\n    # RFC 2202\n    return self._sign()',
    ],
    ['another encoding', 'Gives the text in UTF-16.', "def wire(text):\n    return text.encode('utf-8')"],
    [
      'another exception',
      'Raises `TideError` for none.',
      'def get(key):\n    if key is None:\n        raise KeyError(key)',
    ],
    ['a figure of a release that is a value', 'The default wait is 3.11.', 'wait = 4'],
    ['a bound of a value that has a name', '`wait` is 9.', 'def wait_for(wait):\n    return wait + 1'],
  ])('still refused: %s', (_, claim, content, path) => {
    expect(['not shown', 'contradicted']).toContain(verdict(claim, content, path));
  });
});

test('the number of a process is not the level of what it logs', () => {
  const line = 'I, [2010-12-29T11:15:32.321744 #11479]  INFO -- : berths: started at info level';
  expect(verdict('The level is 11479.', line, 'berths.log')).toBe('unclear');
});

test('that something is returned is no word of what is returned', () => {
  const lines = 'def crane_load(crane):\n    version = crane.version\n    return crane.load';
  expect(verdict('Returns the crane version.', lines)).toBe('unclear');
});

test('`None` is a value', () => {
  const lines = 'def clear(record):\n    record.args = None\n    record.text = None';
  expect(verdict('`clear` sets `args` and `text` to None.', lines)).not.toBe('contradicted');
  expect(verdict('None of them sets `args`.', lines)).toBe('unclear');
});

describe('a page says it in other words, or a record at another time', () => {
  const page =
    'PTA received three letters in March. Harbour rules apply to the port of PTA users for any change of a berth.';
  const times = [
    '## Timeline, all on 2019-10-21',
    '',
    '- 01:38: alerts fired for the harbour page being down',
    '- 02:06: the harbour page came back',
  ].join('\n');
  test.each<[claim: string, content: string, expected: readonly string[]]>([
    ['Harbour rules apply to the port of PTA users for all changes of a berth.', page, ['shown', 'unclear']],
    ['The JSON page has harbour rules for PTA users.', page, ['unclear']],
    ['Port Tide Authority users change a berth by harbour rules.', page, ['unclear']],
    ['At 2019-10-21 01:38 alerts fired for the harbour page.', times, ['shown', 'unclear']],
    ['At 01:48 alerts fired for the harbour page.', times, ['not shown', 'contradicted']],
    ['Between 01:38 and 02:06 the harbour page came back from being down.', times, ['shown', 'unclear']],
  ])('%s', (claim, content, expected) => {
    expect(expected).toContain(verdict(claim, content, 'office.md'));
  });
});

describe('who a line of a log is about', () => {
  test.each<[claim: string, line: string, expected: string]>([
    ['The username is root.', 'Mar 14 09:22:12 gate login[1202]: session closed for user root', 'shown'],
    [
      'The username is bo.',
      'Mar 14 09:22:12 gate sshd[1202]: Failed password for illegal user bo from 10.2.3.4 port 45 ssh2',
      'shown',
    ],
    [
      'The username is not root.',
      'Mar 14 09:22:12 gate login[1202]: session closed for user root',
      'contradicted',
    ],
    ['The username is unknown.', 'Mar 14 09:22:12 gate login[1202]: refused: user unknown', 'unclear'],
    ['The username is root.', 'Mar 14 09:22:12 gate su[1202]: user bo is now user root', 'unclear'],
    ['The program is login.', 'Mar 14 09:22:12 gate login[1202]: session closed for user root', 'shown'],
    ['The program is gate.', 'Mar 14 09:22:12 gate login[1202]: session closed for user root', 'unclear'],
    ['The pid is 1202.', 'Mar 14 09:22:12 gate login[1202]: session closed for user root', 'shown'],
    [
      'The level is error.',
      '[Mon Aug 31 09:30:48.958285 2015] [proxy:error] [pid 28] (70008)Partial results',
      'shown',
    ],
  ])('%s %s', (claim, line, expected) => {
    expect(verdict(claim, line, 'auth.log')).toBe(expected);
  });
});

test('a comment that denies other words about the same name denies nothing', () => {
  const lines = [
    '# Check that the berth is not older than max_age',
    'age = self.now() - berth',
    'if age > max_age:',
    '    raise BerthTooOld(age)',
  ].join('\n');
  expect(verdict('It raises `BerthTooOld` when `age > max_age`.', lines)).not.toBe('contradicted');
});

test.each<[claim: string, expected: string]>([
  ['| too old | `BerthTooOld` | `src/berths.py:2-3` |', 'shown'],
  ['| too old | `BerthTooOld` | `src/berths.py:8-9` |', 'not shown'],
])('a row that names its lines need not find their place in them: %s', (claim, expected) => {
  expect(verdict(claim, 'def check(age):\n    if age > 3:\n        raise BerthTooOld(age)')).toBe(expected);
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

test('a count in words may be worked out in code; one that no part of it holds is refused', () => {
  const line = '	return (7 * 24 * time.Hour) / time.Duration(weekly)';
  expect(verdict('The wait is seven days divided by the weekly count', line, 'feed.go')).toBe('unclear');
  expect(verdict('The wait is nine days divided by the weekly count', line, 'feed.go')).toBe('not shown');
});

describe('what is worked out of the lines is left to the reader', () => {
  const outage = [
    '### 2031-03-04 10:00 - The ferry stops',
    '',
    'The ferry lies at the pier.',
    '',
    '### 21:00',
    '',
    'A passenger reports it. The captain is told at 21:38.',
  ].join('\n');
  const releases = ['## [2.1.0] - 2031-05-20', '- New sail.', '', '## [2.0.0] - 2031-05-05', '- New mast.'];
  const tolls = ['ferry,tolls_85_99,tolls_00_14', 'Tern,76,6', 'Gull,12,3'].join('\n');
  test.each<[why: string, claim: string, content: string, path: string, verdict: string]>([
    ['a time without a date is of the day before it', 'It took 11 hours.', outage, 'log.md', 'unclear'],
    ['a round time', 'It took 40 minutes to tell the captain.', outage, 'log.md', 'unclear'],
    ['no two times are so far apart', 'It took 3 hours.', outage, 'log.md', 'not shown'],
    ['days between two dates', '2.1.0 came after 15 days.', releases.join('\n'), 'news.md', 'unclear'],
    ['no days between them', '2.1.0 came after 25 days.', releases.join('\n'), 'news.md', 'not shown'],
    ['years in two digits', 'Tern paid 76 from 1985 to 1999.', tolls, 'tolls.csv', 'unclear'],
    ['another year', 'Tern paid 76 from 1985 to 1997.', tolls, 'tolls.csv', 'not shown'],
    [
      'things that were counted',
      'It has four ferries.',
      'Ferries: Tern, Gull, Skua and Auk.',
      'a.md',
      'unclear',
    ],
    [
      'a number below zero',
      '`find` gives -1 when it is missing.',
      'def find(x):\n    return -1',
      'a.py',
      'unclear',
    ],
    [
      'an adjective of two words',
      'Odd-numbered piers are closed.',
      '| pier |\n| --- |\n| 1 |',
      'a.md',
      'unclear',
    ],
    [
      'what is only checked',
      'A raft is never a valid ferry.',
      'def is_ferry(x):\n    """Check if the value is a valid ferry."""\n    return not is_raft(x)',
      'a.py',
      'unclear',
    ],
    [
      'words within an address',
      'It joins both tables of ferries, with one key.',
      'It joins both tables: [ferries](https://example.com/?q=joins+both+tables+of+ferries+with+all+key)',
      'a.md',
      'unclear',
    ],
  ])('%s', (_, claim, content, path, expected) => {
    expect(verdict(claim, content, path)).toBe(expected);
  });
});

describe('what stands below a time or a release is of it', () => {
  const diary = [
    '### 08:47',
    '',
    'Investigation starts: there are 94 pending ferries.',
    '',
    '### 09:20',
    '',
    'The autopilot turned the fleet to four piers.',
  ].join('\n');
  const news = ['1.4.0 (2031-10-18)', '------------------', '', '- Set the minimum crew to 3.'].join('\n');
  test.each<[claim: string, content: string, verdict: string]>([
    ['At 08:47 there were 94 pending ferries.', diary, 'unclear'],
    ['At 08:47 the investigation starts.', diary, 'shown'],
    ['At 09:20 the investigation starts.', diary, 'not shown'],
    ['At 09:20 there were 94 pending ferries.', diary, 'not shown'],
    ['At 09:20 the autopilot turned the fleet to four piers.', diary, 'shown'],
    ['At 08:47 the autopilot turned the fleet to four piers.', diary, 'not shown'],
    ['1.4.0 set the minimum crew to 3.', news, 'shown'],
    ['1.4.1 set the minimum crew to 3.', news, 'not shown'],
    ['1.4.0 set the maximum crew to 3.', news, 'contradicted'],
  ])('%s', (claim, content, expected) => {
    expect(verdict(claim, content, 'diary.md')).toBe(expected);
  });
});

describe('a diff shows which value was changed', () => {
  const diff = [
    'diff --git a/ferry.conf b/ferry.conf',
    '--- a/ferry.conf',
    '+++ b/ferry.conf',
    '@@ -1,4 +1,4 @@',
    '-required_crew = ">= 3.0"',
    '-pier: harbour/pier@v4',
    '+required_crew = ">= 3.1"',
    '+pier: harbour/pier@v5',
    ' cargo = 12',
  ].join('\n');
  test.each<[claim: string, verdicts: readonly string[]]>([
    ['Set minimum crew version to 3.1', ['shown']],
    ['Bump harbour/pier from 4 to 5', ['shown']],
    ['The required crew in `ferry.conf` goes from 3.0 to 3.1.', ['shown']],
    ['Set maximum crew version to 3.1', ['unclear', 'contradicted']],
    ['Lower the required crew to 3.1', ['unclear', 'contradicted']],
    ['Set minimum crew version to 3.2', ['unclear', 'not shown', 'contradicted']],
    ['Bump harbour/pier from 5 to 4', ['unclear', 'contradicted']],
    ['Bump harbour/crane from 4 to 5', ['unclear', 'not shown']],
    ['Bump harbour/pier from 3.0 to 3.1', ['unclear', 'contradicted', 'not shown']],
    ['The required crew in `tug.conf` goes from 3.0 to 3.1.', ['not shown']],
    ['Set cargo to 12', ['unclear', 'shown']],
  ])('%s', (claim, expected) => {
    expect(expected).toContain(verdict(claim, diff, 'changes/1.diff'));
  });

  test('another line of that name leaves it open', () => {
    const isShown = (content: string): boolean =>
      isShownChange(
        'Set the crew to 3.1',
        createSource([{ id, path: 'changes/1.diff', start: 1, end: content.split('\n').length, content }]),
      );
    expect(isShown(diff)).toBe(true);
    expect(isShown(diff.replace(' cargo = 12', ' optional_crew = 2'))).toBe(false);
  });
});

describe('each line of printed text is of its own', () => {
  const printed = [
    'The pods were lost:',
    '',
    '```',
    '2031-07-07 18:32:27 CEST',
    'TimeoutError: pod/ferry-x did not disappear in 300 seconds!',
    '2031-07-07 18:34:04 CEST',
    'TimeoutError: pod/crane-y did not start in 300 seconds!',
    '```',
  ].join('\n');
  const build = [
    'lerna ERR! yarn run build exited 137',
    'lerna WARN Waiting for 14 child processes to exit',
  ].join('\n');
  test.each<[claim: string, content: string, verdicts: readonly string[]]>([
    ['The crane pod did not start in 300 seconds.', printed, ['shown']],
    ['The ferry pod did not start in 300 seconds.', printed, ['unclear', 'contradicted']],
    ['lerna was waiting for 14 child processes.', build, ['shown', 'unclear']],
    ['yarn was waiting for 14 child processes.', build, ['unclear', 'contradicted']],
  ])('%s', (claim, content, expected) => {
    expect(expected).toContain(verdict(claim, content, 'issues/7.md'));
  });
});

test('a value that a diff gives to another name carries nothing', () => {
  const diff = [' sail_style = "square"', ' ', '-flag = None', '+flag = "en"'].join('\n');
  expect(verdict('Flag set to "en"', diff, 'changes/2.diff')).toBe('shown');
  expect(verdict('Sail style set to "en"', diff, 'changes/2.diff')).not.toBe('shown');
});

test('lines that begin with a heading are not below one of its level', () => {
  const news = ['# News', '## 2.1', 'New sail.', '## 2.0', 'New mast.'];
  expect(findHeader(news, 4, 'news.md')).toBe('# News');
  expect(findHeader(news, 5, 'news.md')).toBe('# News\n## 2.0');
});
