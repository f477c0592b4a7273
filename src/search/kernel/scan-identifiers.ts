import { hashPrime, hashSeed, numberMask, tagMask } from '../lexical/build/byte-table.ts';
import { byteClasses, maxNumberLength, maxParts, maxTermLength } from '../tokens/tokens.ts';
import { classes, cuts, header, headerField, identifierBytes, lowered } from './scan-layout.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  type Code,
  call,
  different,
  equal,
  greater,
  isZero,
  less,
  load,
  load8,
  loop,
  minus,
  type Operand,
  or,
  plus,
  select,
  set,
  shiftLeft,
  shiftRight,
  store,
  store8,
  times,
  when,
  xor,
} from './wasm-code.ts';

/** Kernel functions that add a new identifier: they split it like `TermSplitter`, and number its terms. */

/** `hasNonAscii(at, end)`: whether there is a byte that is not ASCII. */
export const hasNonAscii = {
  name: 'hasNonAscii',
  parameters: ['at', 'end'],
  locals: ['all'],
  body: [loop('next', set('all', or('all', load8('at'))), add('at', 1), branchIf('next', less('at', 'end')))],
  result: shiftRight('all', 7),
} as const;

/** `place(first)`: the free record for a new identifier with this first hash. */
export const place = {
  name: 'place',
  parameters: ['first'],
  locals: ['identifiers', 'mask', 'slot'],
  body: [
    set('identifiers', headerField('identifiers')),
    set('mask', headerField('identifierMask')),
    set('slot', and(shiftLeft(xor('first', shiftRight('first', 15)), 4), 'mask')),
    block(
      'free',
      loop(
        'probe',
        branchIf('free', isZero(load(plus('identifiers', 'slot'), 8))),
        set('slot', and(plus('slot', identifierBytes), 'mask')),
        branch('probe'),
      ),
    ),
  ],
  result: plus('identifiers', 'slot'),
} as const;

/** `term(length)`: the number of the term in the buffer `lowered`. Adds the term if it is new; needs room for it. */
export const term = {
  name: 'term',
  parameters: ['length'],
  locals: 'hash at mask slot slots entry number record own k'.split(' '),
  body: [
    set('hash', hashSeed),
    loop(
      'byte',
      set('hash', times(xor('hash', load8('at', lowered)), hashPrime)),
      add('at', 1),
      branchIf('byte', less('at', 'length')),
    ),
    set('hash', xor('hash', shiftRight('hash', 13))),
    set('slots', headerField('termSlots')),
    set('mask', headerField('termSlotMask')),
    set('slot', and(xor('hash', shiftRight('hash', 15)), 'mask')),
    block(
      'known',
      block(
        'absent',
        loop(
          'probe',
          set('entry', load(plus('slots', shiftLeft('slot', 2)))),
          branchIf('absent', isZero('entry')),
          block(
            'other',
            branchIf('other', and(xor('entry', 'hash'), tagMask)),
            set('number', and('entry', numberMask)),
            set('record', plus(headerField('termStrings'), shiftLeft('number', 4))),
            branchIf('other', different(load('record'), 'hash')),
            branchIf('other', different(load('record', 8), 'length')),
            set('own', plus(headerField('pool'), load('record', 4))),
            set('k', 0),
            loop(
              'compare',
              branchIf('other', different(load8(plus('own', 'k')), load8('k', lowered))),
              add('k', 1),
              branchIf('compare', less('k', 'length')),
            ),
            branch('known'),
          ),
          set('slot', and(plus('slot', 1), 'mask')),
          branch('probe'),
        ),
      ),
      set('number', headerField('nextTerm')),
      store(header.nextTerm, plus('number', 1)),
      set('record', plus(headerField('termStrings'), shiftLeft('number', 4))),
      store('record', 'hash'),
      store('record', headerField('poolLength'), 4),
      store('record', 'length', 8),
      set('own', plus(headerField('pool'), headerField('poolLength'))),
      store(header.poolLength, plus(headerField('poolLength'), 'length')),
      set('k', 0),
      loop(
        'copy',
        store8(plus('own', 'k'), load8('k', lowered)),
        add('k', 1),
        branchIf('copy', less('k', 'length')),
      ),
      store(plus('slots', shiftLeft('slot', 2)), or('number', and('hash', tagMask))),
    ),
  ],
  result: 'number',
} as const;

/**
 * `part(from, to, first, end)` appends the term of a text, in lower case, to the list from `first` to `end` unless the
 * list has it. Returns the new end of the list.
 */
