/** Whether the lines contain, as written, names of the claim that an alignment by words would split. */

import type { Reading } from '../../claim/reading.ts';
import type { Term } from '../../claim/terms.ts';
import { findTerm } from '../../lines/find-term.ts';
import type { Source } from '../../lines/source.ts';

/** Names such as `/etc/a.conf`, `tower-governor`, `10.0.0.1:80`, whose single words also occur in similar names. */
const isExactName = ({ kind, text }: Term): boolean =>
  kind === 'path' ||
  kind === 'address' ||
  kind === 'version' ||
  kind === 'hash' ||
  (kind === 'proper' && text.includes('-'));

export const containsNames = ({ terms }: Reading, source: Source): boolean =>
  terms.every((term) => {
    if (!isExactName(term)) return true;
    const how = findTerm(term, source)?.how;
    // A compound of plain words may be written as several words.
    return (
      how === 'exact' ||
      how === 'known' ||
      (how === 'loose' && /^\p{Ll}+(?:-\p{Ll}+)+$/u.test(term.text) && occursJoined(term, source))
    );
  });

const occursJoined = ({ text }: Term, { joined }: Source): boolean =>
  joined.has(text.replaceAll('-', '').toLowerCase());
