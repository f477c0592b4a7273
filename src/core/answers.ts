/** Second entry point of the room: the text of an answer, taken apart and checked. */
export {
  cutAnswer,
  type FittedClaims,
  fitClaims,
  fitResult,
  fits,
  listMentioned,
} from './answer-fit.ts';
export { addNotices, findMentions, removeMarks, removeNotices, unsupportedMark } from './answer-marks.ts';
export { closeFence, splitUnits } from './answer-units.ts';
export { verdictOf } from './result.ts';
export { findCodeSpans } from './text/code-spans.ts';
export { findEnclosingBlock, includeLinesAbove } from './text/enclosing-block.ts';
export { findSentenceEnds } from './text/sentence-ends.ts';
export { toReadTrail } from './trail.ts';
