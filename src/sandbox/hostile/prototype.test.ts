import { expect, test } from 'vitest';
import { categories, programsOf } from './programs.ts';

/**
 * The programs that the sandbox's prototype was attacked with, and where each is now. The last of them, a cell after
 * one that tampered with the helpers, is what the suite runs after every program.
 */
const places: readonly (readonly [program: string, category: string, name: string])[] = [
  ['while True: pass (soft)', 'computing', 'loop'],
  ['catches KeyboardInterrupt forever', 'computing', 'loop that catches the interrupt'],
  ['sum(range(10**12))', 'computing', 'sum of a range'],
  ['9**9**9 (C bigint loop)', 'computing', 'power tower'],
  ['int->str quadratic', 'computing', 'number to text'],
  ['regex catastrophe', 'computing', 'regex, nested quantifiers'],
  ['sorted w/ bad key', 'computing', 'sort with a key'],
  ['C-only loop: b in bytes', 'computing', 'search for a needle'],
  ['tuple DAG exponential ==', 'computing', 'equality of two shared structures'],
  ['list.__contains__ C loop (iter repeat)', 'computing', 'membership in an endless iterator'],
  ['memory [0]*10**10', 'memory', 'a list'],
  ['memory bytearray 10**9', 'memory', 'a bytearray'],
  ['memory append bomb', 'memory', 'appending'],
  ['memory str doubling', 'memory', 'doubling'],
  ['memory dict bomb', 'memory', 'a dict, counted apart'],
  ['stdout flood', 'output', 'flood'],
  ['stdout one huge', 'output', 'one huge text'],
  ['recursion plain', 'recursion', 'a function'],
  ['recursion limit raised', 'recursion', 'limit raised'],
  ['C recursion nested list repr', 'recursion', 'repr'],
  ['C recursion compare', 'recursion', 'comparison'],
  ['C recursion __getattr__ property chain', 'recursion', 'getattr'],
  ['C recursion map chain', 'recursion', 'map chain, limit raised'],
  ['C recursion __call__ chain', 'recursion', 'call chain'],
  ['C recursion iterator chain itertools.chain', 'recursion', 'itertools chain'],
  ['parser recursion', 'recursion', 'parser, parentheses'],
  ['parser recursion 2', 'recursion', 'parser, minus'],
  ['parser nested list', 'recursion', 'parser, balanced, within its limit'],
  ['compile deep attr', 'recursion', 'compile, attributes'],
  ['ast deep', 'recursion', 'ast, sum'],
  ['json deep', 'recursion', 'json, deep'],
  ['pickle deep', 'recursion', 'pickle, deep'],
  ['regex deep', 'recursion', 'regex, deep'],
  ['dealloc deep', 'recursion', 'deallocation'],
  ['read host file', 'files', 'password file'],
  ['read via traversal', 'files', 'traversal out of the library'],
  ['read canary', 'files', 'name of the host'],
  ['list root', 'files', 'list the root'],
  ['write file', 'files', 'write into the library'],
  ['os.system', 'processes', 'os.system'],
  ['subprocess', 'processes', 'subprocess'],
  ['socket', 'network', 'socket'],
  ['urllib', 'network', 'urllib'],
  ['ctypes', 'bridges', 'ctypes'],
  ['import js', 'bridges', 'js'],
  ['fd games', 'files', 'file descriptors'],
  ['thread', 'processes', 'thread'],
  ['fork', 'processes', 'fork'],
  ['kill', 'processes', 'raise a fatal signal'],
  ['os._exit', 'processes', 'exit the process'],
  ['sys.exit', 'processes', 'sys.exit'],
  ['abort', 'processes', 'abort'],
  ['segv', 'interpreter', 'faulthandler'],
  ['bad bytecode', 'interpreter', 'bytecode'],
  ['raw back-channel garbage', 'forgery', 'garbage in the channel'],
  ['raw back-channel 10MB', 'forgery', 'too large a request'],
  ['raw out stream', 'output', 'another stream number'],
  ['time.sleep(60)', 'computing', 'sleep for a minute'],
  ['signal alarm', 'processes', 'alarm'],
  ['input()', 'interpreter', 'standard input'],
  ['tamper helper', 'forgery', 'the channel and the driver replaced'],
];

test('every program of the prototype has its place', () => {
  const known = new Set(categories.flatMap(programsOf).map(({ category, name }) => `${category}: ${name}`));
  expect(places.length).toBe(61);
  expect(places.filter(([, category, name]) => !known.has(`${category}: ${name}`))).toEqual([]);
});
