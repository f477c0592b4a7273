import { hashPrime, hashSeed } from '../lexical/build/byte-table.ts';
import { classes, masks } from './scan-layout.ts';
import {
  add,
  and,
  block,
  branch,
  branchIf,
  byteMask,
  bytesEqual,
  bytesLess,
  bytesMinus,
  bytesNegative,
  type Code,
  equal,
  everyByte,
  firstLong,
  isZero,
  less,
  load8,
  loadVector,
  long,
  longShiftRight,
  longTimes,
  longXor,
  loop,
  lowWord,
  minus,
  plus,
  secondLong,
  select,
  set,
  shiftLeft,
  shiftRight,
  times,
  trailingZeros,
  vectorAnd,
  vectorOr,
  when,
  xor,
} from './wasm-code.ts';

/** Finds the ends of runs of word bytes, and computes hashes that identify them. */

const newline = 10;
/** The second hash multiplies before it mixes, and by another constant, so that it is independent of the first. */
const secondSeed = 0x2f0b4c47;
const secondPrime = 0x5bd1e995;

const wordBytes: Code = [
  bytesLess(bytesMinus(vectorOr('text', everyByte(32)), everyByte(97)), everyByte(26)), // letters of either case
  bytesLess(bytesMinus('text', everyByte(48)), everyByte(10)), // digits
  bytesEqual('text', everyByte(95)), // _
  bytesEqual('text', everyByte(36)), // $
  bytesNegative('text'), // beyond ASCII
].reduce((all, some) => vectorOr(all, some));

/**
 * Reads the run that begins at `at`: its `length` and two hashes. Nearly all runs fit into 16 bytes, which are read at
 * once. `skip` is the number of bytes from its end to the next run; 0 if no run begins within these 16 bytes on the
 * same line.
 */
export const measureRun: readonly Code[] = [
  set('text', loadVector('at')),
  set('words', byteMask(wordBytes)),
  set('length', trailingZeros(xor('words', -1))),
  set('skip', 0),
  set('words', shiftRight('words', 'length')),
  when(and('words', 0xffff), [
    set('gap', trailingZeros('words')),
    set('newlines', shiftRight(byteMask(bytesEqual('text', everyByte(newline))), 'length')),
    set('skip', select(shiftLeft('newlines', minus(32, 'gap')), 0, 'gap')),
  ]),
  set('length', select(less('length', minus('end', 'at')), 'length', minus('end', 'at'))),
  add('at', 'length'),
  block(
    'short',
    branchIf('short', less('length', 16)),
    set('first', hashSeed),
    set('second', secondSeed),
    block(
      'ended',
      loop(
        'run',
        branchIf('ended', isZero(less('at', 'end'))),
        set('byte', load8('at')),
        branchIf('ended', isZero(load8('byte', classes))),
        add('at', 1),
        branch('run'),
      ),
    ),
    set('length', minus('at', 'start')),
    branchIf('short', equal('length', 16)),
    set('place', 'start'),
    loop(
      'byte',
      set('byte', load8('place')),
      set('first', times(xor('first', 'byte'), hashPrime)),
      set('second', plus(times('second', secondPrime), 'byte')),
      add('place', 1),
      branchIf('byte', less('place', 'at')),
    ),
    set('second', times(xor('second', shiftRight('second', 15)), hashPrime)),
  ),
  when(less('length', 17), [
    set('text', vectorAnd('text', loadVector(minus(masks + 16, 'length')))),
    set('hash', longTimes(firstLong('text'), long(0x9e3779b97f4a7c15n))),
    set('hash', longXor('hash', longShiftRight('hash', long(32n)))),
    set('hash', longTimes(longXor('hash', secondLong('text')), long(0xc2b2ae3d27d4eb4fn))),
    set('hash', longXor('hash', longShiftRight('hash', long(29n)))),
    set('first', lowWord('hash')),
    set('second', lowWord(longShiftRight('hash', long(32n)))),
  ]),
];
