import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { changeProperties, findLinks, findTags, type Markdown, readPage, replaceTargets } from './index.ts';

const markdown: Markdown = { readPage, findLinks, findTags, changeProperties, replaceTargets };
const whole = (text: string): string => {
  const { frontMatter, blocks } = markdown.readPage(text);
  return frontMatter.raw + blocks.map((block) => block.text).join('');
};
/** Kind and text of each block: `paragraph:Some text`. */
const outline = (text: string): string[] =>
  markdown.readPage(text).blocks.map((block) => `${block.kind}:${block.text.trim()}`);

describe('blocks', () => {
  const cases: [string, string, string[]][] = [
    ['nothing', '', ['blank:']],
    ['blank lines', '\n \t\r\n', ['blank:']],
    [
      'headings and paragraphs',
      '# A\ntext\nmore\n\n## B ##\n',
      ['heading:# A', 'paragraph:text\nmore', 'heading:## B ##'],
    ],
    ['an underlined heading', 'A\nb\n===\ntext', ['heading:A\nb\n===', 'paragraph:text']],
    ['a tag is no heading', '#tag\n', ['paragraph:#tag']],
    ['a rule', 'a\n\n---\n\n* * *\nb', ['paragraph:a', 'rule:---', 'rule:* * *', 'paragraph:b']],
    [
      'a fence with blank lines and marks',
      '```js\n# no\n\n- no\n```\ntext',
      ['code:```js\n# no\n\n- no\n```', 'paragraph:text'],
    ],
    [
      'a longer fence around a shorter',
      '````\n```\n# x\n```\n````\nz',
      ['code:````\n```\n# x\n```\n````', 'paragraph:z'],
    ],
    ['tildes', '~~~ a`b\n```\n~~~\nz', ['code:~~~ a`b\n```\n~~~', 'paragraph:z']],
    ['backticks with a backtick behind are a code span', '``` a`b\nz', ['paragraph:``` a`b\nz']],
    ['a fence without end', 'a\n```\nb\n\n# c\n', ['paragraph:a', 'code:```\nb\n\n# c']],
    ['indented code', 'a\n\n    b\n\n    c\nd', ['paragraph:a', 'code:b\n\n    c', 'paragraph:d']],
    ['an indented line goes on with its paragraph', 'a\n    b', ['paragraph:a\n    b']],
    ['items of one line together', '- a\n- b\n\n- c\n\ntext', ['list:- a\n- b\n\n- c', 'paragraph:text']],
    [
      'an item with more below it alone',
      '- a\n- b\n  - c\n- d\n- e',
      ['list:- a', 'list:- b\n  - c', 'list:- d\n- e'],
    ],
    [
      'a fence within an item',
      '1. a\n   ```\n   # x\n\n   y\n   ```\n2. b',
      ['list:1. a\n   ```\n   # x\n\n   y\n   ```', 'list:2. b'],
    ],
    ['two columns below a number', '1. a\n  - b\n2. c', ['list:1. a\n  - b', 'list:2. c']],
    ['a paragraph of an item', '- a\n\n  b\n\nc', ['list:- a\n\n  b', 'paragraph:c']],
    ['a lazy line', '- a\nb\n\nc', ['list:- a\nb', 'paragraph:c']],
    ['another mark is another list', '- a\n* b', ['list:- a', 'list:* b']],
    ['a number other than one ends no paragraph', 'in\n2024. b', ['paragraph:in\n2024. b']],
    ['tasks', '- [ ] a\n- [x] b', ['list:- [ ] a\n- [x] b']],
    ['a quote with a lazy line', '> a\nb\n\nc', ['quote:> a\nb', 'paragraph:c']],
    [
      'a callout',
      '> [!note]- Title\n> text\n> > inner\n\nz',
      ['callout:> [!note]- Title\n> text\n> > inner', 'paragraph:z'],
    ],
    ['code in a quote has no lazy line', '> ```\nb', ['quote:> ```', 'paragraph:b']],
    [
      'a table',
      'x\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\nz',
      ['paragraph:x', 'table:| a | b |\n|---|:-:|\n| 1 | 2 |', 'paragraph:z'],
    ],
    ['html to a blank line', '<div>\n# x\n</div>\n\ny', ['html:<div>\n# x\n</div>', 'paragraph:y']],
    [
      'html to its end',
      '<!-- a\n\n# b -->\nc\n<pre>\n\n</pre>\nd',
      ['html:<!-- a\n\n# b -->', 'paragraph:c', 'html:<pre>\n\n</pre>', 'paragraph:d'],
    ],
    ['mathematics', '$$\na\n\nb\n$$\nc\n\n$$x$$\n', ['code:$$\na\n\nb\n$$', 'paragraph:c', 'code:$$x$$']],
    [
      'a comment',
      '%%\na\n\n# b\n%%\nc\n\n%% d %%\n\n%% not closed',
      ['html:%%\na\n\n# b\n%%', 'paragraph:c', 'html:%% d %%', 'paragraph:%% not closed'],
    ],
    [
      'other scripts',
      '# 日本語\n本文です。\n\nТекст',
      ['heading:# 日本語', 'paragraph:本文です。', 'paragraph:Текст'],
    ],
    ['lone carriage returns', '# a\rb\r\rc', ['heading:# a', 'paragraph:b', 'paragraph:c']],
  ];
  it.each(cases)('%s', (_name, text, expected) => {
    expect(outline(text)).toEqual(expected);
    expect(whole(text)).toBe(text);
    expect(outline(text.replaceAll('\n', '\r\n'))).toEqual(
      expected.map((line) => line.replaceAll('\n', '\r\n')),
    );
  });

  it('cuts a long list of short items', () => {
    const blocks = readPage('- item\n'.repeat(45)).blocks;
    expect(blocks.map(({ text }) => text.split('\n').length - 1)).toEqual([20, 20, 5]);
  });

  it('keeps the blank lines after a block with it', () => {
    expect(readPage('\n\na\n\n\nb\n').blocks.map(({ text }) => text)).toEqual(['\n\na\n\n\n', 'b\n']);
  });
});

