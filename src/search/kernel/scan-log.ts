import { numberMask } from '../lexical/byte-table.ts';
import { frequencyShift, header, headerField, maxFrequent, termRecord } from './scan-layout.ts';
import {
  above,
  add,
  and,
  below,
  block,
  byteMask,
  bytesEqual,
  type Code,
  equal,
  everyByte,
  isZero,
  leave,
  leaveIf,
  left,
  load,
  load16,
  loadVector,
  loop,
  minus,
  ones,
  or,
  plus,
  right,
  select,
  set,
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

/** `lines(at, end, out)` writes the offset after each newline to `out`, unless that is 0; returns how many. */
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
        leaveIf('done', isZero(below('at', 'end'))),
        set('newlines', byteMask(bytesEqual(loadVector('at'), everyByte(newline)))),
        when(below(minus('end', 'at'), 16), [
          set('newlines', and('newlines', minus(left(1, minus('end', 'at')), 1))),
        ]),
        when(
          'out',
          [
            block(
              'none',
              loop(
                'each',
                leaveIf('none', isZero('newlines')),
                store('out', plus(minus('at', 'start'), plus(trailingZeros('newlines'), 1))),
                add('out', 4),
                set('newlines', and('newlines', minus('newlines', 1))),
                leave('each'),
              ),
            ),
          ],
          [add('count', ones('newlines'))],
        ),
        add('at', 16),
        leave('next'),
      ),
    ),
  ],
  result: 'count',
} as const;

/** A posting is the distance to the term's last chunk, doubled, plus one where the frequency is 1. */
const posting: Code = or(
  left(minus(plus('chunk', 1), load('record', termRecord.lastChunk)), 1),
  equal('frequency', 1),
);

/** `flush(chunk)` moves what was counted to the log. */
export const flush = {
  name: 'flush',
  parameters: ['chunk'],
  locals: 'frequencies terms log at end term place frequency record posting'.split(' '),
  body: [
    set('frequencies', headerField('frequencies')),
    set('terms', headerField('terms')),
    set('log', headerField('logEnd')),
    set('at', headerField('touched')),
    set('end', plus('at', left(headerField('touchedCount'), 2))),
    block(
      'done',
      loop(
        'next',
        leaveIf('done', equal('at', 'end')),
        set('term', load('at')),
        set('place', plus('frequencies', left('term', 1))),
        set('frequency', load16('place')),
        store16('place', 0),
        set('frequency', select(below('frequency', maxFrequent), 'frequency', maxFrequent)),
        store('log', or('term', left('frequency', frequencyShift))),
        set('record', plus('terms', left('term', 4))),
        set('posting', posting),
        store('record', plus(load('record', termRecord.documents), 1), termRecord.documents),
        store('record', plus('chunk', 1), termRecord.lastChunk),
        store(
          'record',
          plus(
            plus(load('record', termRecord.bytes), plus(1, above('frequency', 1))),
            plus(
              plus(above('posting', 0x7f), above('posting', 0x3fff)),
              plus(above('posting', 0x1f_ffff), above('posting', 0xfff_ffff)),
            ),
          ),
          termRecord.bytes,
        ),
        add('log', 4),
        add('at', 4),
        leave('next'),
      ),
    ),
    store('log', 0),
    store(header.logEnd, plus('log', 4)),
    store(header.touchedCount, 0),
  ],
  result: 0,
} as const;

/** `encode(at, end, chunk)` writes postings where their terms' cursors stand; returns the chunk after the last. */
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
        leaveIf('done', equal('at', 'end')),
        set('entry', load('at')),
        add('at', 4),
        when(isZero('entry'), [add('chunk', 1), leave('next')]),
        set('frequency', right('entry', frequencyShift)),
        set('record', plus('terms', left(and('entry', numberMask), 4))),
        set('posting', posting),
        store('record', plus('chunk', 1), termRecord.lastChunk),
        set('cursor', load('record', termRecord.cursor)),
        block(
          'short',
          loop(
            'byte',
            leaveIf('short', below('posting', 128)),
            store8('cursor', or('posting', 128)),
            set('posting', right('posting', 7)),
            add('cursor', 1),
            leave('byte'),
          ),
        ),
        store8('cursor', 'posting'),
        add('cursor', 1),
        when(above('frequency', 1), [store8('cursor', 'frequency'), add('cursor', 1)]),
        store('record', 'cursor', termRecord.cursor),
        leave('next'),
      ),
    ),
  ],
  result: 'chunk',
} as const;
