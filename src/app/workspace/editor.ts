/** Edits a text in the person's own editor. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { editorOf, processEnvironment } from '../config/index.ts';

export interface EditedText {
  readonly text: string;
  /** The file with the text, until the text has been used. */
  readonly file: string;
  discard(): void;
}

/** Throws `tool_missing` if no editor is set, and `tool_failed` if it ends with an error. */
export async function editText(path: string, text: string): Promise<EditedText> {
  const editor = editorOf(processEnvironment());
  if (editor === null)
    throw new SondeError('tool_missing', {
      message: 'No editor is set',
      remedy: 'Set VISUAL or EDITOR, or give the new text with --from FILE.',
    });
  const folder = mkdtempSync(join(tmpdir(), 'sonde-edit-'));
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/[^\p{L}\p{N} ._-]/gu, '_')
    .slice(0, 60);
  const file = join(folder, `${name}.md`);
  writeFileSync(file, text, { mode: 0o600 });
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  const status = await new Promise<number | null>((done, failed) => {
    // Started by the shell, since the variable holds a command line such as `code --wait`.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sonde', file], {
      stdio: 'inherit',
      env: processEnvironment(),
    });
    child.on('error', failed);
    child.on('close', done);
  });
  if (status !== 0) {
    discard();
    throw new SondeError('tool_failed', {
      message: `The editor ${editor} ended with status ${status ?? 'of a signal'}; nothing was saved`,
      remedy: 'Set EDITOR to one that works, or give the new text with --from FILE.',
    });
  }
  return { text: readFileSync(file, 'utf8'), file, discard };
}
