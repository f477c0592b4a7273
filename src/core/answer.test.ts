import { describe, expect, test } from 'vitest';
import { type AnswerRequest, type GatedAnswer, gateAnswer } from './answer.ts';
import { unsupportedMark, unverifiedNotice } from './answer-marks.ts';
import { evidence } from './evidence.ts';
import type { TextReader } from './material.ts';

const files: Readonly<Record<string, readonly string[]>> = {
  'src/cache.ts': [
    'export const timeout = 30;',
    '// The cache is cleared when the "last reader" goes away.',
    'export function clearCache(reader: Reader): void {',
    '  if (reader.isLast) store.clear();',
    '}',
    'export function openCache(): Cache {',
    '  return new Cache(timeout);',
    '}',
  ],
  'Release notes/v0.9.18': ['', '', 'Cached embeds show up.'],
  'docs/guide.md': ['# Guide', '', '缓存会在三十秒后被清除。', 'Call openCache before clearCache.'],
};
const reader: TextReader = {
  readText: async (path) => {
    const lines = files[path];
    return lines === undefined
      ? { kind: 'unreadable', reason: 'missing', message: `${path} is missing` }
      : { kind: 'text', lines };
  },
};
const piece = (path: string, start: number, end: number, content?: string) =>
  evidence({
    file_path: path,
    start_line: start,
    end_line: end,
    content: content ?? (files[path] ?? []).slice(start - 1, end).join('\n'),
    reason: 'test',
    provenance: 'manual',
  });
const clear = piece('src/cache.ts', 1, 5);
const open = piece('src/cache.ts', 6, 8);
const guide = piece('docs/guide.md', 3, 4);
const gone = piece('src/gone.ts', 1, 1, 'gone');
const changed = piece('src/cache.ts', 1, 1, 'export const timeout = 60;');
const spaced = piece('Release notes/v0.9.18', 3, 3);
const held = [clear, open, guide, gone, changed, spaced];
const [A, B, G] = [`[${clear.id}]`, `[${open.id}]`, `[${guide.id}]`];
const [X, Y, N] = [`[${gone.id}]`, `[${changed.id}]`, '[ev-0123456789]'];
const M = unsupportedMark;
const notice = unverifiedNotice;

const gate = (text: string, more: Partial<AnswerRequest> = {}): Promise<GatedAnswer> =>
  gateAnswer({ text, evidence: held, reader, confidence: 0.8, ...more });

interface Expected {
  /** Omitted: the answer is unchanged. */
  readonly answer?: string;
  readonly status?: GatedAnswer['status'];
  readonly unsupported?: readonly string[];
}

