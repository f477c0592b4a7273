/** Writes a section of a Markdown file: the text between two comments that mark the section. */
import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SondeError } from '../../core/index.ts';

export interface ResultsSection {
  /** Replaces the text between the two comments. Throws `bad_argument` if they are no longer there. */
  replace(text: string): void;
}

const namePattern = /^[\w.-]+$/;

/** `location`: FILE#NAME. Throws `bad_argument` and `not_found`, before any question is asked. */
export function openResultsSection(location: string): ResultsSection {
  const hashIndex = location.lastIndexOf('#');
  const name = location.slice(hashIndex + 1);
  if (hashIndex < 1 || !namePattern.test(name))
    throw new SondeError('bad_argument', {
      message: `--results is ${JSON.stringify(location)}`,
      remedy:
        'Name a Markdown file and a section of it, such as RESULTS.md#questions: letters, digits, ., - and _.',
    });
  const file = resolve(location.slice(0, hashIndex));
  readAround(file, name);
  return {
    replace(text) {
      const { before, after } = readAround(file, name);
      const realFile = realpathSync(file);
      const temporaryFile = `${realFile}.${process.pid}.new`;
      writeFileSync(temporaryFile, `${before}\n${text}\n${after}`, { mode: statSync(realFile).mode });
      renameSync(temporaryFile, realFile);
    },
  };
}

function readAround(file: string, name: string): { readonly before: string; readonly after: string } {
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
  const isUnique = from === text.lastIndexOf(begin) && to === text.lastIndexOf(end);
  if (from < 0 || to < from || !isUnique)
    throw new SondeError('bad_argument', {
      message: `${file} has no section ${name}, or more than one`,
      remedy: `Put the lines ${begin} and ${end} where the tables belong, each once.`,
    });
  return { before: text.slice(0, from + begin.length), after: text.slice(to) };
}
