import { numberMask } from '../lexical/build/byte-table.ts';
import { frequencyShift, header, headerField, maxStoredFrequency, termRecord } from './scan-layout.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  byteMask,
  bytesEqual,
  type Code,
  countOnes,
  equal,
  everyByte,
  greater,
  isZero,
  less,
  load,
  load16,
  loadVector,
  loop,
  minus,
  or,
  plus,
  select,
  set,
  shiftLeft,
  shiftRight,
  store,
  store8,
  store16,
  trailingZeros,
  when,
} from './wasm-code.ts';

/**
 * Kernel functions that find line ends, append the counted terms of a chunk to a log, and encode the log as posting
 * lists.
 */

const newline = 10;

/** `lines(at, end, out)` writes the offset after each newline to `out`. If `out` is 0, it returns the number of newlines. */
export const lines = {
  name: 'lines',
  parameters: ['at', 'end', 'out'],
  locals: 'start newlines count'.split(' '),
  body: [
    set('start', 'at'),
    block(
      'done',
      loop(
        'next',
        branchIf('done', isZero(less('at', 'end'))),
        set('newlines', byteMask(bytesEqual(loadVector('at'), everyByte(newline)))),
        when(less(minus('end', 'at'), 16), [
          set('newlines', and('newlines', minus(shiftLeft(1, minus('end', 'at')), 1))),
        ]),
        when(
          'out',
          [
            block(
              'none',
              loop(
                'each',
                branchIf('none', isZero('newlines')),
                store('out', plus(minus('at', 'start'), plus(trailingZeros('newlines'), 1))),
                add('out', 4),
                set('newlines', and('newlines', minus('newlines', 1))),
                branch('each'),
              ),
            ),
          ],
          [add('count', countOnes('newlines'))],
        ),
        add('at', 16),
        branch('next'),
      ),
    ),
  ],
  result: 'count',
} as const;

/** A posting is twice the distance to the term's previous chunk, plus one if the frequency is 1. */
const posting: Code = or(
  shiftLeft(minus(plus('chunk', 1), load('record', termRecord.lastChunk)), 1),
  equal('frequency', 1),
);

/** `flush(chunk)` moves the terms counted so far to the log. */
export const flush = {
  name: 'flush',
  parameters: ['chunk'],
  locals: 'frequencies terms log at end term place frequency record posting'.split(' '),
  body: [
    set('frequencies', headerField('frequencies')),
    set('terms', headerField('terms')),
    set('log', headerField('logEnd')),
    set('at', headerField('touched')),
    set('end', plus('at', shiftLeft(headerField('touchedCount'), 2))),
    block(
      'done',
      loop(
        'next',
        branchIf('done', equal('at', 'end')),
        set('term', load('at')),
        set('place', plus('frequencies', shiftLeft('term', 1))),
        set('frequency', load16('place')),
        store16('place', 0),
        set('frequency', select(less('frequency', maxStoredFrequency), 'frequency', maxStoredFrequency)),
        store('log', or('term', shiftLeft('frequency', frequencyShift))),
        set('record', plus('terms', shiftLeft('term', 4))),
        set('posting', posting),
        store('record', plus(load('record', termRecord.documents), 1), termRecord.documents),
        store('record', plus('chunk', 1), termRecord.lastChunk),
        store(
          'record',
          plus(
            plus(load('record', termRecord.bytes), plus(1, greater('frequency', 1))),
            plus(
              plus(greater('posting', 0x7f), greater('posting', 0x3fff)),
              plus(greater('posting', 0x1f_ffff), greater('posting', 0xfff_ffff)),
            ),
          ),
          termRecord.bytes,
        ),
        add('log', 4),
        add('at', 4),
        branch('next'),
      ),
    ),
    store('log', 0),
    store(header.logEnd, plus('log', 4)),
    store(header.touchedCount, 0),
  ],
  result: 0,
} as const;

/** `encode(at, end, chunk)` writes each posting at its term's cursor. Returns the chunk after the last. */
export const encode = {
  name: 'encode',
  parameters: ['at', 'end', 'chunk'],
  locals: 'terms entry frequency record posting cursor'.split(' '),
  body: [
    set('terms', headerField('terms')),
    block(
      'done',
      loop(
        'next',
        branchIf('done', equal('at', 'end')),
        set('entry', load('at')),
        add('at', 4),
        when(isZero('entry'), [add('chunk', 1), branch('next')]),
        set('frequency', shiftRight('entry', frequencyShift)),
        set('record', plus('terms', shiftLeft(and('entry', numberMask), 4))),
        set('posting', posting),
        store('record', plus('chunk', 1), termRecord.lastChunk),
        set('cursor', load('record', termRecord.cursor)),
        block(
          'short',
          loop(
            'byte',
            branchIf('short', less('posting', 128)),
            store8('cursor', or('posting', 128)),
            set('posting', shiftRight('posting', 7)),
            add('cursor', 1),
            branch('byte'),
          ),
        ),
        store8('cursor', 'posting'),
        add('cursor', 1),
        when(greater('frequency', 1), [store8('cursor', 'frequency'), add('cursor', 1)]),
        store('record', 'cursor', termRecord.cursor),
        branch('next'),
      ),
    ),
  ],
  result: 'chunk',
} as const;
