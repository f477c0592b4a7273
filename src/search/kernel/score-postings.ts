import { header, headerField } from './score-layout.ts';
import {
  above,
  add,
  and,
  below,
  block,
  type Code,
  doubleOver,
  doublePlus,
  doubleTimes,
  equal,
  isZero,
  leave,
  leaveIf,
  left,
  load,
  load8,
  load16,
  loadDouble,
  loadFloat,
  loop,
  minus,
  or,
  plus,
  right,
  select,
  set,
  store,
  storeFloat,
  toDouble,
  when,
} from './wasm-code.ts';

/**
 * Postings to scores of chunks. Computed with 64 bits, kept with 32. Damaged postings give wrong numbers but
 * touch no chunk that there isn't.
 */

/** Takes a posting from `at`: leaves its chunk in `chunk` and its frequency in `frequency`. */
const decode: readonly Code[] = [
  set('byte', load8('at')),
  add('at', 1),
  set('value', and('byte', 127)),
  when(above('byte', 127), [
    set('shift', 7),
    block(
      'whole',
      loop(
        'more',
        leaveIf('whole', isZero(below('at', 'end'))),
        set('byte', load8('at')),
        add('at', 1),
        set('value', or('value', left(and('byte', 127), 'shift'))),
        add('shift', 7),
        leaveIf('more', above('byte', 127)),
      ),
    ),
  ]),
  add('chunk', right('value', 1)),
  // Without a branch: which frequencies are 1 can't be foreseen.
  set('frequency', select(and('value', 1), 1, load8('at'))),
  set('at', plus('at', isZero(and('value', 1)))),
  leaveIf('done', isZero(below('chunk', 'chunks'))),
];

const addShare: readonly Code[] = [
  set('place', plus('scores', left('chunk', 2))),
  storeFloat(
    'place',
    doublePlus(
      loadFloat('place'),
      doubleOver(doubleTimes('gain', 'had'), doublePlus('had', loadFloat(plus('norms', left('chunk', 2))))),
    ),
  ),
];

const accumulating = (name: string, takeOthers: readonly Code[]) => ({
  name,
  parameters: ['at', 'end', 'chunk'],
  locals: 'scores norms others chunks byte value shift frequency place'.split(' '),
  doubles: ['weight', 'gain', 'had', 'more'],
  body: [
    set('scores', headerField('scores')),
    set('norms', headerField('norms')),
    set('others', headerField('others')),
    set('chunks', headerField('chunks')),
    set('weight', loadDouble(header.weight)),
    set('gain', loadDouble(header.gain)),
    block(
      'done',
      loop(
        'next',
        leaveIf('done', isZero(below('at', 'end'))),
        ...decode,
        set('had', doubleTimes('weight', toDouble('frequency'))),
        ...takeOthers,
        ...addShare,
        leave('next'),
      ),
    ),
  ],
  result: 0,
});

/** `accumulate(at, end, chunk)` adds each posting's share of BM25; `chunk` is the one before the first. */
export const accumulate = accumulating('accumulate', []);

/** The same; takes in what other terms of the group have in a chunk, and clears it. */
export const accumulateGroup = accumulating('accumulateGroup', [
  set('place', plus('others', left('chunk', 2))),
  set('had', doublePlus('had', loadFloat('place'))),
  store('place', 0),
]);

/**
 * `gather(at, end, chunk, count)` adds the weighted frequency of each living posting to `others`. Chunks that had none
 * before are added to `touched`; returns their new number.
 */
export const gather = {
  name: 'gather',
  parameters: ['at', 'end', 'chunk', 'count'],
  locals: 'others touched chunks dead base byte value shift frequency place'.split(' '),
  doubles: ['weight'],
  body: [
    set('others', headerField('others')),
    set('touched', headerField('touched')),
    set('chunks', headerField('chunks')),
    set('base', plus('chunk', 1)),
    set('dead', headerField('dead')),
    set('weight', loadDouble(header.weight)),
    block(
      'done',
      loop(
        'next',
        leaveIf('done', isZero(below('at', 'end'))),
        ...decode,
        when('dead', [leaveIf('next', load8(plus('dead', minus('chunk', 'base'))))]),
        set('place', plus('others', left('chunk', 2))),
        store(plus('touched', left('count', 2)), 'chunk'),
        set('count', plus('count', isZero(load('place')))),
        storeFloat('place', doublePlus(loadFloat('place'), doubleTimes('weight', toDouble('frequency')))),
        leave('next'),
      ),
    ),
  ],
  result: 'count',
};

/** `settle(count)` scores the touched chunks that were not taken in. */
export const settle = {
  name: 'settle',
  parameters: ['count'],
  locals: 'scores norms others touched end chunk place'.split(' '),
  doubles: ['gain', 'had'],
  body: [
    set('scores', headerField('scores')),
    set('norms', headerField('norms')),
    set('others', headerField('others')),
    set('touched', headerField('touched')),
    set('end', plus('touched', left('count', 2))),
    set('gain', loadDouble(header.gain)),
    block(
      'done',
      loop(
        'next',
        leaveIf('done', equal('touched', 'end')),
        set('chunk', load('touched')),
        add('touched', 4),
        set('place', plus('others', left('chunk', 2))),
        leaveIf('next', isZero(load('place'))),
        set('had', loadFloat('place')),
        store('place', 0),
        ...addShare,
        leave('next'),
      ),
    ),
  ],
  result: 0,
};

/** `normalise(lengths)`: the length's part of BM25's denominator, from 16-bit lengths at that address. */
export const normalise = {
  name: 'normalise',
  parameters: ['lengths'],
  locals: ['norms', 'end'],
  doubles: ['constant', 'slope'],
  body: [
    set('norms', headerField('norms')),
    set('end', plus('norms', left(headerField('chunks'), 2))),
    set('constant', loadDouble(header.constant)),
    set('slope', loadDouble(header.slope)),
    block(
      'done',
      loop(
        'next',
        leaveIf('done', equal('norms', 'end')),
        storeFloat('norms', doublePlus('constant', doubleTimes('slope', toDouble(load16('lengths'))))),
        add('lengths', 2),
        add('norms', 4),
        leave('next'),
      ),
    ),
  ],
  result: 0,
};
