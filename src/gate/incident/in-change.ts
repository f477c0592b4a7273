/**
 * Decides whether a change shows a claim about it: when and where it took effect, the commits that it delivers, its
 * diff.
 */
import type { IncidentFields } from '../../core/index.ts';
import { against, type ChangeRecord, type Finding, isDelivery, lacks, open, shown } from './records.ts';
import { containsName, containsValue, isSameId, isSameTime, normalizeText } from './same.ts';

/**
 * Compares a claim with a change. `all`: every change of the claim, since a deploy names the commit that it delivers.
 */
export function compareChange(
  fields: IncidentFields,
  record: ChangeRecord,
  all: readonly ChangeRecord[],
): Finding {
  switch (fields.verb) {
    case 'deployed':
      return checkDeploy(fields, record);
    case 'brought':
      return checkDelivery(fields, record);
    case 'written':
      return isSameId(fields.object!, record.id) && record.of === 'commit'
        ? (compareTime(fields, record, 'written') ?? shown)
        : lacks(`no commit ${fields.object} is among what it names`);
    case 'switched':
      return checkSwitch(fields, record);
    default:
      return checkEdit(fields, record, all);
  }
}

function compareTime({ time }: IncidentFields, { id, at }: ChangeRecord, done: string): Finding | null {
  return time === undefined || isSameTime(time, at)
    ? null
    : against(`${shortenId(id)} was ${done} at ${at}, not at ${time}`);
}

function compareService({ actor }: IncidentFields, { id, service }: ChangeRecord): Finding | null {
  if (actor === undefined || service === null || containsName(service, actor) || containsName(id, actor))
    return null;
  return against(`${shortenId(id)} went to ${service}, not to ${actor}`);
}

/** Checks a deploy: the record must be the deploy itself, or the deploy that delivers the commit. */
function checkDeploy(fields: IncidentFields, record: ChangeRecord): Finding {
  const object = fields.object!;
  if (!isDelivery(record)) return lacks(`no deploy of ${object} is among what it names`);
  const isMeant = [record.id, ...record.brings].some((id) => isSameId(object, id));
  // A deploy also delivers commits before the named one.
  if (!isMeant)
    return compareService(fields, record) === null && compareTime(fields, record, 'deployed') === null
      ? open(`${shortenId(record.id)} does not name ${object}`)
      : lacks(`no deploy of ${object} is among what it names`);
  return compareService(fields, record) ?? compareTime(fields, record, 'deployed') ?? shown;
}

function checkDelivery(fields: IncidentFields, record: ChangeRecord): Finding {
  const { actor, object = '' } = fields;
  if (!isDelivery(record)) return lacks('no deploy is among what it names');
  if (actor !== undefined && !isSameId(actor, record.id) && !containsName(record.service ?? '', actor))
    return lacks(`no deploy ${actor} is among what it names`);
  return record.brings.some((id) => isSameId(object, id))
    ? (compareTime(fields, record, 'deployed') ?? shown)
    : open(`${shortenId(record.id)} does not name ${object}`);
}

const states: readonly ReadonlySet<string>[] = [
  new Set(['on', 'true', 'enabled', 'enable', '1', 'active']),
  new Set(['off', 'false', 'disabled', 'disable', '0', 'inactive']),
];
const isSameState = (a: string, b: string): boolean =>
  normalizeText(a) === normalizeText(b) ||
  states.some((set) => set.has(normalizeText(a)) && set.has(normalizeText(b))) ||
  containsValue(a, b);

function checkSwitch(fields: IncidentFields, record: ChangeRecord): Finding {
  const { object = '', from, to } = fields;
  if (isDelivery(record) || record.of === 'commit' || !isSameId(object, record.id))
    return lacks(`no flag or setting ${object} is among what it names`);
  const [, was, is] =
    /(\S+)\s*(?:->|→|=>)\s*(\S+?)[.,;)]?(?=\s|$)/.exec(`${record.title}\n${record.lines.join('\n')}`) ?? [];
  const wrong = (said: string | undefined, held: string | undefined): boolean =>
    said !== undefined && (held === undefined || !isSameState(said, held));
  if (wrong(from, was) || wrong(to, is))
    return was === undefined
      ? lacks(`${object} does not say what it was switched from and to`)
      : against(`${object} was switched from ${was} to ${is}`);
  return compareService(fields, record) ?? compareTime(fields, record, 'switched') ?? shown;
}

