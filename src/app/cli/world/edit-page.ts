import { SondeError } from '../../../core/index.ts';
import { type World, wholeText } from '../../../world/index.ts';
import { type EditResult, savePage } from '../../workspace/author.ts';
import { inEditor } from '../../workspace/editor.ts';
import { textOfFile } from './text-of-file.ts';

/** `from`: a file, or `-`; without it the person's editor opens. Throws the error of a refused write. */
export async function editPage(world: World, name: string, from: string | undefined): Promise<EditResult> {
  // A leading slash means exactly that path; without it, other folders are searched for the name, too.
  const path = name.replace(/^\//, '');
  const found = world.page(path);
  const page = found === null || found.deleted || (path !== name && found.path !== path) ? null : found;
  const read =
    page === null ? null : world.read(page.id, page.lifecycle === 'Candidate' ? 'all' : 'canonical');
  const before = read === null ? '' : wholeText(read);
  const base = page === null ? {} : { base: page.revision };
  const checkUnchanged = (text: string): EditResult | null =>
    page !== null && text === before
      ? { page: page.id, path: page.path, change: 'unchanged', deviations: [] }
      : null;
  if (from !== undefined) {
    const given = await textOfFile(from);
    // What `sonde world read` prints ends with a newline, though the page may have none there.
    const isPrinted = from === '-' && before !== '' && !before.endsWith('\n') && /[^\n]\n$/.test(given);
    const text = isPrinted ? given.slice(0, -1) : given;
    return checkUnchanged(text) ?? savePage(world, page, { path, text, ...base });
  }
  const edited = await inEditor(path, before);
  if (page === null && edited.text.trim() === '') {
    edited.discard();
    throw new SondeError('bad_argument', {
      message: `${path} was left empty, and was not created`,
      remedy: 'Write something, or give the text with --from FILE.',
    });
  }
  try {
    const saved =
      checkUnchanged(edited.text) ?? (await savePage(world, page, { path, text: edited.text, ...base }));
    edited.discard();
    return saved;
  } catch (error) {
    if (!(error instanceof SondeError)) throw error;
    throw new SondeError(error.code, {
      message: `${error.message}; your text is in ${edited.file}`,
      ...(error.remedy !== undefined && { remedy: error.remedy }),
      cause: error,
    });
  }
}
