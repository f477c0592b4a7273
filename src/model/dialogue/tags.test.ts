import { describe, expect, it } from 'vitest';
import type { DialogueTool } from './dialogue.ts';
import { readTags, writeTags } from './tags.ts';

const field = (type: string) => ({ type });
const tools: readonly DialogueTool[] = [
  {
    name: 'python',
    description: '',
    parameters: { type: 'object', properties: { code: field('string') }, required: ['code'] },
  },
  {
    name: 'open_span',
    description: '',
    parameters: {
      type: 'object',
      properties: { file_path: field('string'), start_line: field('integer'), end_line: field('integer') },
      required: ['file_path', 'start_line', 'end_line'],
    },
  },
  {
    name: 'create_page',
    description: '',
    parameters: {
      type: 'object',
      properties: { path: field('string'), text: field('string'), tags: field('array') },
      required: ['path', 'text'],
    },
  },
];

const code = 'import re\nprint(re.findall(r"\\d+\\n", \'a "quoted" \\\\ text\'))\nx = {"a": [1, 2]}\n';
const cases = {
  code: [{ name: 'python', input: { code } }],
  numbers: [{ name: 'open_span', input: { file_path: 'src/a b.ts', start_line: 1, end_line: 20 } }],
  'two calls': [
    { name: 'open_span', input: { file_path: 'a.ts', start_line: 1, end_line: 2 } },
    { name: 'python', input: { code: 'print("</arg>")\nprint(1 < 2)' } },
  ],
  'a page about the protocol itself': [
    {
      name: 'create_page',
      input: {
        path: 'Notes/x',
        text: 'Write `<call name="python">` so:\n\n```\n<call name="python">\n<arg name="code">1</arg>\n</call>\n```\nand no more.',
        tags: ['a', 'b "c"'],
      },
    },
  ],
  'malformed JSON as a value': [{ name: 'create_page', input: { path: 'x', text: "{a: 'b', }\n[1, 2" } }],
};

/** As models break what they write. */
const damages: Readonly<Record<string, (text: string) => string>> = {
  'as it should be': (text) => text,
  'prose before and after': (text) =>
    `Let me think about {this} first.\n\n${text}\n\nI will wait for the results.`,
  'all of it in a fence': (text) => `\`\`\`xml\n${text}\n\`\`\``,
  'a draft in thoughts': (text) => `<think>\nMaybe ${text.slice(0, 200)}\n</think>\n${text}`,
  'thoughts that the chat format opened': (text) => `I could call grep.\n</think>\n${text}`,
  'the last end missing': (text) => text.replace(/\n<\/call>$/, ''),
  'the end of the last value missing': (text) => text.replace(/<\/arg>\n<\/call>$/, '\n</call>'),
  'names without quotes': (text) => text.replace(/<(call|arg) name="([\w.]+)">/g, '<$1 name=$2>'),
  'single quotes and blanks': (text) => text.replace(/<(call|arg) name="([\w.]+)">/g, "<$1 name = '$2' >"),
  'indented tags': (text) => text.replace(/^<(call|\/call)/gm, '  <$1'),
  'a byte order mark': (text) => `\uFEFF${text}`,
};
/** Which say too little to be mended there, and must then be noticed. */
const noticed: Readonly<Record<string, readonly string[]>> = {
  'a page about the protocol itself': ['all of it in a fence'],
  // A list might have followed.
  'malformed JSON as a value': ['the last end missing'],
};
/** Where the damage is done to the text of a value, too. */
const renamed = /names|quotes|indented/;

