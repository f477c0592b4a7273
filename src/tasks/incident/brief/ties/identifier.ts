/** Ties by a name or a text that the change removes, adds or edits, and that an observation contains. */

import type { Diff } from '../edits/diff.ts';
import { findTexts } from '../edits/diff.ts';
import { isCaption } from '../edits/extract-code.ts';
import { isReworded } from '../edits/line-edits.ts';
import { isRelief } from '../movement.ts';
import type { Symptom } from '../symptoms.ts';
import { distinctiveWords } from '../words.ts';
import { hasMovedSince } from './has-moved-since.ts';
import { placeFactor } from './place.ts';
import {
  formatChangeName,
  type Rule,
  shortenText,
  type Tie,
  type TieContext,
  type TiedChange,
} from './tie.ts';

/** Names with several parts, as code writes them: `batchWriteItem`, `search_events`, `checkout.v2`, `X-Shop-Id`. */
const compoundName =
  /[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[A-Za-z]+[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z]{2,}[0-9_][A-Z0-9_]*/g;
const isModule = (name: string): boolean =>
  /^(?:com|org|io|net|github)\.|\.(?:go|py|js|ts|java|rb|md|ya?ml|json|com|org|io|net)$|^v?\d/i.test(name);

const normalizeName = (name: string): string => name.replace(/[_.\-\s]/g, '').toLowerCase();

/** `client.has_consent` also counts as `has_consent`. */
const splitName = (name: string): readonly string[] =>
  name.includes('.') ? name.split('.').filter((part) => /[a-z0-9][A-Z]|\w[_-]\w/.test(part)) : [];

interface Name {
  readonly text: string;
  readonly side: 'gone' | 'new' | 'kept';
}

/** The names in a diff. A name on only one side counts more than one on both. */
export function listNames({ removed, added }: Pick<Diff, 'removed' | 'added'>): readonly Name[] {
  const collectNames = (lines: readonly string[]): ReadonlySet<string> =>
    new Set(
      lines.flatMap((line) => [
        ...(line.match(compoundName) ?? []).flatMap((name) => [name, ...splitName(name)]),
        ...findTexts(line).filter((text) => /^[\w.:/@*-]{3,60}$/.test(text) && !isCaption(line, text)),
        // The number of a rule, a port or an error code.
        ...(line.match(/(?<![\w.:-])\d{5,9}(?![\w.:-])/g) ?? []),
      ]),
    );
  const [old, fresh] = [collectNames(removed), collectNames(added)];
  const findSide = (name: string): Name['side'] =>
    !fresh.has(name) ? 'gone' : !old.has(name) ? 'new' : 'kept';
  return [...new Set([...old, ...fresh])]
    .filter((name) => !isModule(name) && name.length > 3)
    .map((text) => ({ text, side: findSide(text) }));
}

/** Whether a text is a sentence, rather than the name of a series, which joins common words. */
const isSentence = (text: string): boolean => text.trim().split(/\s+/).length > 3;

/** Whether a name is a protocol status or a log level, which occur in every program and every log. */
const isStatus = (name: string): boolean =>
  /^(trace|debug|info|notice|warn|warning|error|err|fatal|critical|severe|panic|emerg|alert)$/i.test(name) ||
  /^(not_?found|bad_?request|bad_?gateway|unauthori[sz]ed|forbidden|conflict|gone|timed?_?out|deadline_?exceeded|unavailable|service_?unavailable|too_?many_?requests|internal(_?server)?_?error|permission_?denied|already_?exists|invalid_?argument|failed_?precondition|resource_?exhausted|cancell?ed|aborted|unknown|content_?type|user_?agent|application_?json)$/i.test(
    name,
  );

const containsName = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w])${RegExp.escape(name)}(?![\\w])`, 'i').test(text);

export const identifier: Rule = (tied, context) => {
  const { nature } = tied;
  if (nature.diff === null || nature.kind === 'inert' || nature.kind === 'logging') return [];
  const found = [
    ...findByName(tied, context, nature.diff),
    ...findByText(tied, context, nature.diff),
    ...findByQuoted(tied, context, nature.diff),
    ...[...findByMetric(tied, context, nature.diff), ...findByWords(tied, context, nature.diff)].map(
      (found) => ({
        ...found,
        strength: found.strength * placeFactor(tied, context),
      }),
    ),
    ...findByTable(tied, context, nature.diff),
    ...findByFarName(tied, context, nature.diff),
    ...findByNetwork(tied, context, nature.diff),
  ];
  return found.toSorted((a, b) => b.strength - a.strength).slice(0, 3);
};

function findByName(
  { change }: TiedChange,
  { symptoms, common, ordinary, rarity }: TieContext,
  diff: Diff,
): readonly Tie[] {
  return listNames(diff).flatMap(({ text, side }) => {
    if (common.has(normalizeName(text)) || isStatus(text)) return [];
    const seen = symptoms
      .filter(({ evidence }) => evidence !== '')
      .find(
        (symptom) =>
          containsName(symptom.text, text) ||
          (normalizeName(text).length > 7 &&
            isSentence(symptom.text) &&
            normalizeName(symptom.text).includes(normalizeName(text))),
      );
    if (seen === undefined) return [];
    const isNew = !containsName(ordinary, text) && !normalizeName(ordinary).includes(normalizeName(text));
    const strength = Math.min(
      0.95,
      (side === 'kept' ? 0.3 : isNew ? 0.85 : 0.5) *
        (0.4 + 0.6 * rarity(normalizeName(text))) *
        (seen.weight < 0.5 ? 0.6 : 1),
    );
    return [
      createTie(
        change,
        seen,
        `${side === 'gone' ? 'takes away' : side === 'new' ? 'adds' : 'alters a line with'} ${text}`,
        strength,
        rarity(normalizeName(text)) < 1,
      ),
    ];
  });
}

const networkPattern = /(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})(?!\d)/g;
const addressPattern = /(?<![\d.:])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.]|\/\d)/g;
/** A network with a prefix shorter than this, in bits, says little about an address in it. */
const minPrefixBits = 16;
const parseAddress = (text: string): number =>
  text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/**
 * Ties by an address in a failing message that lies in a network which the change adds to a list or removes from it.
 */
function findByNetwork(
  { change }: TiedChange,
  { symptoms }: TieContext,
  { removed, added }: Diff,
): readonly Tie[] {
  const listNetworks = (lines: readonly string[]): ReadonlySet<string> =>
    new Set(lines.flatMap((line) => [...line.matchAll(networkPattern)].map(([whole]) => whole)));
  const [old, fresh] = [listNetworks(removed), listNetworks(added)];
  const changedNetworks = [...old, ...fresh].filter((range) => old.has(range) !== fresh.has(range));
  return changedNetworks
    .flatMap((whole): readonly Tie[] => {
      const [base = '', length = '0'] = whole.split('/');
      if (Number(length) < minPrefixBits || Number(length) > 32) return [];
      const size = 2 ** (32 - Number(length));
      const isInside = (ip: string): boolean =>
        Math.floor(parseAddress(ip) / size) === Math.floor(parseAddress(base) / size);
      const seen = symptoms.find(
        ({ text, evidence, weight }) =>
          evidence !== '' &&
          weight >= 0.8 &&
          [...text.matchAll(addressPattern)].some(([, ip]) => isInside(ip!)),
      );
      return seen === undefined
        ? []
        : [createTie(change, seen, `${old.has(whole) ? 'takes away' : 'adds'} the network ${whole}`, 0.75)];
    })
    .slice(0, 1);
}

/** Whether a name is long and has several parts, like labels, paths and annotations, so that it is unique. */
const isUnmistakable = (name: string): boolean => name.length >= 12 && /\w[/._-]\w/.test(name);

/**
 * Ties by a name that the change removes, and that a service outside the alert's reach misses since. The service of the
 * change connects them.
 */
function findByFarName(
  { change, at, service }: TiedChange,
  { far, reach, common, ordinary }: TieContext,
  diff: Diff,
): readonly Tie[] {
  const strength = reach.of(service);
  if (service === null || strength === 0) return [];
  const added = diff.added.join('\n');
  return diff.removed
    .flatMap((line) => line.match(/[A-Za-z][\w./-]+\w/g) ?? [])
    .filter((name) => isUnmistakable(name) && !isModule(name) && !common.has(normalizeName(name)))
    .filter((name) => !containsName(added, name) && !containsName(ordinary, name))
    .flatMap((name): readonly Tie[] => {
      const message = far.find(
        ({ text, first }) => (first === null || first >= at - 90_000) && containsName(text, name),
      );
      return message === undefined
        ? []
        : [
            {
              kind: 'identifier',
              from: `${formatChangeName(change)} takes away ${name}`,
              to: shortenText(message.text),
              evidence: [change.evidence, message.evidence],
              strength: 0.8 * (0.5 + 0.5 * strength),
            },
          ];
    })
    .slice(0, 1);
}

/** Ties by a text of the diff that a message quotes or begins with. */
function findByText(
  { change }: TiedChange,
  { symptoms, ordinary }: TieContext,
  { removed, added, texts }: Diff,
): readonly Tie[] {
  const reworded = new Set(texts.flatMap(({ was, is }) => (isReworded(was, is) ? [was, is] : [])));
  const [old, fresh] = [removed.flatMap(findTexts), added.flatMap(findTexts)];
  const changedTexts = [
    ...old.filter((text) => !fresh.includes(text)),
    ...fresh.filter((text) => !old.includes(text)),
  ];
  return [...new Set(changedTexts)].flatMap((text) => {
    if (reworded.has(text)) return [];
    const fixedPart =
      text
        .replace(/%[\w.]+|\{[^}]*\}|\$\{[^}]*\}/g, '\u0000')
        .split('\u0000')
        .map((part) => part.trim())
        .sort((a, b) => b.length - a.length)[0] ?? '';
    if (fixedPart.length < 3) return [];
    const seen = symptoms.find(
      (symptom) =>
        symptom.evidence !== '' &&
        (fixedPart.length >= 12
          ? symptom.text.toLowerCase().includes(fixedPart.toLowerCase())
          : ['"', "'", '`'].some((mark) => symptom.text.includes(`${mark}${fixedPart}${mark}`))),
    );
    return seen === undefined
      ? []
      : [
          createTie(
            change,
            seen,
            `holds ${JSON.stringify(shortenText(fixedPart))}`,
            ordinary.includes(fixedPart) ? 0.45 : 0.85,
          ),
        ];
  });
}

