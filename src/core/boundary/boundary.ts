/**
 * The prompt-injection boundary. Text that came from the material (files, history, and what models wrote
 * about them) enters a prompt only through `quoteMaterial`, and every prompt that holds such a block carries
 * `firewall` in its system message.
 *
 * This is the courtesy half of the defence: it tells the reader what is data. The half that holds whatever
 * the reader does is elsewhere: scope, actions, budget and model are arguments of the run, and no reply can
 * change them.
 */
import { sha256 } from '../id.ts';
import { escapeLookAlikes, unescapeLookAlikes } from './escape-markers.ts';

/**
 * untrusted: anybody may have written it. derived: a model wrote it after reading untrusted text; as little
 * entitled to give orders.
 */
export type Trust = 'untrusted' | 'derived';

export interface Origin {
  /** Where the text is from, for the reader: a path with lines, a commit, the name of an action. */
  readonly source: string;
  readonly trust: Trust;
}

const sourceLimit = 300;

/** An attribute of one line that can't close itself: a path is written by strangers too. */
function attribute(text: string): string {
  const line = escapeLookAlikes(text).replace(
    /["<>\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return line.length > sourceLimit ? `${line.slice(0, sourceLimit)}…` : line;
}

/**
 * A marked block that holds `text`. The same text and origin give the same block. Within it only what looks
 * like one of our markers or like a chat template's, and invisible letters, are escaped, reversibly
 * (`unquoteMaterial`); every other character is unchanged.
 */
export function quoteMaterial(text: string, { source, trust }: Origin): string {
  const id = sha256(`${source}\0${text}`).slice(0, 8);
  return [
    `<sonde-material source="${attribute(source)}" trust="${trust}" id="${id}">`,
    escapeLookAlikes(text),
    `</sonde-material id="${id}">`,
  ].join('\n');
}

/** The text of a block that `quoteMaterial` made. */
export function unquoteMaterial(block: string): string {
  return unescapeLookAlikes(block.slice(block.indexOf('\n') + 1, block.lastIndexOf('\n')));
}

/** The original text of the first block in a text; the text itself where there is none. */
export function unquoteText(text: string): string {
  const start = text.indexOf('<sonde-material ');
  return start < 0 ? text : unquoteMaterial(text.slice(start));
}
