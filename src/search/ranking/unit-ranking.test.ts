import { expect, it } from 'vitest';
import type { CodeUnit } from '../../core/index.ts';
import { rankUnits } from './unit-ranking.ts';

/** Each block of lines between blank ones is a definition named by its second word. */
function unitsOf(_path: string, lines: readonly string[]): readonly CodeUnit[] {
  const units: CodeUnit[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at] === '' || (at > 0 && lines[at - 1] !== '')) continue;
    let end = at;
    while (end + 1 < lines.length && lines[end + 1] !== '') end += 1;
    const header = lines.slice(at).findIndex((line) => line.startsWith('def ')) + at + 1;
    const name = lines[header - 1]!.split(/\W+/)[1]!;
    units.push({
      name,
      kind: 'function',
      start: at + 1,
      header: { start: header, end: header },
      end: end + 1,
    });
  }
  return units;
}

const names = (query: string, files: Readonly<Record<string, string>>, score = 1) =>
  rankUnits(
    query,
    Object.entries(files).map(([path, text]) => ({
      path,
      lines: text.split('\n'),
      score,
      start: 1,
      end: 40,
    })),
    unitsOf,
  ).map(({ unit, path, start }) => unit?.name ?? `${path}:${start}`);

const worker =
  'def redirect_method(request, response)\n  if response.status == SEE_OTHER\n    method = GET\n  return method';

it('puts what works with the words before what hands them on', () => {
  const passing = 'def get(url)\n  request(\n    method=method,\n    response=response,\n    redirect,\n  )';
  expect(
    names('which response changes the method of a redirect?', { 'a.py': `${passing}\n\n${worker}` }),
  ).toEqual(['redirect_method', 'get']);
});

it.each([
  ['a test', '#[test]\n'],
  ['a test in a framework', '@Test\n'],
])('puts %s behind', (_name, mark) => {
  const same = worker.replace('redirect_method', 'redirect_method_again');
  expect(names('method of a redirect', { 'a.rs': `${mark}${same}\n\n${worker}` })[0]).toBe('redirect_method');
});

it('puts stand-ins behind, whatever they are called', () => {
  const files = {
    'internal/fetch_mock.go': worker,
    'internal/zfetch.go': worker.replace('method(', 'method_2('),
  };
  expect(names('method of a redirect', files)[0]).toBe('redirect_method_2');
});

it('gives two of one name that hold the same words once', () => {
  expect(names('method of a redirect', { 'a.py': `${worker}\n\n${worker}` })).toEqual(['redirect_method']);
});

it('gives a long definition in parts, and lines outside of all', () => {
  const long = [
    'def run(a)',
    ...Array.from({ length: 150 }, (_, n) => `  step ${n}`),
    '  redirect the method',
  ];
  const ranked = rankUnits(
    'redirect method',
    [{ path: 'a.py', lines: long, score: 1, start: 1, end: 40 }],
    unitsOf,
  );
  expect(ranked.map(({ start, end }) => [start, end])).toEqual([[151, 152]]);
  const loose = rankUnits(
    'redirect',
    [{ path: 'a.txt', lines: ['a', 'to redirect', 'b'], score: 1, start: 1, end: 3 }],
    () => [],
  );
  expect(loose).toMatchObject([{ start: 1, end: 3, unit: null }]);
});

it('has nothing to say of files that hold none of the words', () => {
  expect(names('zebra', { 'a.py': worker })).toEqual([]);
  expect(rankUnits('zebra', [], unitsOf)).toEqual([]);
});

const passing = 'def sleep_again(seconds)\n  pause = seconds\n  pause += pause\n  return pause';
const deciding = 'def sleep_more(seconds)\n  if pause < seconds\n    pause += pause\n  return pause';

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['what decides', { 'a.py': `${passing}\n\n${deciding}` }, 'sleep_more'],
  [
    'what is in a file of that name',
    { 'a.py': passing, 'pause.py': passing.replace('again', 'here') },
    'sleep_here',
  ],
  [
    'what is used where the question is at home',
    {
      'a.py': `${passing}\n\ndef crawl(site)\n  # between two sites\n  sleep_here()\n\n${passing.replace('again', 'here')}`,
    },
    'sleep_here',
  ],
])('puts first %s', (_name, files, wanted) => {
  expect(names('how long is the pause between two sites?', files).filter((name) => name !== 'crawl')[0]).toBe(
    wanted,
  );
});

it('makes little of the words that people ask with', () => {
  const files = {
    'a.py':
      'def tie(same)\n  first = same\n  return first\n\ndef lease(worker)\n  wins = worker\n  return wins',
  };
  expect(names('which one wins in the same place?', files)[0]).toBe('lease');
});

it.each([
  ['what is the default retention?', '\tdefaultRetention          = 336 * time.Hour'],
  ['what is the maximum dict size?', 'MAX_DICT_SIZE = 1024 * 1024'],
  ['what is the default wait time?', 'const defaultWaitTime = 100 * time.Millisecond'],
  ['what is the default renewal window ratio?', 'const DefaultRenewalWindowRatio float64 = 1.0 / 3.0'],
])('%s is answered by what gives a value to a name of all its words', (query, line) => {
  const words = query.replace(/what is the |\?/g, '').split(' ');
  const user = `def with_${words.join('_')}(s)\n  if s.${words.at(-1)}\n    use(${words.join(', ')})\n  end`;
  const files = {
    'a.go': `${user}\n\n${'\n'.repeat(2)}`,
    'limits.go': `${'\n'.repeat(2)}${line}\nother = 2`,
  };
  const looked = (text: string) =>
    rankUnits(
      query,
      Object.entries({ ...files, 'limits.go': text }).map(([path, all]) => {
        const lines = all.split('\n');
        return { path, lines, score: 1, start: 1, end: 40 };
      }),
      (path, lines) => (path === 'a.go' ? unitsOf(path, lines) : []),
    )[0]!.path;
  expect(looked(files['limits.go'])).toBe('limits.go');
  // A name that is handed on has no value of its own.
  expect(looked(`\n\n${line.replace(/=.*/, '= given')}\nother = 2`)).toBe('a.go');
});
