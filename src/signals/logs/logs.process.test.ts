import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { manualClock, type Observation, type Signal } from '../../core/index.ts';
import { runReal } from '../run-command.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { openLogFiles } from './files.ts';
import { journalEntry, openJournald } from './journald.ts';
import { chooseLines } from './line-choice.ts';
import { readLogFile } from './read-file.ts';
import { lineReader } from './read-line.ts';
import { type LogRecord, levelOf } from './record.ts';
import { findTime, parseTime } from './timestamp.ts';

const now = Date.UTC(2026, 6, 12);
const noon = Date.UTC(2026, 6, 11, 12);

describe('times', () => {
  test.each<[string, number, string]>([
    ['2026-07-11T12:00:00Z ERROR x', noon, ' ERROR x'],
    ['2026-07-11T14:00:00.250+02:00 x', noon + 250, ' x'],
    ['2026-07-11 12:00:00,747 - INFO x', noon + 747, ' - INFO x'],
    ['2026/07/11 12:00:00 [error] x', noon, ' [error] x'],
    ['[2026-07-11 12:00:00.123456 UTC] x', noon + 123, '] x'],
    ['2026-07-11 12:00 x', noon, ' x'],
    ['10.0.0.1 - - [11/Jul/2026:14:00:00 +0200] "GET /"', noon, ' "GET /"'],
    ['Jul 11 12:00:00 host app[1]: x', noon, ' host app[1]: x'],
    ['<34>Jul 11 12:00:00 host app: x', noon, ' host app: x'],
    ['Jul 20 12:00:00 host app: a year ago', Date.UTC(2025, 6, 20, 12), ' host app: a year ago'],
    ['I0711 12:00:00.500000   12 main.go:1] x', noon + 500, '   12 main.go:1] x'],
    ['[Sat Jul 11 12:00:00.123 2026] [error] x', noon + 123, ' [error] x'],
    ['260711 12:00:00 143 INFO dfs: x', noon, ' 143 INFO dfs: x'],
    ['20260711-12:00:00:250|x', noon + 250, '|x'],
    ['1783771200.5 x', noon + 500, ' x'],
    ['1783771200123 x', noon + 123, ' x'],
    ['level=info ts=2026-07-11T12:00:00Z msg=x', noon, ' msg=x'],
    ['11 Jul 2026 12:00:00.25 x', noon + 250, ' x'],
  ])('%s', (line, at, rest) => {
    const found = findTime(line, now)!;
    expect(found.at).toBe(at);
    expect(line.slice(found.end)).toBe(rest);
  });

  test.each(['no time here', 'port 8080 at 10.0.0.1', 'id 20261399-99:00:00', '99/99/9999', ''])(
    '%j has none',
    (line) => {
      expect(findTime(line, now)).toBeNull();
    },
  );

  test.each<[unknown, number | null]>([
    [1_783_771_200, noon],
    [1_783_771_200_000, noon],
    ['1783771200000000', noon],
    ['1783771200000000000', noon],
    ['2026-07-11T12:00:00Z', noon],
    ['not a time', null],
    [12, null],
    [null, null],
  ])('%j as a field', (value, at) => {
    expect(parseTime(value, now)).toBe(at);
  });
});

test.each<[unknown, string | null]>([
  ['Warning', 'WARN'],
  ['err', 'ERROR'],
  ['CRITICAL', 'FATAL'],
  ['notice', 'INFO'],
  [3, 'ERROR'],
  ['6', 'INFO'],
  [50, 'ERROR'],
  ['whatever', null],
  [null, null],
])('level %j', (value, level) => {
  expect(levelOf(value)).toBe(level);
});