/** Checks `changed`, `added` and `removed` against the removed and added lines of the diff. */
function checkEdit(fields: IncidentFields, record: ChangeRecord, all: readonly ChangeRecord[]): Finding {
  const { verb, object, from, to, hunk, actor, time } = fields;
  const { added, removed, id } = record;
  if (added.length + removed.length === 0)
    return lacks(`the diff of ${shortenId(id)} is not among what it names`);
  const gone = hunkLines(hunk).find((line) => !containsLine(record, line));
  if (gone !== undefined)
    return lacks(`"${gone.trim().slice(0, 80)}" does not stand in the diff of ${shortenId(id)}`);
  if (actor !== undefined && !concernsService(actor, record, all))
    return lacks(`${shortenId(id)} is not known to be of ${actor}`);
  if (time !== undefined && !listEffectTimes(record, all).some((at) => isSameTime(time, at)))
    return against(
      `${shortenId(id)} took effect at ${listEffectTimes(record, all).join(' or ')}, not at ${time}`,
    );
  const what = isSameId(object ?? '', id) ? undefined : object;
  const holds = (lines: readonly string[], value: string | undefined): boolean =>
    (what === undefined && value === undefined) ||
    lines.some(
      (line) =>
        (what === undefined ||
          containsName(line, what) ||
          normalizeText(line).includes(normalizeText(what))) &&
        (value === undefined || containsValue(value, line)),
    );
  switch (verb) {
    case 'added':
      if (holds(added, to)) return shown;
      return holds(removed, to)
        ? against(`${shortenId(id)} takes it away`)
        : lacks(formatMissing(what ?? to, id));
    case 'removed':
      if (holds(removed, from)) return shown;
      return holds(added, from)
        ? against(`${shortenId(id)} puts it there`)
        : lacks(formatMissing(what ?? from, id));
    default: {
      if (holds(removed, from) && holds(added, to)) return shown;
      if (isReplaced(record, { what, from, to })) return shown;
      if ((from ?? to) !== undefined && holds(removed, to) && holds(added, from))
        return against(`${shortenId(id)} has it the other way round`);
      return holds([...removed, ...added], undefined)
        ? against(`${shortenId(id)} does not change ${what ?? 'it'}${formatPair(from, to)}`)
        : lacks(formatMissing(what, id));
    }
  }
}

/** Whether one line replaced another. The name of the thing may be in only one of them. */
function isReplaced(
  { removed, added }: ChangeRecord,
  { what, from, to }: Readonly<Record<'what' | 'from' | 'to', string | undefined>>,
): boolean {
  if (what === undefined || from === undefined || to === undefined) return false;
  return removed.some(
    (before) =>
      containsValue(from, before) &&
      !containsValue(to, before) &&
      added.some(
        (after) =>
          containsValue(to, after) &&
          !containsValue(from, after) &&
          (containsName(before, what) || containsName(after, what)) &&
          differsOnlyIn(before, after, from, to),
      ),
  );
}

/** Whether more than half of the words of the two lines, without the values, are the same. */
function differsOnlyIn(before: string, after: string, from: string, to: string): boolean {
  const wordsOf = (line: string, value: string): readonly string[] =>
    normalizeText(line)
      .replace(normalizeText(value), ' ')
      .match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
  const [a, b] = [wordsOf(before, from), wordsOf(after, to)];
  const shared = a.filter((word) => b.includes(word)).length;
  return shared * 2 > Math.max(a.length, b.length) && shared > 0;
}

const formatPair = (from: string | undefined, to: string | undefined): string =>
  `${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`}`;
const formatMissing = (what: string | undefined, id: string): string =>
  `${what === undefined ? 'it' : `"${what.slice(0, 80)}"`} does not stand in the diff of ${shortenId(id)}`;
const shortenId = (id: string): string => (/^[0-9a-f]{16,}$/.test(id) ? id.slice(0, 12) : id);

const hunkLines = (hunk: string | undefined): readonly string[] =>
  (hunk ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(?:@@|diff |index |---|\+\+\+)/.test(line.trim()));

function containsLine({ added, removed, lines }: ChangeRecord, line: string): boolean {
  const mark = line.trimStart()[0];
  const has = (all: readonly string[], text: string): boolean =>
    all.some((one) => normalizeText(one).includes(normalizeText(text)));
  if (mark === '+') return has(added, line.trimStart().slice(1));
  if (mark === '-') return has(removed, line.trimStart().slice(1));
  return has(lines, line);
}

/** Whether the actor is the service of the change, the service of a deploy that delivers it, or a part of its paths. */
function concernsService(actor: string, record: ChangeRecord, all: readonly ChangeRecord[]): boolean {
  const deliveries = all.filter(({ brings }) => brings.some((id) => isSameId(id, record.id)));
  return (
    [record, ...deliveries].some(
      ({ service, id }) => containsName(service ?? '', actor) || isSameId(actor, id),
    ) ||
    record.paths.some((path) => containsName(path.replaceAll('/', ' '), actor)) ||
    containsName(record.title, actor)
  );
}

const listEffectTimes = (record: ChangeRecord, all: readonly ChangeRecord[]): readonly string[] => [
  record.at,
  ...all.filter(({ brings }) => brings.some((id) => isSameId(id, record.id))).map(({ at }) => at),
];
