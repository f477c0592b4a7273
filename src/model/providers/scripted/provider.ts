import { messageOf } from '../../../core/index.ts';
import { defineProvider } from '../provider.ts';
import { unusableModelError } from '../unusable-model.ts';

export const provider = defineProvider({
  name: 'scripted',
  form: 'scripted:FILE',
  meaning:
    'answers from a file of JSON lines (docs/guides/own-parts.md has the form), for tests and demonstrations',
  autoOrder: null,
  settings: {},
  whyAuto: () => null,
  async open({ id: path }, _, { readFile }) {
    if (path === undefined) throw unusableModelError('scripted:', 'no file is named', 'Write scripted:FILE.');
    let text: string;
    try {
      text = readFile(path);
    } catch (thrown) {
      throw unusableModelError(`scripted:${path}`, messageOf(thrown), 'Check the path of the script.');
    }
    const { parseScript, scriptedModel } = await import('../../scripted.ts');
    return scriptedModel(parseScript(text, path), `scripted:${path}`);
  },
});