describe('entries', () => {
  const read = (text: string): LogRecord[] => {
    const seen: LogRecord[] = [];
    const reader = lineReader((record) => seen.push(record), now);
    for (const line of text.split('\n')) reader.push(line);
    reader.end();
    return seen;
  };

  test.each<[string, string, readonly Partial<LogRecord>[]]>([
    [
      'JSON of bunyan',
      '{"time":"2026-07-11T12:00:00Z","level":50,"name":"x","msg":"boom","service":"shop"}',
      [{ at: noon, level: 'ERROR', service: 'shop', message: 'boom', fields: { name: 'x' } }],
    ],
    [
      'JSON of Docker around JSON',
      '{"log":"{\\"msg\\":\\"boom\\",\\"level\\":\\"warn\\"}\\n","stream":"stderr","time":"2026-07-11T12:00:00Z"}',
      [{ at: noon, level: 'WARN', message: 'boom', fields: { stream: 'stderr' } }],
    ],
    [
      'a pod of Kubernetes',
      '2026-07-11T12:00:00.000000000Z stderr F {"msg":"boom","level":"error"}',
      [{ at: noon, level: 'ERROR', message: 'boom' }],
    ],
    [
      'a word far into a long line is not its level',
      `2026-07-11T12:00:00Z ${'x '.repeat(120)}ERROR`,
      [{ at: noon, level: null }],
    ],
    [
      'syslog',
      'Jul 11 12:00:00 web-1 nginx[12]: upstream timed out',
      [{ at: noon, service: 'nginx', message: 'upstream timed out' }],
    ],
    [
      'logfmt',
      'ts=2026-07-11T12:00:00Z caller=main.go:1 level=warn msg="it \\"broke\\"" n=3',
      [{ at: noon, level: 'WARN', message: 'it "broke" caller=main.go:1 n=3' }],
    ],
    [
      'klog',
      'E0711 12:00:00.000000       1 server.go:1] boom',
      [{ at: noon, level: 'ERROR', message: '1 server.go:1] boom' }],
    ],
    [
      'a web server',
      '10.0.0.1 - - [11/Jul/2026:12:00:00 +0000] "GET / HTTP/1.1" 500 12',
      [{ at: noon, message: '10.0.0.1 - - "GET / HTTP/1.1" 500 12' }],
    ],
    [
      'a stack trace of Java',
      '2026-07-11 12:00:00 ERROR boom\njava.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\nCaused by: x\n\t... 3 more\n2026-07-11 12:00:01 INFO on',
      [
        {
          level: 'ERROR',
          message:
            'ERROR boom\njava.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\nCaused by: x\n\t... 3 more',
        },
        { at: noon + 1_000 },
      ],
    ],
    [
      'a traceback of Python',
      '2026-07-11 12:00:00,000 ERROR boom\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: no\n2026-07-11 12:00:01,000 INFO on',
      [
        { message: 'ERROR boom\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: no' },
        {},
      ],
    ],
    [
      'no times at all',
      'one\n  more of one\ntwo',
      [{ at: null, message: 'one\n  more of one' }, { message: 'two' }],
    ],
    ['broken JSON is text', '{"msg":', [{ message: '{"msg":' }]],
    ['line ends of Windows', '2026-07-11 12:00:00 WARN x\r\n\r\n', [{ level: 'WARN', message: 'WARN x' }]],
  ])('%s', (_, text, records) => {
    const seen = read(text);
    expect(seen).toHaveLength(records.length);
    for (const [k, record] of records.entries()) expect(seen[k]).toMatchObject(record);
  });
});

test('of too many lines the bad ones are chosen first, then evenly, in order of time', () => {
  const window = { from: noon, to: noon + 100_000, baseline_from: noon, derivation: '' };
  const choice = chooseLines(window, {}, 10);
  for (let k = 0; k < 5_000; k++)
    choice.add({
      at: noon + k,
      service: null,
      level: k % 1_000 === 7 ? 'ERROR' : 'INFO',
      message: String(k),
      fields: {},
    });
  const lines = choice.lines();
  expect(choice.total).toBe(5_000);
  expect(lines).toHaveLength(10);
  expect(lines.filter(({ level }) => level === 'ERROR')).toHaveLength(5);
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted((a, b) => a! - b!));
});

