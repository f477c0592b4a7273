import { maxRun } from '../tokens/tokens.ts';
import { definer } from '../tokens/tokens-definitions.ts';
import {
  classes,
  header,
  headerField,
  identifierBytes,
  maxCountedFrequency,
  scanStyle,
} from './scan-layout.ts';
import { measureRun } from './scan-runs.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  type Code,
  call,
  different,
  drop,
  equal,
  greater,
  isZero,
  less,
  load,
  load8,
  load16,
  loop,
  minus,
  or,
  plus,
  select,
  set,
  shiftLeft,
  shiftRight,
  store,
  store16,
  when,
  xor,
} from './wasm-code.ts';

/**
 * Counts the terms of a text. Identifiers are compared by their length and two independent hashes of 32 bits instead of
 * their bytes, so a look-up touches one cache line. Among a million identifiers, the chance that any two collide is less
 * than 1 in 10 million. The table uses open addressing over records of four words: first hash; second hash; `info`, with
 * the length in the lowest 8 bits, the number of terms in the next 8 and the role above, or 0 if the record is free; and
 * the term, or the position of its terms.
 */

const idle = 0;
const atLineStart = 1;
/** After a defining keyword; the name begins at `nameAt`. */
const beforeName = 2;

const newline = 10;
const carriageReturn = 13;
const openBrace = 123;

/** Reloads the locals after a call of JavaScript, which may have moved the tables and added terms. */
const reload: readonly Code[] = [
  set('identifiers', headerField('identifiers')),
  set('mask', headerField('identifierMask')),
  set('parts', headerField('parts')),
  set('frequencies', headerField('frequencies')),
  set('touched', headerField('touched')),
  set('touchedCount', headerField('touchedCount')),
];
const save = store(header.touchedCount, 'touchedCount');

const countTerm = (term: Code): readonly Code[] => [
  set('term', term),
  set('place', plus('frequencies', shiftLeft('term', 1))),
  set('frequency', load16('place')),
  // Without a branch, since the processor can't predict which terms are new to a chunk.
  store(plus('touched', shiftLeft('touchedCount', 2)), 'term'),
  set('touchedCount', plus('touchedCount', isZero('frequency'))),
  add('frequency', 'added'),
  store16('place', select(less('frequency', maxCountedFrequency), 'frequency', maxCountedFrequency)),
];

const endsWithBrace = or(
  equal(load8(minus('at', 1)), openBrace),
  and(equal(load8(minus('at', 1)), carriageReturn), equal(load8(minus('at', 2)), openBrace)),
);

const separator: readonly Code[] = [
  when(equal('byte', newline), [
    set('state', 'lineStart'),
    when(equal('style', scanStyle.braces), [
      when(endsWithBrace, [save, set('place', call('brace', 'from', 'line', 'at')), ...reload]),
    ]),
    set('line', plus('at', 1)),
  ]),
  add('at', 1),
];

/** Whether the tables may have no room for another identifier. */
const isFull: Code = [
  isZero(less(headerField('identifierCount'), headerField('identifierLimit'))),
  isZero(less(headerField('partCount'), headerField('partLimit'))),
  isZero(less(headerField('nextTerm'), headerField('termLimit'))),
  isZero(less(headerField('poolLength'), headerField('poolLimit'))),
].reduce((any, one) => or(any, one));

/** Finds or adds the identifier, and sets `record` to the address of its record. */
const lookUp: readonly Code[] = [
  set('slot', and(shiftLeft(xor('first', shiftRight('first', 15)), 4), 'mask')),
  block(
    'found',
    loop(
      'probe',
      set('record', plus('identifiers', 'slot')),
      set('info', load('record', 8)),
      branchIf(
        'found',
        and(
          and(equal(load('record'), 'first'), equal(load('record', 4), 'second')),
          equal(and('info', 255), 'length'),
        ),
      ),
      set('slot', and(plus('slot', identifierBytes), 'mask')),
      branchIf('probe', 'info'),
    ),
    save,
    when(isFull, [drop(call('grow')), ...reload, set('record', call('place', 'first'))]),
    when(
      and(headerField('splits'), isZero(call('hasNonAscii', 'start', 'at'))),
      [drop(call('identify', 'record', 'start', 'at', 'first', 'second'))],
      [drop(call('unusual', 'record', 'start', 'at', 'first', 'second')), ...reload],
    ),
    set('touchedCount', headerField('touchedCount')),
  ),
];

/** Adds the weight of a definition if the identifier follows a defining keyword. */
const addDefinitionWeight: readonly Code[] = [
  set('added', 'weight'),
  when('state', [
    when(and(equal('state', beforeName), equal('start', 'nameAt')), [
      add('added', headerField('definitionWeight')),
      set('state', idle),
    ]),
    when(different('state', beforeName), [
      set('role', shiftRight('info', 8)),
      when(
        equal('role', definer),
        [
          set('nameAt', call('name', 'at', 'end')),
          set('state', select(equal('nameAt', -1), idle, beforeName)),
          set('added', 'weight'),
        ],
        [when(isZero('role'), [set('state', idle)])],
      ),
    ]),
  ]),
];

/** `scan(at, end, weight, style)` counts the terms of the text from `at` to `end`. Returns their number. */
export const scan = {
  name: 'scan',
  parameters: ['at', 'end', 'weight', 'style'],
  locals: (
    'identifiers mask parts frequencies touched touchedCount from line lineStart state nameAt byte start ' +
    'first second length slot record info added role term place frequency part partEnd counted words gap newlines skip'
  ).split(' '),
  body: [
    ...reload,
    set('from', 'at'),
    set('line', 'at'),
    set('nameAt', -1),
    set('lineStart', select('style', atLineStart, idle)),
    set('state', 'lineStart'),
    block(
      'done',
      loop(
        'next',
        branchIf('done', isZero(less('at', 'end'))),
        set('byte', load8('at')),
        when(isZero(load8('byte', classes)), [...separator, branch('next')]),
        set('start', 'at'),
        ...measureRun,
        when(less('length', 2), [add('at', 'skip'), branch('next')]),
        when(greater('length', maxRun), [
          save,
          add('counted', call('longRun', 'start', 'at', 'weight')),
          ...reload,
          branch('next'),
        ]),
        ...lookUp,
        set('info', shiftRight(load('record', 8), 8)),
        ...addDefinitionWeight,
        set('part', load('record', 12)),
        set('length', and('info', 255)),
        add('counted', 'length'),
        when(equal('length', 1), countTerm(plus('part', 0)), [
          when('length', [
            set('part', plus('parts', shiftLeft('part', 2))),
            set('partEnd', plus('part', shiftLeft('length', 2))),
            loop(
              'each',
              ...countTerm(load('part')),
              add('part', 4),
              branchIf('each', less('part', 'partEnd')),
            ),
          ]),
        ]),
        add('at', 'skip'),
        branch('next'),
      ),
    ),
    save,
  ],
  longs: ['hash'],
  vectors: ['text'],
  result: 'counted',
} as const;
