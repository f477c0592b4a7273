/** Removes from the texts of a run what belongs to this machine and its user. */
import { homedir, hostname, tmpdir } from 'node:os';
import { loadConfiguration, processEnvironment } from '../../config/index.ts';
import { openMasker } from '../../masking.ts';

/** `root`: the folder of the run. Paths in it are shown relative to it. */
export function hiderOf(root: string): (text: string) => string {
  const configuration = loadConfiguration({ environment: processEnvironment() });
  const mask = openMasker(configuration);
  const { data, cache } = configuration.directories;
  const places: readonly (readonly [place: string, name: string])[] = [
    [root, '[root]'],
    [data, '[data]'],
    [cache, '[cache]'],
    [process.cwd(), '[folder]'],
    [homedir(), '~'],
    [tmpdir(), '[tmp]'],
  ];
  // The longest path first, so that a folder inside another gets its own replacement. `/` is left out.
  const known = places
    .filter(([place]) => place.length > 1)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([place, name]) => [whole(place), name] as const);
  const host = hostname();
  return (text) => {
    let shown = configuration.redact(mask.text(text));
    for (const [place, name] of known) shown = shown.replace(place, name);
    shown = shown.replace(ofUsers, '[path]');
    return host.length > 3 ? shown.replace(whole(host), '[host]') : shown;
  };
}

/** `/root` is not the beginning of `/rootfs`. */
const whole = (text: string): RegExp =>
  new RegExp(`(?<![\\w-])${text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\w-])`, 'g');

/** Home folders of other users. Other paths belong to the material, whose lines are shown as they were read. */
const ofUsers = /(?<![\w.~\])-])\/(?:home|Users)\/[^\s"'`<>()[\]]*/g;