const place = mkdtempSync(join(tmpdir(), 'sonde-logs-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const minute = 60_000;
const window = {
  from: noon,
  to: noon + 30 * minute,
  baseline_from: noon - 30 * minute,
  derivation: 'a test',
};
const stamp = (k: number): string => new Date(noon + k * minute).toISOString();
const see = async (signal: Signal, name: string, args: unknown = {}): Promise<Observation> => {
  const reply = await signal.questions
    .find((one) => one.name === name)!
    .ask(args, { window, limits: contractLimits });
  if (reply.kind === 'failure') throw new Error(reply.message);
  return reply;
};

function logFolder(): string {
  const folder = mkdtempSync(join(place, 'folder-'));
  const lines = (from: number, to: number): string =>
    Array.from(
      { length: to - from },
      (_, k) =>
        `${stamp(from + k)} ${from + k >= 0 ? 'ERROR' : 'INFO'} request ${k} took ${k} ms password=log-secret-1`,
    ).join('\n');
  writeFileSync(join(folder, 'shop.log'), lines(0, 40));
  writeFileSync(join(folder, 'shop.log.1.gz'), gzipSync(lines(-40, 0)));
  writeFileSync(join(folder, 'cart.jsonl'), `{"ts":"${stamp(5)}","level":"warn","msg":"slow"}\n`);
  writeFileSync(join(folder, 'old.log'), `${stamp(-5_000)} INFO long ago\n`);
  utimesSync(join(folder, 'old.log'), new Date(0), new Date(0));
  writeFileSync(join(folder, 'binary.dat'), '\0\0');
  return folder;
}

signalContract('log files', async () => ({
  signal: openLogFiles({ paths: [logFolder()], clock: manualClock(now) }),
  window,
  ask: { logs_lines: {}, logs_patterns: {} },
  plentiful: ['logs_lines', 'logs_patterns'],
  secrets: ['log-secret-1'],
  dispose: async () => {},
}));

test('log files: rotated and zipped ones count as calm, old ones are not opened, each is a service', async () => {
  const signal = openLogFiles({ paths: [logFolder()], clock: manualClock(now) });
  const { rows, query } = await see(signal, 'logs_patterns');
  expect(query).toMatch(/^3 log files, patterns/);
  expect(rows).toMatchObject({
    lines: 31,
    patterns: [
      {
        template: 'ERROR request <*> took <*> ms password=<*>',
        service: 'shop',
        level: 'ERROR',
        count: 30,
        baseline: 0,
      },
      { template: 'INFO request <*> took <*> ms password=<*>', count: 0, baseline: 30 },
      { template: 'slow', service: 'cart', level: 'WARN', count: 1, baseline: 0 },
    ],
  });
  expect((await see(signal, 'logs_lines', { service: 'cart' })).text).toBe(
    `${stamp(5).replace('.000', '')} cart WARN slow`,
  );
});

test('log files that are not there', async () => {
  const signal = openLogFiles({ paths: [join(place, 'nowhere')], clock: manualClock(now) });
  expect(await signal.health()).toMatchObject({
    kind: 'unhealthy',
    reason: expect.stringContaining('does not exist'),
  });
  expect((await see(signal, 'logs_lines')).notes).toEqual([`${join(place, 'nowhere')} does not exist.`]);
});

/** What journalctl prints, and a program that prints it whatever it is asked, after writing that down. */
const journal = [
  ...Array.from({ length: 12 }, (_, k) => ({
    __REALTIME_TIMESTAMP: String((noon + (k - 6) * minute) * 1_000),
    _SYSTEMD_UNIT: 'shop.service',
    PRIORITY: k < 6 ? '6' : '3',
    MESSAGE: k < 6 ? `served ${k}` : `charge ${k} failed, token=journal-secret`,
  })),
  {
    __REALTIME_TIMESTAMP: String((noon + minute) * 1_000),
    SYSLOG_IDENTIFIER: 'kernel',
    PRIORITY: '4',
    MESSAGE: [72, 105, 255],
  },
];

function fakeJournalctl(): { readonly run: ReturnType<typeof runReal>; readonly folder: string } {
  const folder = mkdtempSync(join(place, 'journal-'));
  writeFileSync(join(folder, 'lines'), `${journal.map((one) => JSON.stringify(one)).join('\n')}\n`);
  const script = join(folder, 'journalctl.sh');
  writeFileSync(
    script,
    'if [ "$1" = --version ]; then echo "systemd 252 (252.1)"; else echo "$@" >> asked; cat lines; fi\n',
  );
  return { run: runReal('sh', folder, [script]), folder };
}

signalContract('journald', async () => ({
  signal: openJournald({ run: fakeJournalctl().run, clock: manualClock(now) }),
  window,
  ask: { journald_lines: {}, journald_patterns: {} },
  plentiful: ['journald_lines', 'journald_patterns'],
  secrets: ['journal-secret'],
  broken: {
    unreachable: openJournald({ run: runReal('/no/such/journalctl', '/'), clock: manualClock(now) }),
    silent: openJournald({ run: runReal('sh', '/', ['-c', 'sleep 60']), clock: manualClock(now) }),
  },
  dispose: async () => {},
}));

test('journald is asked for the window and the units, and nothing else', async () => {
  const { run, folder } = fakeJournalctl();
  const signal = openJournald({ run, clock: manualClock(now), units: ['shop.service', 'cart.service'] });
  expect((await see(signal, 'journald_lines', { bad: true })).text).toContain(
    'shop.service ERROR charge 6 failed, token=[secret]',
  );
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(join(folder, 'asked'), 'utf8').trim()).toBe(
    `--no-pager --quiet --output=json --all --output-fields=MESSAGE,PRIORITY,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER --since=@${noon / 1_000} --until=@${noon / 1_000 + 1_800} --unit=shop.service --unit=cart.service`,
  );
});

test('an entry whose text is no text', () => {
  expect(journalEntry(JSON.stringify(journal.at(-1)))).toMatchObject({
    service: 'kernel',
    level: 'WARN',
    message: 'Hi\ufffd',
  });
  expect(journalEntry('{')).toBeNull();
});

test('a file that was rotated away is an error of whoever reads it, and ends nothing else', async () => {
  const gone = readLogFile(join(tmpdir(), 'sonde-no-such.log'), () => 'more');
  await expect(gone).rejects.toMatchObject({ code: 'ENOENT' });
  // An error that nobody listens to would come with the next turns.
  await new Promise((resolve) => setTimeout(resolve, 20));
});
