/** Second entry point of the room: the text of an answer, taken apart and checked. */
export {
  cutAnswer,
  type FittedClaims,
  fitClaims,
  fitResult,
  fits,
  listReferred,
} from './answer-fit.ts';
export { mentionsIn, unsupportedMark, withNotices, withoutMarks, withoutNotices } from './answer-marks.ts';
export { closeFence, unitsOf } from './answer-units.ts';
export { verdictOf } from './result.ts';
export { codeSpans } from './text/code-spans.ts';
export { enclosingBlock, withLinesAbove } from './text/enclosing-block.ts';
export { sentenceEnds } from './text/sentence-ends.ts';
export { trailOf } from './trail.ts';
