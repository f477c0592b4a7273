import { describe, expect, it } from 'vitest';
import { definitionUnits } from './definition-units.ts';

const shape = (path: string, text: string) =>
  definitionUnits(path, text.split('\n')).map(
    ({ name, start, header, end }) => `${name} ${start} ${header.start}-${header.end} ${end}`,
  );

const cases: readonly (readonly [path: string, text: string, units: readonly string[]])[] = [
  [
    'a.py',
    '@cached\ndef take(\n    self,\n    key,\n):\n    if key:\n        return 1\n\n\nclass Store:\n    limit = 3\n\n    def drop(self):\n        pass\n',
    ['take 1 2-5 7', 'Store 10 10-10 14', 'drop 13 13-13 14'],
  ],
  [
    'a.js',
    "'use strict'\n\n// Sends it.\nReply.prototype.send = function (body) {\n  if (body) {\n    return 1\n  }\n}\n\nfunction outer (a) {\n  while (a) {}\n  function inner () {\n    return 2\n  }\n}\n",
    ['send 3 4-4 8', 'outer 10 10-10 15', 'inner 12 12-12 14'],
  ],
  // A function that is given to a member, as CommonJS writes it; a module's only export has no name.
  [
    'a.cjs',
    'internals.keyOf = function (...args) {\n  return args\n}\n\napp.handle = async (req) => {\n  go()\n}\n\nmodule.exports = function () {\n  go()\n}\ncount.total = 3\n',
    ['keyOf 1 1-1 3', 'handle 5 5-5 7'],
  ],
  [
    'a.go',
    'package a\n\nimport (\n\t"fmt"\n)\n\n// Names are looked for.\nvar names = []string{\n\t"a",\n\t"b",\n}\n\nfunc (s *Store) Take(key string) error {\n\treturn nil\n}\n',
    ['names 7 8-8 11', 'Take 13 13-13 15'],
  ],
  // A string over several lines has brackets and quotes of its own.
  [
    'a.rs',
    'impl Flag for Line {\n    fn doc(&self) -> &str {\n        r"\nDon\'t (ever.\n"\n    }\n\n    fn update(&self) {\n        go();\n    }\n}\n',
    ['doc 2 2-2 7', 'update 8 8-8 10'],
  ],
  // A name that begins with `#` is no comment; one in brackets is a name, too.
  [
    'a.mjs',
    'class A {\n  #size = 1\n\n  #find (key) {\n    if (!this.#has (key)) {\n      return null\n    }\n    return key\n  }\n\n  async [kClose] () {\n    return 1\n  }\n\n  *#each () {\n    yield 1\n  }\n}\n',
    ['A 1 1-1 18', 'find 4 4-4 9', 'kClose 11 11-11 13', 'each 15 15-15 17'],
  ],
  [
    'a.c',
    'int take(int a) {\n#if DEBUG(\n  # if (\n#endif // (\n  return a;\n}\n\nint drop(void) {\n  return 0;\n}\n',
    ['take 1 1-1 6', 'drop 8 8-8 10'],
  ],
  ['notes.txt', 'def take():\n    pass\n', []],
  ['a.md', '# One\n\ntext\n\n## Two\n\nmore\n', ['One 1 1-1 7', 'Two 5 5-5 7']],
];

describe('definitions of a file', () => {
  it.each(cases)('%s %j', (path, text, units) => expect(shape(path, text)).toEqual(units));

  it('takes no word of the language for a name', () => {
    const text = 'class A {\n  run() {\n    if (a) {\n    }\n    for (const b of c) {\n    }\n  }\n}\n';
    expect(shape('a.ts', text)).toEqual(['A 1 1-1 8', 'run 2 2-2 7']);
  });
});