const cases: readonly [what: string, text: string, expected: Expected][] = [
  ['a cited sentence', `It is cleared by the last reader ${A}.`, {}],
  ['a marker behind the stop', `It is cleared by the last reader. ${A}`, {}],
  [
    'two sentences, markers behind',
    `It is cleared by the reader. ${A} It is opened with a timeout. ${B}`,
    {},
  ],
  ['several ids in one bracket', `It is cleared and opened [${clear.id}, ${open.id}].`, {}],
  ['brackets side by side', `It is cleared and opened ${A}${B}.`, {}],
  ['a bare id', `As ${clear.id} shows, the reader clears it.`, {}],
  [
    'an id that nothing registered',
    `It is cleared by the reader ${A}. It flies to the moon ${N}.`,
    {
      answer: `It is cleared by the reader ${A}. It flies to the moon. ${M}`,
      unsupported: ['It flies to the moon.'],
    },
  ],
  [
    'an id that cannot be',
    `It is cleared by the reader ${A}. It flies to the moon [ev-12].`,
    {
      answer: `It is cleared by the reader ${A}. It flies to the moon. ${M}`,
      unsupported: ['It flies to the moon.'],
    },
  ],
  [
    'a bare id that nothing registered',
    `It is cleared by the reader ${A}. As ev-0123456789 shows it flies.`,
    {
      answer: `It is cleared by the reader ${A}. As ${M} shows it flies.`,
      unsupported: ['As shows it flies.'],
    },
  ],
  [
    'evidence that is gone, behind the stop',
    `It is cleared by the reader ${A}. It is gone now. ${X}`,
    { answer: `It is cleared by the reader ${A}. It is gone now. ${M}`, unsupported: ['It is gone now.'] },
  ],
  [
    'one of two citations falls',
    `It is cleared after the timeout [${clear.id}, ${changed.id}].`,
    { answer: `It is cleared after the timeout ${A}.`, status: 'verified' },
  ],
  [
    'all citations fall',
    `The timeout is sixty seconds ${Y}.`,
    {
      answer: `${notice}\n\nThe timeout is sixty seconds. ${M}`,
      status: 'unverified',
      unsupported: ['The timeout is sixty seconds.'],
    },
  ],
  [
    'a claim without a citation',
    `It is cleared by the reader ${A}. It also writes a file.`,
    {
      answer: `It is cleared by the reader ${A}. It also writes a file. ${M}`,
      unsupported: ['It also writes a file.'],
    },
  ],
  [
    'small letters do not hide a claim',
    `it is cleared by the reader ${A}. it also writes a file.`,
    {
      answer: `it is cleared by the reader ${A}. it also writes a file. ${M}`,
      unsupported: ['it also writes a file.'],
    },
  ],
  [
    'a line break behind a marker ends the sentence',
    `It is cleared by the reader ${A}\nIt also writes a file`,
    {
      answer: `It is cleared by the reader ${A}\nIt also writes a file ${M}`,
      unsupported: ['It also writes a file'],
    },
  ],
  [
    'the end of a paragraph carries what shares its words',
    `The cache is cleared by \`clearCache\`. The store is emptied by the last reader. ${A}`,
    {},
  ],
  [
    'but no name that is not there',
    `The cache is cleared by \`flushAll\`. The store is emptied by the last reader. ${A}`,
    {
      answer: `The cache is cleared by \`flushAll\`. ${M} The store is emptied by the last reader. ${A}`,
      unsupported: ['The cache is cleared by `flushAll`.'],
    },
  ],
  [
    'and no number that is not there',
    `The cache has a timeout of 45. The store is emptied by the last reader. ${A}`,
    {
      answer: `The cache has a timeout of 45. ${M} The store is emptied by the last reader. ${A}`,
      unsupported: ['The cache has a timeout of 45.'],
    },
  ],
  [
    'nor over another paragraph',
    `The cache is cleared by \`clearCache\`.\n\nThe store is emptied by the last reader. ${A}`,
    {
      answer: `The cache is cleared by \`clearCache\`. ${M}\n\nThe store is emptied by the last reader. ${A}`,
      unsupported: ['The cache is cleared by `clearCache`.'],
    },
  ],
  [
    'a list with citations',
    `Two functions share it:\n\n- \`clearCache\` empties the store ${A}\n- \`openCache\` makes one ${B}\n`,
    {
      answer: `Two functions share it:\n\n- \`clearCache\` empties the store ${A}\n- \`openCache\` makes one ${B}`,
    },
  ],
  [
    'a lead-in carries the items that share its words',
    `The cache module exports these ${A}:\n- the constant \`timeout\`\n- the function \`clearCache\`\n- the function \`flush\``,
    {
      answer: `The cache module exports these ${A}:\n- the constant \`timeout\`\n- the function \`clearCache\`\n- the function \`flush\` ${M}`,
      unsupported: ['the function `flush`'],
    },
  ],
  [
    'headings, questions, turns of phrase, fragments claim nothing',
    `# How the cache is cleared\n\n**Answer:**\n\nIn short, yes. Here is how it works. Why is it so? By the last reader ${A}.`,
    {},
  ],
  ['what was not found may be said', `It is cleared by the reader ${A}. I could not find who calls it.`, {}],
  [
    'and two such things in one sentence',
    `It is cleared by the reader ${A}. I did not find who calls it, and did not check the tests. We could not open the log, nor did we look for others.`,
    {},
  ],
  [
    'but not what it did not check, nor what follows from it',
    `It is cleared by the reader ${A}. I did not find a caller, and it did not check the lock. I did not find a caller, and did not check it, so nobody calls it.`,
    {
      answer: `It is cleared by the reader ${A}. I did not find a caller, and it did not check the lock. ${M} I did not find a caller, and did not check it, so nobody calls it. ${M}`,
      unsupported: [
        'I did not find a caller, and it did not check the lock.',
        'I did not find a caller, and did not check it, so nobody calls it.',
      ],
    },
  ],
  [
    'but hides no claim',
    `It is cleared by the reader ${A}. I could not find who calls it, but it writes a file.`,
    {
      answer: `It is cleared by the reader ${A}. I could not find who calls it, but it writes a file. ${M}`,
      unsupported: ['I could not find who calls it, but it writes a file.'],
    },
  ],
  ['a direct quote', `It says "The cache is cleared when the" and more ${A}.`, {}],
  ['a direct quote with its own stop', `It says “return new Cache(timeout).” there ${B}.`, {}],
  ['two words are no quote', `The "big cache" is cleared by the reader ${A}.`, {}],
  ['quotation marks in code are code', `It logs \`print("not in the evidence")\` for the reader ${A}.`, {}],
  [
    'a quote that is not there',
    `It says "the cache is never cleared" plainly ${A}. It is opened with a timeout ${B}.`,
    {
      answer: `It says "the cache is never cleared" plainly. ${M} It is opened with a timeout ${B}.`,
      unsupported: ['It says "the cache is never cleared" plainly.'],
    },
  ],
  ['a block quote', `It is opened so ${B}:\n\n> return new Cache(timeout);`, {}],
  [
    'a block quote that is not there',
    `It is opened so ${B}:\n\n> return new Cache(90);`,
    {
      answer: `It is opened so ${B}:\n\n> return new Cache(90); ${M}`,
      unsupported: ['> return new Cache(90);'],
    },
  ],
  [
    'a block of code',
    `It is opened so ${B}:\n\n\`\`\`ts\nexport function openCache(): Cache {\n  // ...\n}\n\`\`\``,
    {},
  ],
  [
    'a block of code that is not there',
    `It is opened so ${B}:\n\n\`\`\`ts\nopenCache(90);\n\`\`\`\n\nIt has a timeout ${A}.`,
    {
      answer: `It is opened so ${B}:\n\n\`\`\`ts\nopenCache(90);\n\`\`\`\n${M}\n\nIt has a timeout ${A}.`,
      unsupported: ['```ts openCache(90); ```'],
    },
  ],
  ['sentences in code are not split', `Use it so ${B}:\n\`\`\`\nreturn new Cache(timeout);\n\`\`\``, {}],
  [
    'rows of a table',
    `| name | what it does |\n|---|---|\n| \`clearCache\` | empties the whole store ${A} |\n| \`flush\` | writes all of it |`,
    {
      answer: `| name | what it does |\n|---|---|\n| \`clearCache\` | empties the whole store ${A} |\n| \`flush\` | writes all of it ${M} |`,
      unsupported: ['| `flush` | writes all of it |'],
    },
  ],
  [
    'abbreviations, paths, versions',
    `It uses e.g. store.clear() of v1.2.3, i.e. vs. the a.b.c module etc. for all ${A}.`,
    {},
  ],
  ['Chinese', `缓存会在三十秒后被清除${G}。它由最后一个读者打开。${B}`, {}],
  [
    'Chinese without a citation',
    `缓存会在三十秒后被清除${G}。它也会写入一个文件。`,
    {
      answer: `缓存会在三十秒后被清除${G}。它也会写入一个文件。 ${M}`,
      unsupported: ['它也会写入一个文件。'],
    },
  ],
  ['Japanese quote', `「缓存会在三十秒后」と書かれている${G}。`, {}],
  ['German', `Der Cache wird geleert, z. B. vom letzten Leser ${A}. Er hat ein Zeitlimit ${B}.`, {}],
  ['a place that a citation covers', `It is cleared in src/cache.ts:3-5 and cache.ts:1 ${A}.`, {}],
  ['a place whose name has a space', `Embeds show up in Release notes/v0.9.18:3 [${spaced.id}].`, {}],
  [
    'a place that only ends as one with a space does',
    `Embeds show up in notes/v0.9.18:3 [${spaced.id}].`,
    {
      answer: `${notice}\n\nEmbeds show up in notes/v0.9.18:3 ${M} [${spaced.id}].`,
      status: 'unverified',
    },
  ],
  [
    'a place that none covers',
    `It is cleared in src/cache.ts:3-5 ${A}. It is also in \`src/other.ts:12\` somewhere ${B}.`,
    {
      answer: `It is cleared in src/cache.ts:3-5 ${A}. It is also in \`src/other.ts:12 ${M}\` somewhere ${B}.`,
      unsupported: ['It is also in `src/other.ts:12 ` somewhere .'],
    },
  ],
  [
    'lines beyond the citation',
    `It is cleared in src/cache.ts, lines 3 to 50 ${A}.`,
    {
      answer: `${notice}\n\nIt is cleared in src/cache.ts, lines 3 to 50 ${M} ${A}.`,
      status: 'unverified',
    },
  ],
  [
    'what looks like a place',
    `It listens at localhost:3000, 10:30, http://a.org/b.py:80 and server.port:8080 ${A}.`,
    {},
  ],
  ['nothing', '', { answer: notice, status: 'unverified', unsupported: [] }],
  ['only markers', A, {}],
];