export const part = {
  name: 'part',
  parameters: ['from', 'to', 'first', 'end'],
  locals: ['k', 'byte', 'number'],
  body: [
    loop(
      'lower',
      set('byte', load8('from')),
      store8('k', plus('byte', shiftLeft(equal(load8('byte', classes), byteClasses.upper), 5)), lowered),
      add('k', 1),
      add('from', 1),
      branchIf('lower', less('from', 'to')),
    ),
    set('number', call('term', 'k')),
    block(
      'known',
      block(
        'new',
        loop(
          'each',
          branchIf('new', equal('first', 'end')),
          branchIf('known', equal(load('first'), 'number')),
          add('first', 4),
          branch('each'),
        ),
      ),
      store('end', 'number'),
      add('end', 4),
    ),
  ],
  result: 'end',
} as const;

const classOf = (address: Operand) => load8(load8(address), classes);

/** Cuts at joiners and where the case changes: `HTTPBody` before `Body`, `fooBar` before `Bar`. */
const findParts: readonly Code[] = [
  set('from', 'start'),
  set('k', plus('start', 1)),
  loop(
    'next',
    set('now', select(less('k', 'end'), classOf('k'), byteClasses.joiner)),
    set('before', classOf(minus('k', 1))),
    set('cut', 0),
    when(
      equal('now', byteClasses.joiner),
      [when(different('before', byteClasses.joiner), [set('cut', 'k')])],
      [
        when(
          equal('before', byteClasses.joiner),
          [set('from', 'k')],
          [
            when(
              and(equal('now', byteClasses.upper), different('before', byteClasses.upper)),
              [set('cut', 'k')],
              [
                when(
                  and(
                    and(equal('now', byteClasses.lower), equal('before', byteClasses.upper)),
                    greater(minus('k', 1), 'from'),
                  ),
                  [set('cut', minus('k', 1))],
                ),
              ],
            ),
          ],
        ),
      ],
    ),
    when('cut', [
      store(shiftLeft('count', 3), 'from', cuts),
      store(shiftLeft('count', 3), 'cut', cuts + 4),
      add('count', 1),
      set('from', 'cut'),
    ]),
    add('k', 1),
    branchIf('next', and(isZero(greater('k', 'end')), less('count', maxParts))),
  ),
];

/**
 * `identify(record, start, end, first, second)` adds a new identifier and splits it like `TermSplitter`. There must be
 * room for it.
 */
export const identify = {
  name: 'identify',
  parameters: ['record', 'start', 'end', 'first', 'second'],
  locals: 'length size parts partsEnd from k now before cut count'.split(' '),
  body: [
    set('length', minus('end', 'start')),
    set('parts', plus(headerField('parts'), shiftLeft(headerField('partCount'), 2))),
    set('partsEnd', 'parts'),
    block(
      'split',
      loop(
        'leading',
        branchIf('split', equal('start', 'end')),
        when(equal(classOf('start'), byteClasses.joiner), [add('start', 1), branch('leading')]),
      ),
      loop(
        'trailing',
        when(equal(classOf(minus('end', 1)), byteClasses.joiner), [add('end', -1), branch('trailing')]),
      ),
      set('size', minus('end', 'start')),
      branchIf('split', less('size', 2)),
      when(equal(classOf('start'), byteClasses.digit), [
        branchIf('split', greater('size', maxNumberLength)),
        set('partsEnd', call('part', 'start', 'end', 'parts', 'partsEnd')),
        branch('split'),
      ]),
      ...findParts,
      when(less('size', maxTermLength + 1), [
        set('partsEnd', call('part', 'start', 'end', 'parts', 'partsEnd')),
      ]),
      branchIf('split', equal('count', 1)),
      // Base 64 and the like: many parts of two or three letters, none of them a word.
      branchIf('split', and(greater('count', 5), less('size', times('count', 3)))),
      set('k', 0),
      loop(
        'each',
        set('from', load(shiftLeft('k', 3), cuts)),
        set('cut', load(shiftLeft('k', 3), cuts + 4)),
        set('size', minus('cut', 'from')),
        add('k', 1),
        when(
          and(
            and(greater('size', 1), less('size', maxTermLength + 1)),
            or(different(classOf('from'), byteClasses.digit), less('size', maxNumberLength + 1)),
          ),
          [set('partsEnd', call('part', 'from', 'cut', 'parts', 'partsEnd'))],
        ),
        branchIf('each', less('k', 'count')),
      ),
    ),
    set('count', shiftRight(minus('partsEnd', 'parts'), 2)),
    store('record', 'first'),
    store('record', 'second', 4),
    store('record', or('length', or(shiftLeft('count', 8), shiftLeft(headerField('role'), 16))), 8),
    when(
      equal('count', 1),
      [store('record', load('parts'), 12)],
      [
        store('record', headerField('partCount'), 12),
        store(header.partCount, plus(headerField('partCount'), 'count')),
      ],
    ),
    store(header.identifierCount, plus(headerField('identifierCount'), 1)),
  ],
  result: 0,
} as const;
