/**
 * Whether the changes that a claim names show a clause. A commit and the deploy that brings it are looked at
 * together; but a time of a deploy is that of the deploy, a value is that of the line that holds its name, and what
 * is said to have been added or taken away must have been.
 */
import { type Atoms, namesIt } from './atoms.ts';
import { type ChangeRecord, isDelivery } from './change-record.ts';
import { edited } from './in-diff.ts';
import { isSameTime } from './order.ts';
import type { ChangesRecord } from './records.ts';
import { type Missing, missing, type Shown } from './shown.ts';
import { standing, wordsShown } from './standing.ts';
import { carrying, deployed, negation, switchedOff, switchedOn, written } from './vocabulary.ts';

export function inChanges(
  text: string,
  atoms: Atoms,
  record: ChangesRecord,
  inherited: readonly string[],
): Shown | Missing {
  const gone = standing(atoms, record, inherited);
  if (gone !== null) return gone;
  // What is said of one commit must be in that commit, and not in another that is named beside it.
  const named = record.changes.filter((change) => isNamed(change, atoms, inherited));
  const own = named.length > 0 ? named : record.changes;
  const diffs = own.some(({ diff }) => diff.added.length + diff.removed.length > 0)
    ? own
    : record.changes.filter((change) => own.some((one) => brings(one, change)) || own.includes(change));
  const when = timeOf(atoms, own, record.changes);
  if ('reason' in when) return when;
  const switched = flagsShown(atoms.spoken, own);
  if (switched !== null) return switched;
  const wrong = edited(text, atoms, diffs);
  if (wrong !== null) return wrong;
  if (negation.test(atoms.bare) && !negation.test(record.text))
    return missing(6, 'it says that something is not so, and the change does not say that');
  const alone = uncarried(atoms, record.changes);
  if (alone !== null) return alone;
  const isOfDelivery = record.changes.some(isDelivery);
  const words = isOfDelivery ? atoms.words.filter((word) => !carrying.test(word)) : atoms.words;
  return wordsShown({ ...atoms, words }, record.lower, record.words) ?? { record, time: when.time };
}

/** A delivery that is said to hold a commit must name it. */
function uncarried({ spoken, hashes, names, ids }: Atoms, all: readonly ChangeRecord[]): Missing | null {
  if (!carrying.test(spoken)) return null;
  const known = all.filter(isDelivery);
  const said = known.filter(({ id }) =>
    [...names, ...ids].some((one) => one.toLowerCase() === id.toLowerCase()),
  );
  const deliveries = said.length > 0 ? said : known;
  if (deliveries.length === 0) return null;
  const alone = hashes.find(
    (hash) => !deliveries.some(({ id, commits }) => [id, ...commits].some((one) => begins(one, hash))),
  );
  return alone === undefined
    ? null
    : missing(5, `${deliveries.map(({ id }) => id).join(', ')} does not bring ${alone}`);
}

const isNamed = (
  change: ChangeRecord,
  { hashes, names, ids }: Atoms,
  inherited: readonly string[],
): boolean =>
  hashes.some((hash) => [change.id, ...change.commits].some((one) => begins(one, hash))) ||
  [...names, ...ids, ...inherited].some((name) => change.id.toLowerCase() === name.toLowerCase());

const begins = (id: string, hash: string): boolean => id.toLowerCase().startsWith(hash.toLowerCase());
const brings = (delivery: ChangeRecord, { id }: ChangeRecord): boolean => delivery.commits.includes(id);

/** When what the clause says took place; a claimed time must be the time of that very thing. */
function timeOf(
  { times, names, bare }: Atoms,
  own: readonly ChangeRecord[],
  all: readonly ChangeRecord[],
): { readonly time: string | null } | Missing {
  const saysDeployed = deployed.test(bare);
  const saysWritten = written.test(bare);
  // Of a commit that only another commit brings along no delivery says its name.
  const ofOwn = own.filter(isDelivery);
  const deliveries = ofOwn.length > 0 ? ofOwn : all.filter(isDelivery);
  if (saysDeployed && deliveries.length === 0) return missing(3, 'no deploy is among what it names');
  const candidates =
    saysDeployed || saysWritten
      ? [
          ...(saysDeployed ? deliveries.filter((one) => servicesFit(one, names, all)) : []),
          ...(saysWritten ? own.filter(({ kind }) => kind === 'commit') : []),
        ]
      : own;
  if (candidates.length === 0) return missing(3, 'no change among what it names is such a one');
  const wrong = times.find((time) => !candidates.some(({ at }) => isSameTime(time, at)));
  if (wrong !== undefined)
    return missing(
      5,
      `${saysDeployed ? 'it was not deployed' : saysWritten ? 'it was not written' : 'nothing was changed'} at ${wrong}`,
    );
  const [first] = times;
  const found =
    first === undefined
      ? (candidates.find(isDelivery) ?? candidates[0])
      : candidates.find(({ at }) => isSameTime(first, at));
  return { time: found?.at ?? null };
}

/** A deploy to what is named, where something is: a diff that speaks of a service was not deployed to it. */
function servicesFit(one: ChangeRecord, names: readonly string[], all: readonly ChangeRecord[]): boolean {
  const ids = new Set(all.map(({ id }) => id.toLowerCase()));
  const said = names.filter((name) => !ids.has(name));
  return said.length === 0 || said.some((name) => namesIt(one.text.toLowerCase(), name));
}

function flagsShown(text: string, own: readonly ChangeRecord[]): Missing | null {
  const flags = own.filter(({ kind }) => kind === 'flag' || kind === 'config');
  if (flags.length === 0) return null;
  const on = switchedOn.test(text);
  const off = !on && switchedOff.test(text);
  const said = flags.map((flag) => `${flag.title}\n${flag.lines.join('\n')}`).join('\n');
  if (on && !/(?:->|→|to|:)\s*(?:on|true|enabled)\b|\benabled\b/i.test(said))
    return missing(4, 'it was not switched on');
  if (off && !/(?:->|→|to|:)\s*(?:off|false|disabled)\b|\bdisabled\b/i.test(said))
    return missing(4, 'it was not switched off');
  return null;
}
