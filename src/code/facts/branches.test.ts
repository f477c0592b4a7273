import { describe, expect, it } from 'vitest';
import { keepOneBranch } from './branches.ts';

const check = (input: readonly string[], expected: readonly string[]) => {
  const { text, dropped } = keepOneBranch(input.join('\n'));
  expect(text.split('\n')).toEqual(expected);
  const kept = text.split('\n');
  for (const { line, text: own } of dropped) {
    expect(own).toBe(input[line - 1]);
    expect(kept[line - 1]).toBe('');
  }
};

describe('branches that open or close a brace', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'the first of two heads is kept',
      ['#ifdef A', 'int f(int a) {', '#else', 'int f(long a) {', '#endif', '}'],
      ['', 'int f(int a) {', '', '', '', '}'],
    ],
    [
      'a branch without another loses its directives alone',
      ['#ifdef A', 'if (a) {', '#endif', 'g();', '#ifdef A', '}', '#endif'],
      ['', 'if (a) {', '', 'g();', '', '}', ''],
    ],
    [
      'within one that is whole',
      [
        '#if A',
        'void g(void) {',
        '#if B',
        'if (b) {',
        '#elif C',
        'if (c) {',
        '#else',
        '{',
        '#endif',
        '}',
        '}',
        '#endif',
      ],
      ['#if A', 'void g(void) {', '', 'if (b) {', '', '', '', '', '', '}', '}', '#endif'],
    ],
    ...(
      [
        ['branches that are whole', ['#ifdef A', 'int f(void) { }', '#else', 'int f(void) { ; }', '#endif']],
        [
          'braces in texts and comments',
          ['#ifdef A', "char c = '{'; // {", '#else', '/* {', '{ */ char *d = "{\\"{";', '#endif'],
        ],
        [
          'braces of a macro',
          ['#ifdef A', '#define BEGIN do { \\', '  {', '#else', '#define BEGIN {', '#endif'],
        ],
        ['an end without its beginning', ['{', '#endif', '#if A', '{', '#endif']],
        ['a beginning without its end', ['#if A', '{', '#else']],
      ] as const
    ).map(([name, lines]) => [`${name} stay`, lines, lines] as const),
  ])('%s', (_, input, expected) => check(input, expected));
});
