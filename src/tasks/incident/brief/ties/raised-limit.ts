/** Recognises limits that a change raises. */
import type { EditedValue } from '../edits/diff.ts';

/** The factor for a raised limit: it is reached later than before, although messages name its new value. */
export const raisedLimitFactor = 0.35;
export const isRaisedLimit = ({ line, near, was, is }: EditedValue): boolean =>
  is > was &&
  /time.?out|deadline|max.{0,12}(body|size|length|bytes)|body.?size|(?<!rate.?)limit/i.test(
    `${line} ${near}`,
  );
