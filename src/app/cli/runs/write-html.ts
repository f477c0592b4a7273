import { writeFileSync } from 'node:fs';
import { messageOf, SondeError } from '../../../core/index.ts';
import { currentProcess } from '../../current-process.ts';
import { tell } from '../terminal.ts';

/** Writes to a file, or to standard output for `-`. Throws `bad_argument` if the file cannot be written. */
export async function writeHtml(html: string, file: string): Promise<void> {
  if (file === '-') {
    await new Promise<void>((done) => {
      currentProcess().stdout.write(html, () => done());
    });
    return;
  }
  try {
    writeFileSync(file, html, { mode: 0o600 });
  } catch (thrown) {
    throw new SondeError('bad_argument', {
      message: `${file} cannot be written: ${messageOf(thrown)}`,
      remedy: 'Name a file in an existing folder, or - for standard output.',
    });
  }
  await tell(`${file} opens in any browser.`);
}
