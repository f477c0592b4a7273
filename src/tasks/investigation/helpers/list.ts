/** What there is, by name: for code that goes through all of it. Nothing is read by it. */
import { SondeError, scopeMatcher } from '../../../core/index.ts';
import { type Helper, refuse } from './helper.ts';
import { checkCase, fromPort } from './read.ts';

/** Paths of one listing: more would be a megabyte and a half of names. */
const mostPaths = 20_000;

export const kbList: Helper = async (args, { crew, place, signal }) => {
  const asked = args['scope'] ?? null;
  if (asked !== null && typeof asked !== 'string')
    return refuse('scope is a text, such as "src/**,!src/vendor"');
  const { material } = crew;
  if (material.paths === undefined)
    throw new SondeError('not_found', {
      message: 'the paths of this material can’t be listed',
      remedy: 'Find them with kb_search(query, wide=True).',
    });
  const within = scopeMatcher(asked ?? undefined);
  // The narrower scope is the port's to use; both are checked here.
  const scope = asked === null || asked.trim() === '' ? place.scope.text : asked;
  const reply = await fromPort('the listing', async () =>
    material.paths!({ signal, ...(scope !== undefined && { scope }) }),
  );
  const all = reply.paths.filter((path) => place.scope.admits(path) && within(path));
  if (all.length === 0 && asked !== null) await checkCase(asked, crew, place, signal);
  const paths = all.slice(0, mostPaths);
  const notes = [
    ...(all.length === 0 && asked !== null ? [`nothing is in the scope ${asked}`] : []),
    ...(all.length > paths.length
      ? [`the first ${paths.length} of ${all.length} paths are listed; narrow the scope`]
      : []),
    ...reply.notes,
  ];
  const complete = reply.completeness === 'complete' && all.length === paths.length;
  return {
    value: { paths, complete, note: notes.join(' ') },
    summary: `${paths.length} paths${complete ? '' : ', not all'}${scope === undefined ? '' : ` of ${scope}`}`,
  };
};
