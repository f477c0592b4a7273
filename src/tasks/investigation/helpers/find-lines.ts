/** `kb_find()` of the sandbox: finds every line that contains a text, in all texts that kb_list lists. */
import { runParallel } from '../report/in-window.ts';
import { type Helper, type HelperCall, type HelperReply, refuse, textArgument } from './helper.ts';
import { kbList } from './look.ts';
import { fromPort } from './ports.ts';

const maxTextLength = 1_000;
/** Maximum lines and characters that one call returns to the code. */
const maxLines = 10_000;
const maxCharacters = 2_000_000;
const parallelReads = 8;

interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const kbFind: Helper = async (args, call): Promise<HelperReply> => {
  const text = textArgument(args, 'text', maxTextLength);
  if (/[\r\n]/.test(text)) refuse('text has a line break, where each line is looked at by itself');
  const listing = (await kbList({ scope: args['scope'] ?? null }, call)).value as {
    readonly paths: readonly string[];
    readonly complete: boolean;
    readonly note: string;
  };
  const { found, unreadPaths } = await findLines(
    matcherFor(text, args['ignore_case'] === true),
    listing.paths,
    call,
  );
  checkMaximums(found);
  const notes = [
    ...(listing.note === '' ? [] : [listing.note]),
    ...(unreadPaths.length === 0 ? [] : [`not read: ${unreadPaths.slice(0, 5).join(', ')}`]),
  ];
  const complete = listing.complete && unreadPaths.length === 0;
  const lines = found.length === 1 ? '1 line' : `${found.length} lines`;
  return {
    value: { lines: found.map((foundLine) => ({ ...foundLine })), complete, note: notes.join('; ') },
    summary: `${lines} with ${JSON.stringify(text)} in ${listing.paths.length} texts${complete ? '' : ', not all'}`,
  };
};

function matcherFor(text: string, ignoresCase: boolean): (line: string) => boolean {
  if (!ignoresCase) return (line) => line.includes(text);
  const folded = text.toLowerCase();
  return (line) => line.toLowerCase().includes(folded);
}

async function findLines(
  matches: (line: string) => boolean,
  paths: readonly string[],
  { runContext: { material }, signal }: HelperCall,
): Promise<{ readonly found: readonly FoundLine[]; readonly unreadPaths: readonly string[] }> {
  const results = await runParallel(
    paths.map((path) => async () => {
      signal.throwIfAborted();
      const file = await fromPort('reading', async () => material.text.readText(path, null));
      if (file.kind !== 'text') return path;
      return file.lines.flatMap((line, index) =>
        matches(line) ? [{ path, line: index + 1, text: line }] : [],
      );
    }),
    parallelReads,
  );
  return {
    found: results.flatMap((result) => (typeof result === 'string' ? [] : result)),
    unreadPaths: results.filter((result) => typeof result === 'string'),
  };
}

/** Refuses too many lines instead of cutting them, since code would count a part as if it were all. */
function checkMaximums(found: readonly FoundLine[]): void {
  const characters = found.reduce((sum, { path, text }) => sum + path.length + text.length, 0);
  if (found.length > maxLines)
    refuse(
      `${found.length} lines hold the text, where at most ${maxLines} are given`,
      'Narrow the scope, or go through kb_list with kb_read.',
    );
  if (characters > maxCharacters)
    refuse(
      `the ${found.length} lines that hold the text have ${characters} characters, where at most ${maxCharacters} are given`,
      'Narrow the scope, or go through kb_list with kb_read.',
    );
}
