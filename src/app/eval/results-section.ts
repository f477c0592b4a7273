/** A section of a Markdown file that evaluations write, between two comments that are there already. */
import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';

export interface ResultsSection {
  /** Replaces what stands between the two comments. Throws `bad_argument` if they are gone since. */
  replace(text: string): void;
}

const namePattern = /^[\w.-]+$/;

/** `place` is FILE#NAME. Throws `bad_argument` and `not_found`, so that nothing is asked in vain. */
export function openResultsSection(place: string): ResultsSection {
  const at = place.lastIndexOf('#');
  const name = place.slice(at + 1);
  if (at < 1 || !namePattern.test(name))
    throw new SondeError('bad_argument', {
      message: `--results is ${JSON.stringify(place)}`,
      remedy:
        'Name a Markdown file and a section of it, such as RESULTS.md#questions: letters, digits, ., - and _.',
    });
  const file = resolve(place.slice(0, at));
  around(file, name);
  return {
    replace(text) {
      const { before, after } = around(file, name);
      const real = realpathSync(file);
      const draft = `${real}.${process.pid}.new`;
      writeFileSync(draft, `${before}\n${text}\n${after}`, { mode: statSync(real).mode });
      renameSync(draft, real);
    },
  };
}

function around(file: string, name: string): { readonly before: string; readonly after: string } {
  const [begin, end] = [`<!-- eval: ${name} -->`, `<!-- /eval: ${name} -->`];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new SondeError('not_found', {
      message: `${file}: there is no such file`,
      remedy: `Write one that has the lines ${begin} and ${end}.`,
    });
  }
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  const isOnce = from === text.lastIndexOf(begin) && to === text.lastIndexOf(end);
  if (from < 0 || to < from || !isOnce)
    throw new SondeError('bad_argument', {
      message: `${file} has no section ${name}, or more than one`,
      remedy: `Put the lines ${begin} and ${end} where the tables belong, each once.`,
    });
  return { before: text.slice(0, from + begin.length), after: text.slice(to) };
}