describe.each(cases)('%s', (_what, text, expected) => {
  test('is gated', async () => {
    const gated = await gate(text);
    expect(gated.answer).toBe(expected.answer ?? text);
    const status = expected.status ?? (expected.unsupported === undefined ? 'verified' : 'partial');
    expect(gated.status).toBe(status);
    if (status !== 'unverified') expect(gated.unsupported).toEqual(expected.unsupported ?? []);
    for (const citation of gated.citations) expect(gated.answer).toContain(citation.id);
  });
  test('and gated again stays the same', async () => {
    const once = await gate(text);
    const twice = await gate(once.answer, { confidence: once.confidence });
    expect({ ...twice, checked: null }).toEqual({ ...once, checked: null });
  });
});

test('confidence falls with the claims that lose their support', async () => {
  expect((await gate(`It is cleared ${A}.`)).confidence).toBe(0.8);
  expect((await gate(`It is cleared by the reader ${A}. It is gone for good ${X}.`)).confidence).toBe(0.4);
  expect((await gate(`It is gone for good ${X}.`)).confidence).toBe(0);
  expect((await gate(`It is cleared by the reader ${A}.`, { confidence: null })).confidence).toBeNull();
});

test('what became of each id is told', async () => {
  const { checked, citations } = await gate(`It says "not in there at all" ${A}. It is gone ${X} ${Y} ${N}.`);
  expect(checked.map(({ id, status }) => [id, status])).toEqual([
    [clear.id, 'quote_not_found'],
    [gone.id, 'missing_file'],
    [changed.id, 'changed'],
    ['ev-0123456789', 'not_read'],
  ]);
  expect(citations).toEqual([]);
});

