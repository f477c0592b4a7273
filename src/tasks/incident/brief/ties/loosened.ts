/** Limits that a change made wider. */
import type { EditedValue } from '../edits/diff.ts';

/** A limit that was made wider is met later than before, though its new value is what messages name. */
export const loosened = 0.35;
export const isLoosened = ({ line, near, was, is }: EditedValue): boolean =>
  is > was &&
  /time.?out|deadline|max.{0,12}(body|size|length|bytes)|body.?size|(?<!rate.?)limit/i.test(
    `${line} ${near}`,
  );
