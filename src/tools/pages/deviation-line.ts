/** The line that shows a write in conflict to a reader. */
import type { Deviation, InboxItem } from '../../world/index.ts';

export const formatDeviation = ({
  id,
  type,
  status,
  canonical_refs,
  note,
  revision,
}: Deviation & Partial<Pick<InboxItem, 'revision'>>): string =>
  `${id}${revision === undefined ? '' : ` revision ${revision}`} ${status} ${type} of ${canonical_refs.join(', ')}${note === '' ? '' : `: ${note}`}`;