test('evidence that the trail does not cover was not read', async () => {
  const { checked, status } = await gate(`It is cleared ${A}.`, { trail: [] });
  expect(checked).toEqual([{ id: clear.id, status: 'not_read' }]);
  expect(status).toBe('unverified');
});

test("the program's own lead-in claims nothing", async () => {
  const lead = 'The model failed at once. Until then these lines were found most telling.';
  const text = `${lead}\n\n- src/cache.ts:1 \`export const timeout = 30;\` ${A}`;
  expect((await gate(text)).status).toBe('partial');
  expect(await gate(text, { framing: [lead] })).toMatchObject({ status: 'verified', answer: text });
});

test('an answer is cut at the end of a sentence, and says so', async () => {
  const sentences = Array.from(
    { length: 120 },
    (_, index) => `The reader clears the cache, as said ${index} times ${A}.`,
  );
  const gated = await gate(sentences.join(' '));
  expect(Buffer.byteLength(gated.answer)).toBeLessThanOrEqual(4_096);
  expect(Buffer.byteLength(gated.answer)).toBeGreaterThan(3_900);
  const kept = gated.answer.split(A).length - 1;
  expect(gated.answer.endsWith(`\n\n(Cut to fit: ${120 - kept} more sentences left out.)`)).toBe(true);
  expect(gated.status).toBe('verified');
  expect(await gate(gated.answer)).toEqual(gated);
});