const quotedName = /(?<!\w)['"`]([A-Za-z_][\w-]{2,40})['"`](?!\w)/g;

/** Ties by a plain name in quotes in an error, which the diff removed or added: an argument, a key, a member. */
function findByQuoted(
  { change }: TiedChange,
  { symptoms, common, ordinary }: TieContext,
  diff: Diff,
): readonly Tie[] {
  const listWords = (lines: readonly string[]): ReadonlySet<string> =>
    new Set(lines.flatMap((line) => line.match(/[A-Za-z_][\w-]{2,40}/g) ?? []));
  const [old, fresh] = [listWords(diff.removed), listWords(diff.added)];
  return symptoms
    .filter(({ evidence, weight, text }) => evidence !== '' && weight >= 0.8 && isSentence(text))
    .flatMap((symptom) =>
      [...symptom.text.matchAll(quotedName)].flatMap(([, name = '']) => {
        if (old.has(name) === fresh.has(name) || common.has(normalizeName(name)) || isStatus(name)) return [];
        const strength = containsName(ordinary, name) ? 0.5 : 0.8;
        return [createTie(change, symptom, `${old.has(name) ? 'takes away' : 'adds'} ${name}`, strength)];
      }),
    )
    .slice(0, 1);
}

/** Words that are common in names of series. */
const metricWords = new Set(
  (
    'failure failed fail success request requests latency duration response delivery queue depth connection ' +
    'connections timeout retry retries memory cpu usage size length status event events active pending process ' +
    'thread session cache load job task message batch worker'
  ).split(' '),
);

/** Ties by a series that changed, and whose name shares two words, or a rare one, with an edited line. */
function findByMetric(
  tied: TiedChange,
  { movements, names, rarity }: TieContext,
  diff: Diff,
): readonly Tie[] {
  const { change, service } = tied;
  const words = new Set([...diff.removed, ...diff.added].flatMap(distinctiveWords));
  return movements.flatMap((movement) => {
    if (!hasMovedSince(movement, tied) || isRelief(movement)) return [];
    const specificWords = distinctiveWords(movement.metric).filter((word) => !metricWords.has(word));
    const shared = [...new Set(specificWords)].filter(
      (word) =>
        words.has(word) && ![...names, service ?? ''].some((name) => distinctiveWords(name).includes(word)),
    );
    const totalRarity = shared.reduce((sum, word) => sum + rarity(word), 0);
    return (shared.length >= 2 && totalRarity >= 1) ||
      (totalRarity >= 0.95 && shared.some((word) => word.length > 5))
      ? [
          {
            kind: 'identifier' as const,
            from: `${formatChangeName(change)}: ${shared.join(' ')}`,
            to: `${movement.metric}${movement.service === null ? '' : ` of ${movement.service}`}`,
            evidence: [movement.evidence],
            strength: Math.min(0.7, 0.25 + 0.25 * totalRarity),
          },
        ]
      : [];
  });
}

const tablePattern = '["`\\[]?(?:\\w+["`\\]]?\\.["`\\[]?)?(\\w{3,})';
/** Statements that alter a table, its indexes or its locks, in SQL and in migrations. */
const alteringStatement = new RegExp(
  `\\b(?:(?:alter|drop|rename|truncate|create|lock) table (?:if (?:not )?exists )?|(?:drop|create)(?: unique)? index\\b[^;(]*? on |(?:add|remove|rename|drop|alter|create)_(?:index|column|table|reference|foreign_key)s?\\(? *[:'"]?|(?:update|delete from) )${tablePattern}`,
  'gi',
);
/** Statements of any kind, and messages of servers that name a relation. */
const usingStatement = new RegExp(`\\b(?:from|into|update|join|table|relation|on) ${tablePattern}`, 'gi');

/** Ties by a table that the change alters, and that a failing statement uses. */
function findByTable(
  { change }: TiedChange,
  { symptoms, ordinary }: TieContext,
  { removed, added }: Diff,
): readonly Tie[] {
  const findTables = (text: string, shape: RegExp): ReadonlySet<string> =>
    new Set([...text.matchAll(shape)].map(([, name]) => name!.toLowerCase()));
  const alteredTables = findTables([...removed, ...added].join('\n'), alteringStatement);
  if (alteredTables.size === 0) return [];
  const usualTables = findTables(ordinary, usingStatement);
  const seen = symptoms.find(
    ({ text, evidence }) =>
      evidence !== '' && [...findTables(text, usingStatement)].some((name) => alteredTables.has(name)),
  );
  const name =
    seen === undefined
      ? undefined
      : [...findTables(seen.text, usingStatement)].find((tableName) => alteredTables.has(tableName));
  return seen === undefined || name === undefined
    ? []
    : [createTie(change, seen, `alters the table ${name}`, usualTables.has(name) ? 0.5 : 0.7)];
}

/**
 * Ties by a new message with two words of the edited lines that occur in no ordinary message and in no other change.
 */
function findByWords(
  { change }: TiedChange,
  { symptoms, names, ordinary, rarity, common }: TieContext,
  diff: Diff,
): readonly Tie[] {
  const words = new Set([...diff.removed, ...diff.added].flatMap(distinctiveWords));
  const ownWords = new Set([...common, ...[...names].flatMap(distinctiveWords)]);
  const ordinaryText = ordinary.toLowerCase();
  return symptoms
    .filter(({ evidence, weight, text }) => evidence !== '' && weight >= 0.8 && isSentence(text))
    .flatMap((symptom): readonly Tie[] => {
      const shared = [...new Set(distinctiveWords(symptom.text))].filter(
        (word) => words.has(word) && !ownWords.has(word) && !ordinaryText.includes(word) && word.length > 3,
      );
      const totalRarity = shared.reduce((sum, word) => sum + rarity(word), 0);
      return shared.length < 2 || totalRarity < 1
        ? []
        : [
            createTie(
              change,
              symptom,
              `changes ${shared.slice(0, 3).join(', ')}`,
              Math.min(0.6, 0.2 + 0.15 * totalRarity),
            ),
          ];
    })
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, 1);
}

const createTie = (
  change: TiedChange['change'],
  seen: Symptom,
  action: string,
  strength: number,
  isShared = false,
): Tie => ({
  kind: 'identifier',
  from: `${formatChangeName(change)} ${action}`,
  to: shortenText(seen.text),
  evidence: [change.evidence, seen.evidence].filter((id) => id !== ''),
  strength,
  ...(isShared && { isShared }),
});
