/** Lines of a folder with a text, counted and compared by programs that look with kb_find alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Asked, answered, table } from './asked.ts';

interface Line {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

type Pair = readonly [name: string, count: number];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function mostOf(names: readonly string[], k: number): readonly Pair[] {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, all]): Pair => [name, all.length]);
  return counts.sort(([a, m], [b, n]) => n - m || compare(a, b)).slice(0, k);
}

export async function overFound(vaults: readonly string[]): Promise<void> {
  for (const root of vaults.map((one) => resolve(one))) {
    const lines = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.md$/i.test(path) && !/(^|\/)\.git\//.test(path))
      .sort(compare)
      .flatMap((path) =>
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .map((text, at): Line => ({ path, line: at + 1, text })),
      );
    const asked = ['TODO', 'https://', '- [', 'because'].flatMap((text) => questionsAbout(text, lines));
    const truth: Asked = {
      ...{ kind: 'nowhere', question: 'Does any line hold zqxj?', truth: 'none' },
      given: { text: 'zqxj', scope: '*.md' },
    };
    const place = { root };
    table(
      `${basename(root)}, by found lines`,
      await answered([...asked, truth], { begin: 'begin', folder: 'found', place }),
    );
  }
}

function questionsAbout(text: string, lines: readonly Line[]): readonly Asked[] {
  const own = lines.filter((one) => one.text.includes(text));
  if (own.length === 0) return [];
  const given = { text, scope: '*.md', k: 5 };
  const firsts = [...Map.groupBy(own, ({ path }) => path)]
    .map(([path, [first]]) => [path, first!.line, first!.text.trim()] as const)
    .sort(([a], [b]) => compare(a, b));
  const hosts = own.flatMap((one) =>
    [...one.text.matchAll(/https?:\/\/([A-Za-z0-9.-]+)/g)].map(([, host]) => host!.toLowerCase()),
  );
  const longest = own.reduce((best, one) => {
    const more = [...one.text].length - [...best.text].length || compare(one.path, best.path);
    return more > 0 || (more === 0 && one.line > best.line) ? one : best;
  });
  const all: readonly (readonly [kind: string, question: string, truth: unknown])[] = [
    ['how_many', 'How many lines hold it, in how many files?', [own.length, firsts.length]],
    [
      'most',
      'Which files have the most lines with it?',
      mostOf(
        own.map(({ path }) => path),
        5,
      ),
    ],
    ['hosts_beside', 'Which hosts do lines with it name most often?', mostOf(hosts, 5)],
    ['first_lines', 'What is the first line with it of each file?', firsts.slice(0, 5)],
    [
      'longest',
      'Which line with it is the longest?',
      { path: longest.path, line: longest.line, length: [...longest.text].length },
    ],
  ];
  return all.map(([kind, question, truth]) => ({
    ...{ kind, truth, given },
    question: `${question} ${JSON.stringify(text)}`,
  }));
}