test('citations that the cut leaves without a mention are dropped', async () => {
  const text = `It is cleared by the reader ${A}. ${'The reader opens it again and again. '.repeat(3)}It is opened ${B}.`;
  const gated = await gate(text, { limits: { bytes: 140 } });
  expect(gated.citations.map(({ id }) => id)).toEqual([clear.id]);
  expect(Buffer.byteLength(gated.answer)).toBeLessThanOrEqual(140);
});

test.each([20, 60, 200])('a limit of %i tokens', async (max) => {
  const count = (text: string) => text.split(/\s+/).length;
  const text = Array.from({ length: 60 }, () => `漢字 the reader clears the cache ${A}.`).join(' ');
  const gated = await gate(text, { limits: { tokens: { most: max, count } } });
  expect(count(gated.answer)).toBeLessThanOrEqual(max);
  expect(gated.answer).toContain('Cut to fit');
});

test('a first sentence that is too long is broken, and its citation lost', async () => {
  const gated = await gate(`It ${'really '.repeat(2_000)}clears ${A}.`);
  expect(Buffer.byteLength(gated.answer)).toBeLessThanOrEqual(4_096);
  expect(gated.status).toBe('unverified');
  expect(gated.answer.startsWith(notice)).toBe(true);
  expect(await gate(gated.answer, { confidence: 0 })).toMatchObject({ answer: gated.answer });
});

describe('whatever a model writes', () => {
  // A small deterministic generator: pieces that the rules speak of, in any order.
  const pieces = [
    ...[A, B, G, X, Y, N, '[ev-zz]', `[${clear.id}, ${gone.id}]`, clear.id, 'ev-0123456789', M, notice],
    ...['. ', '.\n', '\n', '\n\n', ': ', ':\n', '? ', '! ', '。', ', ', ' ', '  \n', '… '],
    ...[
      '# Title\n',
      '- ',
      '1. ',
      '> ',
      '| a | b |\n',
      '|---|---|\n',
      '```\n',
      '```ts\n',
      '---\n',
      '**',
      '`',
      '"',
      '“',
      '”',
    ],
    ...[
      'the cache is cleared',
      'It opens 45 stores',
      'src/cache.ts:3',
      'x.py:999',
      'e.g. this',
      '漢字の文章',
      'I found no',
    ],
    ...['(Cut to fit: 3 more sentences left out.)', 'return new Cache(timeout)', 'a\u0000b', '\uD800', '🙂'],
  ];
  const random = (seed: number) => () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return seed / 4_294_967_296;
  };
  test.each(Array.from({ length: 40 }, (_, index) => index + 1))('seed %i', async (seed) => {
    const next = random(seed);
    for (let round = 0; round < 25; round += 1) {
      const text = Array.from(
        { length: Math.floor(next() * 60) },
        () => pieces[Math.floor(next() * pieces.length)],
      ).join('');
      const limits = { bytes: next() < 0.5 ? 4_096 : 300 };
      const once = await gate(text, { limits });
      expect(Buffer.byteLength(once.answer)).toBeLessThanOrEqual(limits.bytes);
      const twice = await gate(once.answer, { limits, confidence: once.confidence });
      expect([text, { ...twice, checked: null }]).toEqual([text, { ...once, checked: null }]);
      // Nothing that was not confirmed is still cited.
      const ids = new Set(once.citations.map(({ id }) => id));
      for (const [id] of once.answer.matchAll(/ev-[0-9a-f]{10}/g))
        expect([text, ids.has(id)]).toEqual([text, true]);
      for (const id of [gone.id, changed.id]) expect(ids.has(id)).toBe(false);
      if (once.status === 'unverified') expect(once.answer.startsWith(notice)).toBe(true);
    }
  });
});
