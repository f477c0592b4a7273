import { factors, header, headerField } from './score-layout.ts';
import {
  add,
  bitsToDouble,
  block,
  branch,
  branchIf,
  type Code,
  doubleGreater,
  doublePlus,
  doubleTimes,
  equal,
  greater,
  isZero,
  load,
  load8,
  loadDouble,
  loop,
  or,
  plus,
  select,
  set,
  shiftLeft,
  store,
  storeDouble,
  storeFloat,
  when,
} from './wasm-code.ts';

/** Puts the larger of `rest` and a local into the local, and the smaller into `rest`, without a branch. */
const keepLarger = (keptLocal: string): readonly Code[] => [
  set('larger', greater('rest', keptLocal)),
  set('other', select('larger', keptLocal, 'rest')),
  set(keptLocal, select('larger', 'rest', keptLocal)),
  set('rest', 'other'),
];

/**
 * `files()` computes the score of each file: the score of its best chunk, plus `support` times the second best, plus
 * `support` squared times the third best, all times the factor of its group. Scores are not negative, so comparing their
 * bits as integers gives their order. Files of group 255 get 0.
 */
export const files = {
  name: 'files',
  parameters: [],
  locals: 'place end chunk chunkEnd scores group groups firstChunks fileScores a b c rest other larger'.split(
    ' ',
  ),
  doubles: ['support', 'third', 'sum', 'top'],
  body: [
    set('scores', headerField('scores')),
    set('groups', headerField('groups')),
    set('firstChunks', headerField('firstChunks')),
    set('fileScores', headerField('fileScores')),
    set('end', plus('fileScores', shiftLeft(headerField('files'), 2))),
    set('support', loadDouble(header.support)),
    set('third', doubleTimes('support', 'support')),
    set('chunk', plus('scores', shiftLeft(load('firstChunks'), 2))),
    block(
      'done',
      loop(
        'next',
        branchIf('done', equal('fileScores', 'end')),
        add('firstChunks', 4),
        set('chunkEnd', plus('scores', shiftLeft(load('firstChunks'), 2))),
        set('a', 0),
        set('b', 0),
        set('c', 0),
        block(
          'taken',
          loop(
            'chunk',
            branchIf('taken', equal('chunk', 'chunkEnd')),
            set('rest', load('chunk')),
            add('chunk', 4),
            ...keepLarger('a'),
            ...keepLarger('b'),
            set('c', select(greater('rest', 'c'), 'rest', 'c')),
            branch('chunk'),
          ),
        ),
        set('group', load8('groups')),
        add('groups', 1),
        set('place', 'fileScores'),
        add('fileScores', 4),
        store('place', 0),
        branchIf('next', or(isZero('a'), equal('group', 255))),
        set(
          'sum',
          doublePlus(
            doublePlus(bitsToDouble('a'), doubleTimes('support', bitsToDouble('b'))),
            doubleTimes('third', bitsToDouble('c')),
          ),
        ),
        when(doubleGreater('sum', 'top'), [set('top', 'sum')]),
        storeFloat('place', doubleTimes('sum', loadDouble(shiftLeft('group', 3), factors))),
        branch('next'),
      ),
    ),
    storeDouble(header.top, 'top'),
  ],
  result: 0,
};