describe('front matter', () => {
  const cases: [string, string, Record<string, unknown> | RegExp, string][] = [
    ['none', 'a\n---\nb: 1\n---\n', {}, ''],
    [
      'some',
      '---\na: 1\ntags: [x, y]\n---\ntext',
      { a: 1, tags: ['x', 'y'] },
      '---\na: 1\ntags: [x, y]\n---\n',
    ],
    ['CRLF', '---\r\na: b\r\n---\r\ntext', { a: 'b' }, '---\r\na: b\r\n---\r\n'],
    ['a byte order mark', '\uFEFF---\na: 1\n---\n', { a: 1 }, '\uFEFF---\na: 1\n---\n'],
    ['dots, no line end', '---\na: 1\n...', { a: 1 }, '---\na: 1\n...'],
    ['empty', '---\n---\n\ntext', {}, '---\n---\n'],
    ['never closed', '---\na: 1\n', {}, ''],
    ['text between two rules', '---\nJust a text.\n---\n', {}, ''],
    ['a template', '---\ntitle: {{title}}\n---\n', /./, '---\ntitle: {{title}}\n---\n'],
    ['twice the same', '---\na: 1\na: 2\n---\n', /unique/, '---\na: 1\na: 2\n---\n'],
    ['tabs', '---\na:\n\t- b\n---\nx', /line 3/, '---\na:\n\t- b\n---\n'],
    [
      'a dash within a text',
      '---\na: |\n  x\n  ---\nb: 2\n---\n',
      { a: 'x\n---\n', b: 2 },
      '---\na: |\n  x\n  ---\nb: 2\n---\n',
    ],
    ['other scripts', '---\n標籤: [жизнь]\n---\n', { 標籤: ['жизнь'] }, '---\n標籤: [жизнь]\n---\n'],
    ['a date stays a text', '---\nd: 2024-01-02\n---\n', { d: '2024-01-02' }, '---\nd: 2024-01-02\n---\n'],
    [
      'a name that programs fear',
      '---\n__proto__: {polluted: 1}\n---\n',
      JSON.parse('{"__proto__": {"polluted": 1}}'),
      '---\n__proto__: {polluted: 1}\n---\n',
    ],
    [
      'references without end',
      `---\na: &a [x]\n${'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]'}\n---\n`,
      /alias/i,
      '---',
    ],
    ['too deep', `---\na: ${'['.repeat(20_000)}\n---\n`, /./, '---'],
  ];
  it.each(cases)('%s', (_name, text, expected, raw) => {
    const { frontMatter } = readPage(text);
    if (expected instanceof RegExp) {
      expect(frontMatter.problem).toMatch(expected);
      expect(frontMatter.properties).toEqual({});
    } else expect(frontMatter).toMatchObject({ problem: null, properties: expected });
    expect(frontMatter.raw.startsWith(raw)).toBe(true);
    expect(frontMatter.raw === '').toBe(raw === '');
    expect(whole(text)).toBe(text);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('links', () => {
  const cases: [string, string[]][] = [
    ['[[Plan]] and [[a/b c|the plan]]', ['wiki Plan', 'wiki a/b c | the plan']],
    ['[[Plan#Scope#Part]] [[Plan#^id|x]] [[#here]]', ['wiki Plan #Scope#Part', 'wiki Plan #^id | x']],
    ['![[photo.png|300]] ![[Plan]]', ['embed photo.png | 300', 'embed Plan']],
    ['[[Plan.md]] [[日本/東京]] [[ spaced ]]', ['wiki Plan', 'wiki 日本/東京', 'wiki spaced']],
    ['| [[a\\|b]] | [[c]] |', ['wiki a | b', 'wiki c']],
    [
      '[x](a%20b.md) [y](<c d.md#E f>) [z](../e.md "title")',
      ['markdown a b | x', 'markdown c d #E f | y', 'markdown ../e | z'],
    ],
    [
      '[x](a(1).md) [y](b\\).md) [p](%E6%97%A5.md)',
      ['markdown a(1) | x', 'markdown b) | y', 'markdown 日 | p'],
    ],
    [
      '[a](https://x.org/b.md) [b](mailto:x@y) [c](#d) [e](//x/y.md) [f](dir/) [g](main.go) [h](Note)',
      ['markdown Note | h'],
    ],
    [
      '![alt](img/a.png) [![b](c.svg)](d.md)',
      ['embed img/a.png | alt', 'embed c.svg | b', 'markdown d | ![b](c.svg)'],
    ],
    ['[x][1]\n\n[1]: ./a.md "t"\n[2]: <b c.md>\n[^3]: d.md', ['markdown ./a', 'markdown b c']],
    ['`[[a]]` ``[[b]] ` [[c]]`` [[d]]', ['wiki d']],
    ['` [[a]] `` [[b]]', ['wiki a', 'wiki b']],
    ['` a\n\n[[b]] `', ['wiki b']],
    ['```\n[[a]]\n```\n[[b]]', ['wiki b']],
    ['- x\n  ```\n  [[a]]\n  ```\n  [[b]]\n> ~~~\n> [[c]]\n> ~~~\n> [[d]]', ['wiki b', 'wiki d']],
    ['```\n[[a]]', []],
    ['    [[a]]\n', []],
    ['%% [[a]] %% [[b]] <!-- [[c]] --> $$[[d]]$$ %% [[e]]', ['wiki b', 'wiki e']],
    ['\\[[a]] \\![[b]] [a\\](b.md)', ['wiki b']],
    ['[[]] [[a\nb]] [[a[b]] [ ] [x]', []],
  ];
  it.each(cases)('%j', (text, expected) => {
    const links = findLinks(text);
    expect(
      links.map(
        ({ kind, target, fragment, alias }) =>
          `${kind} ${target}${fragment && ` ${fragment}`}${alias === null ? '' : ` | ${alias}`}`,
      ),
    ).toEqual(expected);
    for (const { start, end, target } of links) {
      const written = text.slice(start, end);
      expect(written).not.toBe('');
      if (!/[%\\]/.test(written)) expect(written.replace(/\.md$/, '')).toBe(target);
    }
  });

  it('a page of other name is written in the form in which the old one stood', () => {
    const to = (target: string) => (text: string) =>
      replaceTargets(text, (link) => (link.target.endsWith('Old') ? target : null));
    const rename = to('New (1)');
    expect(rename('[[Old|x]] [[Old#a]] [[Older]] ![[Old]] [[Old.md]]')).toBe(
      '[[New (1)|x]] [[New (1)#a]] [[Older]] ![[New (1)]] [[New (1).md]]',
    );
    expect(rename('[x](Old.md#a) [y](<Old.md>) [z](Other.md) ![e](Old) `[[Old]]`')).toBe(
      '[x](New%20%281%29.md#a) [y](<New (1).md>) [z](Other.md) ![e](New%20%281%29) `[[Old]]`',
    );
    expect(rename('[r]: Old.md "t"')).toBe('[r]: New%20%281%29.md "t"');
    expect(to('新')('[x](Old.md) [[Old]]')).toBe('[x](新.md) [[新]]');
  });
});

describe('tags', () => {
  const cases: [string, string[]][] = [
    ['#a text #b/c-d_e #a', ['a', 'b/c-d_e']],
    ['# heading #in/heading', ['in/heading']],
    ['#2024 #2024a #1/2 #y/', ['2024a', 'y']],
    ['#日本語 #жизнь #été #🎉', ['日本語', 'жизнь', 'été', '🎉']],
    ['a#b x/#c (#d) [#e](f) [x](#g) &#39; [[a#h]] https://x.org/#i', ['d']],
    ['`#a` ```#b``` %%#c%% <a href="#d">', []],
    ['#a, #b. #c: #d!', ['a', 'b', 'c', 'd']],
    ['> #quoted\n- #item\n| #cell |', ['quoted', 'item', 'cell']],
    ['\\#no #', []],
  ];
  it.each(cases)('%j', (text, expected) => expect(findTags(text)).toEqual(expected));
});

describe('properties', () => {
  const before = '---\n# about\ntitle: "A"   # quoted\n\naliases:\n  - x\n  - y\nweight:   3\n---\n';
  const cases: [string, string, Record<string, unknown>, string][] = [
    ['a value', before, { weight: 4 }, before.replace('weight:   3', 'weight: 4')],
    ['a list', before, { aliases: ['z'] }, before.replace('  - x\n  - y\n', '  - z\n')],
    ['taken away', before, { aliases: null }, before.replace('aliases:\n  - x\n  - y\n', '')],
    ['added', before, { new: true }, before.replace('3\n---', '3\nnew: true\n---')],
    ['nothing to take away', before, { other: null }, before],
    ['none before', '', { a: 'b: c' }, '---\na: "b: c"\n---\n'],
    ['the last one', '---\na: 1\n---\n', { a: null }, ''],
    ['in braces', '---\n{a: 1, b: 2}\n---\n', { a: 3 }, '---\n{ a: 3, b: 2 }\n---\n'],
    ['an empty one', '---\n---\n', { a: 1 }, '---\na: 1\n---\n'],
    ['a long text', '---\na: |\n  x\n  y\nb: 1\n---\n', { a: 'z' }, '---\na: z\nb: 1\n---\n'],
    ['a name in quotes', '---\n"a b": 1\n---\n', { 'a b': 2 }, '---\na b: 2\n---\n'],
    ['no value', '---\na:\nb: 1\n---\n', { a: 2 }, '---\na: 2\nb: 1\n---\n'],
    ['broken', '---\na: [\n---\n', { b: 1 }, '---\na: [\n---\n'],
  ];
  it.each(cases)('%s', (_name, text, set, expected) => {
    for (const newline of ['\n', '\r\n'] as const) {
      const frontMatter = readPage(text.replaceAll('\n', newline)).frontMatter;
      const after = changeProperties(frontMatter, set, newline);
      expect(after.raw).toBe(expected.replaceAll('\n', newline));
      expect(readPage(after.raw).frontMatter).toEqual(after);
      if (after.problem === null)
        for (const [name, value] of Object.entries(set))
          expect(after.properties[name] ?? null).toEqual(value);
    }
  });
});

describe('nothing is lost', () => {
  const pieces =
    '---|\n|\r\n|\r| |  |    |\t|- |* |1. |> |# |## |`|```|~~~|$$|%%|<div>|</div>|<!--|-->|[[|]]|](|(|)|[|]|!|#tag|a: b|' +
    'text|日本語|é|\u0301|🎉|\uFEFF|\u2028|\u0000|\uD800|\\|| a | b ||\n|---|---|\n|[^1]: |===|[!note]|.md|%20|^id';
  const parts = [...pieces.split('|'), '|'];
  /** The same numbers in every run: https://prng.di.unimi.it/splitmix64.c, on 32 bits. */
  const numbers = (seed: number) => () => {
    seed = (seed + 0x9e3779b9) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };

  it('of texts that chance wrote', () => {
    for (let seed = 0; seed < 4000; seed++) {
      const next = numbers(seed);
      let text = seed % 3 === 0 ? '---\n' : '';
      for (let n = Math.floor(next() * 60); n > 0; n--) text += parts[Math.floor(next() * parts.length)];
      const page = readPage(text);
      expect(page.frontMatter.raw + page.blocks.map((block) => block.text).join(''), `seed ${seed}`).toBe(
        text,
      );
      if (page.blocks.length > 1) for (const block of page.blocks) expect(block.text).not.toBe('');
      for (const block of page.blocks) {
        for (const link of findLinks(block.text)) expect(link.start).toBeLessThan(link.end);
        expect(replaceTargets(block.text, () => null)).toBe(block.text);
        findTags(block.text);
      }
      const set = changeProperties(page.frontMatter, { added: 1 }, '\n');
      if (page.frontMatter.problem === null)
        expect({ ...set.properties }, `seed ${seed}`).toEqual({ ...page.frontMatter.properties, added: 1 });
    }
  });

  const docs = fileURLToPath(new URL('../../..', import.meta.url));
  it('of the Markdown that packages bring', () => {
    const files = globSync('node_modules/**/*.md', { cwd: docs });
    expect(existsSync(docs) && files.length).toBeGreaterThan(100);
    for (const file of files) {
      const text = readFileSync(`${docs}/${file}`, 'utf8');
      expect(whole(text) === text, file).toBe(true);
    }
  });

  it('in time that grows with the text', () => {
    for (const piece of [
      '[',
      '![[',
      '](',
      '`',
      '``` ',
      '%%',
      '<!--',
      '$$',
      '> ',
      '- ',
      '|-',
      '# ',
      '    x\n\n',
      '- a\n\n',
      '[a]: ',
      '[a](b ',
      '<a b=',
      '#a',
    ])
      for (const text of [piece.repeat(50_000), `${piece}\n`.repeat(50_000)]) {
        expect(whole(text)).toBe(text);
        findLinks(text);
        findTags(text);
      }
  });
});