describe('calls in tags', () => {
  const table = Object.entries(cases).flatMap(([what, calls]) =>
    Object.keys(damages).map((damage) => [what, damage, calls] as const),
  );
  it.each(table)('%s, %s', (what, damage, calls) => {
    const text = damages[damage]?.(writeTags('I look at it.', calls)) ?? '';
    const read = readTags(text, tools);
    if (noticed[what]?.includes(damage)) return expect(read.calls).toEqual([]);
    if (what.includes('protocol') && renamed.test(damage)) return expect(read.calls.length).toBe(1);
    // A value whose end was forgotten has lost the line break before it.
    const given = read.calls.map(({ name, input }) => ({ name, input: trimmed(input) }));
    expect(given).toEqual(calls.map(({ name, input }) => ({ name, input: trimmed(input) })));
    expect(read.cut).toBe(false);
  });

  const trimmed = (input: object) =>
    Object.fromEntries(
      Object.entries(input).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.trimEnd() : value,
      ]),
    );

  const isHalf = (calls: readonly object[], text: string, ended: boolean) => {
    const given = readTags(text, tools, ended).calls.map(({ name, input }) => ({ name, input }));
    return JSON.stringify(given) !== JSON.stringify(calls.slice(0, given.length));
  };

  it.each(Object.entries(cases))('%s, cut anywhere: no half call is made of it', (_what, calls) => {
    const text = writeTags('I look at it.', calls);
    const cuts = Array.from(text, (_, at) => text.slice(0, at));
    expect(cuts.filter((cut) => isHalf(calls, cut, false))).toEqual([]);
    // Also where nobody says that it was cut, unless it was cut behind what looks like its end.
    if (!JSON.stringify(calls).includes('</arg>'))
      expect(cuts.filter((cut) => isHalf(calls, cut, true))).toEqual([]);
  });

  it.each([
    ['within a line', 'I would write `<call name="python">` with <arg name="code">1</arg></call> in it.'],
    [
      'behind a mark of quotation',
      '> <call name="python">\n> <arg name="code">1</arg>\n> </call>\nsays the manual.',
    ],
    [
      'in a fence that prose follows',
      'Like this:\n```\n<call name="python">\n<arg name="code">rm()</arg>\n</call>\n```\nBut I have the answer.',
    ],
    ['in a list', '- <call name="python"> begins a call\n- </call> ends it'],
    [
      'in thoughts',
      '<think>\n<call name="python">\n<arg name="code">1</arg>\n</call>\n</think>\nThe answer is 1.',
    ],
    ['in thoughts that never end', '<think>\n<call name="python">\n<arg name="code">1</arg>\n</call>\n'],
  ])('a call that is quoted %s is none', (_where, text) => {
    expect(readTags(text, tools)).toMatchObject({ calls: [], cut: false });
  });

  it('an example in a fence, and then the call', () => {
    const text =
      'Like this:\n```\n<call name="python">\n<arg name="code">example</arg>\n</call>\n```\nNow:\n<call name="python">\n<arg name="code">real</arg>\n</call>';
    expect(readTags(text, tools).calls.map(({ input }) => input)).toEqual([{ code: 'real' }]);
  });

  it('each call in a fence of its own', () => {
    const one = (value: string) =>
      `\`\`\`\n<call name="python">\n<arg name="code">${value}</arg>\n</call>\n\`\`\``;
    expect(readTags(`${one('a')}\n${one('b')}`, tools).calls.map(({ input }) => input)).toEqual([
      { code: 'a' },
      { code: 'b' },
    ]);
  });

  it('a call without its end before another one', () => {
    const text =
      '<call name="python">\n<arg name="code">a</arg>\n<call name="python">\n<arg name="code">b</arg>\n</call>';
    expect(readTags(text, tools).calls.map(({ input }) => input)).toEqual([{ code: 'a' }, { code: 'b' }]);
  });

  it('values that are no text are JSON, also as Python writes it; what is absent is left out', () => {
    const text =
      '<call name="create_page">\n<arg name="path">null</arg>\n<arg name="text">007</arg>\n<arg name="tags">[\'a\', True, None]</arg>\n</call>';
    expect(readTags(text, tools).calls).toMatchObject([
      { input: { path: 'null', text: '007', tags: ['a', true, null] } },
    ]);
  });

  it('a model that falls back into JSON within the tag', () => {
    const text = '<call name="python">\n{"code": "print(1)",}\n</call>';
    expect(readTags(text, tools).calls).toEqual([
      { name: 'python', input: { code: 'print(1)' }, fit: 'repaired' },
    ]);
  });

  it('where there are no tools, what looks like a call is what was said', () => {
    const text = 'It would be\n<call name="grep">\n<arg name="q">x</arg>\n</call>';
    expect(readTags(text, [])).toEqual({ text, calls: [], cut: false });
  });

  it('a tool that is not there is read by its own fields', () => {
    const text = '<call name="no.such">\n<arg name="a">1</arg>\n<arg name="b">x</arg>\n</call>';
    expect(readTags(text, tools).calls).toMatchObject([{ name: 'no.such', input: { a: '1', b: 'x' } }]);
  });
});
