/** What a file is for, told from its path. */
export const fileKinds = ['code', 'test', 'docs', 'example', 'generated', 'config'] as const;
export type FileKind = (typeof fileKinds)[number];

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const testFolders = words(
  'test tests testing spec specs __tests__ __mocks__ testdata test_data test-data fixture fixtures e2e conformance testutil testutils',
);
const generatedFolders = words('generated vendor third_party node_modules dist');
const docsFolders = words('doc docs documentation changelog changelog.d changes news release releases');
const exampleFolders = words(
  'example examples sample samples demo demos benchmark benchmarks bench benches extra contrib tutorial tutorials',
);
const docsExtensions = words('md markdown mdx rst adoc asciidoc org tex txt text html htm css');
const configExtensions = words('json jsonl json5 yaml yml toml ini cfg conf lock xml properties csv');
const locks = words(
  'package-lock.json yarn.lock pnpm-lock.yaml cargo.lock poetry.lock go.sum gemfile.lock composer.lock',
);
const testName = /^(test_|conftest\b)|[._-](test|tests|spec)\.[a-z]+$/;
const generatedName = /\.(lock|min\.js|snap|svg|pb\.go|map)$|(^|[._-])generated?[._-]/;
const docsName =
  /^(changelog|changes|history|news|authors|contributors|thanks|release[-_]?notes|readme|contributing|license|security|code_of_conduct|copying)/;

export function fileKind(path: string): FileKind {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop()!;
  const within = (folders: ReadonlySet<string>): boolean => parts.some((part) => folders.has(part));
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot + 1) : '';
  if (within(testFolders) || testName.test(name)) return 'test';
  if (locks.has(name) || generatedName.test(name) || within(generatedFolders)) return 'generated';
  if (docsExtensions.has(extension) || docsName.test(name) || within(docsFolders)) return 'docs';
  if (within(exampleFolders)) return 'example';
  const hidden = (parts[0] ?? name).startsWith('.');
  return extension === '' || hidden || configExtensions.has(extension) ? 'config' : 'code';
}
