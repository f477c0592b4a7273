import { describe, expect, test } from 'vitest';
import { splitTerms } from './tokens.ts';
import { getStemmer, type Stemming } from './tokens-stem.ts';

const check = (text: string, expected: readonly string[], stemming: Stemming = 'none') =>
  test(`${stemming}: ${text.slice(0, 40)}`, () => expect(splitTerms(text, { stemming })).toEqual(expected));

describe('identifiers', () => {
  check('parseHTTPBody', ['parsehttpbody', 'parse', 'http', 'body']);
  check('max_retries', ['max_retries', 'max', 'retries']);
  check('__init__', ['init']);
  check('$scope.$apply()', ['scope', 'apply']);
  check('XMLHttpRequest2', ['xmlhttprequest2', 'xml', 'http', 'request2']);
  check('MAX_VALUE', ['max_value', 'max', 'value']);
  check('src/http-client.ts', ['src', 'http', 'client', 'ts']);
  check('fooFoo', ['foofoo', 'foo']);
  check('utf8 base64Encode', ['utf8', 'base64encode', 'base64', 'encode']);
  check('x = y + ab', ['ab']);
});

describe('numbers', () => {
  check('404 E0599 2026-11-21', ['404', 'e0599', '2026', '11', '21']);
  check('12345678901234567890', []);
  check('issue_1234', ['issue_1234', 'issue', '1234']);
});

describe('words beyond ASCII', () => {
  check('Café naïve', ['cafe', 'naive']);
  check('Überprüfung', ['uberprufung']);
  check('индекс поиска', ['индекс', 'поиска']);
  check('検索エンジン', ['検索', '索エ', 'エン', 'ンジ', 'ジン']);
  check('全文search引擎', ['全文', 'search', '引擎']);
  check('字', ['字']);
  check('foo—barBaz', ['foo', 'barbaz', 'bar', 'baz']);
  check('“quoted” words', ['quoted', 'words']);
});

describe('data that looks like words', () => {
  check('a'.repeat(200), []);
  check('aGVsbG8gd29ybGQhIQ', ['agvsbg8gd29ybgqhiq']);
  test('a long line of Chinese is not dropped', () => {
    expect(splitTerms(`${'检'.repeat(300)}索`, { stemming: 'none' })).toContain('检索');
  });
  test('bytes that are no UTF-8 separate words', () => {
    expect(splitTerms('ab\uFFFDcd', { stemming: 'none' })).toEqual(['ab', 'cd']);
  });
});

describe('stemming applies to parts, not to the whole identifier', () => {
  check('cachedEntries classes', ['cachedentries', 'cached', 'entry', 'class'], 'plural');
  check('status focus less', ['status', 'focus', 'less'], 'plural');
  check('stopping created cachedValues', ['stop', 'create', 'cachedvalues', 'cach', 'value'], 'light');
});

/** Pairs from the paper and from the vocabulary that its author published. */
const porterPairs = (
  'caresses:caress ponies:poni cats:cat feed:feed agreed:agre plastered:plaster bled:bled motoring:motor sing:sing ' +
  'conflated:conflat troubled:troubl sized:size hopping:hop tanned:tan falling:fall hissing:hiss fizzed:fizz ' +
  'failing:fail filing:file happy:happi sky:sky relational:relat conditional:condit valenci:valenc digitizer:digit ' +
  'radicalli:radic differentli:differ vileli:vile vietnamization:vietnam predication:predic operator:oper ' +
  'feudalism:feudal decisiveness:decis hopefulness:hope formaliti:formal sensitiviti:sensit sensibiliti:sensibl ' +
  'triplicate:triplic formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope ' +
  'goodness:good revival:reviv allowance:allow inference:infer airliner:airlin adjustable:adjust ' +
  'defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt ' +
  'communism:commun activate:activ homologous:homolog effective:effect bowdlerize:bowdler probate:probat ' +
  'rate:rate cease:ceas controll:control roll:roll indexing:index retrieval:retriev'
).split(' ');

test.each(porterPairs.map((pair) => pair.split(':') as [string, string]))(
  'porter: %s to %s',
  (word, stem) => {
    const bytes = Buffer.alloc(word.length + 4);
    bytes.write(word);
    const length = getStemmer('porter')(bytes, 0, word.length);
    expect(bytes.toString('latin1', 0, length)).toBe(stem);
  },
);
