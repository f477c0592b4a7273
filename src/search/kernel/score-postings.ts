import { header, headerField } from './score-layout.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  type Code,
  doubleDividedBy,
  doublePlus,
  doubleTimes,
  equal,
  greater,
  isZero,
  less,
  load,
  load8,
  load16,
  loadDouble,
  loadFloat,
  loop,
  minus,
  or,
  plus,
  select,
  set,
  shiftLeft,
  shiftRight,
  store,
  storeFloat,
  toDouble,
  when,
} from './wasm-code.ts';

/**
 * Computes scores of chunks from postings, as 64-bit floats that are stored with 32 bits. Damaged postings give wrong
 * numbers, but never a write outside of the scores.
 */

/** Reads the posting at `at` into `chunk` and `frequency`. */
const decode: readonly Code[] = [
  set('byte', load8('at')),
  add('at', 1),
  set('value', and('byte', 127)),
  when(greater('byte', 127), [
    set('shift', 7),
    block(
      'whole',
      loop(
        'more',
        branchIf('whole', isZero(less('at', 'end'))),
        set('byte', load8('at')),
        add('at', 1),
        set('value', or('value', shiftLeft(and('byte', 127), 'shift'))),
        add('shift', 7),
        branchIf('more', greater('byte', 127)),
      ),
    ),
  ]),
  add('chunk', shiftRight('value', 1)),
  // Without a branch, since the processor can't predict which frequencies are 1.
  set('frequency', select(and('value', 1), 1, load8('at'))),
  set('at', plus('at', isZero(and('value', 1)))),
  branchIf('done', isZero(less('chunk', 'chunks'))),
];

const addContribution: readonly Code[] = [
  set('place', plus('scores', shiftLeft('chunk', 2))),
  storeFloat(
    'place',
    doublePlus(
      loadFloat('place'),
      doubleDividedBy(
        doubleTimes('gain', 'had'),
        doublePlus('had', loadFloat(plus('norms', shiftLeft('chunk', 2)))),
      ),
    ),
  ),
];

const accumulator = (name: string, addOthers: readonly Code[]) => ({
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
        branchIf('done', isZero(less('at', 'end'))),
        ...decode,
        set('had', doubleTimes('weight', toDouble('frequency'))),
        ...addOthers,
        ...addContribution,
        branch('next'),
      ),
    ),
  ],
  result: 0,
});

/** `accumulate(at, end, chunk)` adds what each posting contributes to BM25; the first delta is added to `chunk`. */
export const accumulate = accumulator('accumulate', []);

/** Like `accumulate`, but first adds the weighted frequencies in `others`, and sets these to zero. */
export const accumulateGroup = accumulator('accumulateGroup', [
  set('place', plus('others', shiftLeft('chunk', 2))),
  set('had', doublePlus('had', loadFloat('place'))),
  store('place', 0),
]);

/**
 * `gather(at, end, chunk, count)` adds the weighted frequency of each posting of a live chunk to `others`, and new chunks
 * to `touched`. Returns the new length of `touched`.
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
        branchIf('done', isZero(less('at', 'end'))),
        ...decode,
        when('dead', [branchIf('next', load8(plus('dead', minus('chunk', 'base'))))]),
        set('place', plus('others', shiftLeft('chunk', 2))),
        store(plus('touched', shiftLeft('count', 2)), 'chunk'),
        set('count', plus('count', isZero(load('place')))),
        storeFloat('place', doublePlus(loadFloat('place'), doubleTimes('weight', toDouble('frequency')))),
        branch('next'),
      ),
    ),
  ],
  result: 'count',
};

/** `settle(count)` scores the touched chunks that `accumulateGroup` did not reach. */
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
    set('end', plus('touched', shiftLeft('count', 2))),
    set('gain', loadDouble(header.gain)),
    block(
      'done',
      loop(
        'next',
        branchIf('done', equal('touched', 'end')),
        set('chunk', load('touched')),
        add('touched', 4),
        set('place', plus('others', shiftLeft('chunk', 2))),
        branchIf('next', isZero(load('place'))),
        set('had', loadFloat('place')),
        store('place', 0),
        ...addContribution,
        branch('next'),
      ),
    ),
  ],
  result: 0,
};

/** `normalise(lengths)` computes BM25's length normalisation from the 16-bit lengths at that address. */
export const normalise = {
  name: 'normalise',
  parameters: ['lengths'],
  locals: ['norms', 'end'],
  doubles: ['constant', 'slope'],
  body: [
    set('norms', headerField('norms')),
    set('end', plus('norms', shiftLeft(headerField('chunks'), 2))),
    set('constant', loadDouble(header.constant)),
    set('slope', loadDouble(header.slope)),
    block(
      'done',
      loop(
        'next',
        branchIf('done', equal('norms', 'end')),
        storeFloat('norms', doublePlus('constant', doubleTimes('slope', toDouble(load16('lengths'))))),
        add('lengths', 2),
        add('norms', 4),
        branch('next'),
      ),
    ),
  ],
  result: 0,
};
