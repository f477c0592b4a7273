import { SondeError } from '../../../core/index.ts';
import { joinPageText, type World } from '../../../world/index.ts';
import { type EditResult, savePage } from '../../workspace/author.ts';
import { editText } from '../../workspace/editor.ts';
import { readTextFile } from './read-text-file.ts';

/** Saves the text of the file `from` (`-`: standard input), or else of the user's editor. Throws if it is refused. */
export async function editPage(world: World, name: string, from: string | undefined): Promise<EditResult> {
  // With a leading slash only that path is meant; without it, pages with this name in other folders are found too.
  const path = name.replace(/^\//, '');
  const foundPage = world.page(path);
  const page =
    foundPage === null || foundPage.deleted || (path !== name && foundPage.path !== path) ? null : foundPage;
  const content =
    page === null ? null : world.read(page.id, page.lifecycle === 'Candidate' ? 'all' : 'canonical');
  const oldText = content === null ? '' : joinPageText(content);
  const baseRevision = page === null ? {} : { base: page.revision };
  const resultIfUnchanged = (text: string): EditResult | null =>
    page !== null && text === oldText
      ? { page: page.id, path: page.path, change: 'unchanged', deviations: [] }
      : null;
  if (from !== undefined) {
    const newText = await readTextFile(from);
    // `sonde world read` ends its output with a newline that the page may not have.
    const hasPrintedNewline =
      from === '-' && oldText !== '' && !oldText.endsWith('\n') && /[^\n]\n$/.test(newText);
    const text = hasPrintedNewline ? newText.slice(0, -1) : newText;
    return resultIfUnchanged(text) ?? savePage(world, page, { path, text, ...baseRevision });
  }
  const editedFile = await editText(path, oldText);
  if (page === null && editedFile.text.trim() === '') {
    editedFile.discard();
    throw new SondeError('bad_argument', {
      message: `${path} was left empty, so it was not created`,
      remedy: 'Write something, or give the text with --from FILE.',
    });
  }
  try {
    const saved =
      resultIfUnchanged(editedFile.text) ??
      (await savePage(world, page, { path, text: editedFile.text, ...baseRevision }));
    editedFile.discard();
    return saved;
  } catch (error) {
    if (!(error instanceof SondeError)) throw error;
    throw new SondeError(error.code, {
      message: `${error.message}; your text is in ${editedFile.file}`,
      ...(error.remedy !== undefined && { remedy: error.remedy }),
      cause: error,
    });
  }
}
