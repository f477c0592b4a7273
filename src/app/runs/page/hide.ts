/** Removes secrets, local paths and the host name from the texts of a run. */
import { homedir, hostname, tmpdir } from 'node:os';
import { loadConfiguration, processEnvironment } from '../../config/index.ts';
import { openMasker } from '../../masking.ts';

/** `root`: the folder of the run, which is shown as `[root]`. */
export function openHider(root: string): (text: string) => string {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const mask = openMasker(configuration);
  const { data, cache } = configuration.directories;
  const folders: readonly (readonly [place: string, name: string])[] = [
    [root, '[root]'],
    [data, '[data]'],
    [cache, '[cache]'],
    [process.cwd(), '[folder]'],
    [homedir(), '~'],
    [tmpdir(), '[tmp]'],
  ];
  // The longest path first, so that a folder inside another gets its own replacement. `/` is left out.
  const replacements = folders
    .filter(([place]) => place.length > 1)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([place, name]) => [wholeWordPattern(place), name] as const);
  const host = hostname();
  return (text) => {
    let shown = configuration.redact(mask.text(text));
    for (const [place, name] of replacements) shown = shown.replace(place, name);
    shown = shown.replace(userHomePattern, '[path]');
    return host.length > 3 ? shown.replace(wholeWordPattern(host), '[host]') : shown;
  };
}

/** Matches the text only as a whole word, so that `/root` does not match in `/rootfs`. */
const wholeWordPattern = (text: string): RegExp =>
  new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\w-])`, 'g');

/** Paths in home folders of other users. Other paths are material, which is shown unchanged. */
const userHomePattern = /(?<![\w.~\])-])\/(?:home|Users)\/[^\s"'`<>()[\]]*/g;
