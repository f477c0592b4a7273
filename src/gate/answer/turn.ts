/**
 * Checks a turn of a conversation against everything the turn has: spans it read, results of tools, answers of runs it
 * started, and the user's own words. Models rarely cite ids in a conversation, so a claim without a citation is checked
 * against all of these. Greetings, questions and offers claim nothing; statements about changes are checked against the
 * writes.
 */
import { findMentions, removeNotices } from '../../core/answers.ts';
import { type Evidence, escapePath } from '../../core/index.ts';
import { parseClaim } from '../claim/reading.ts';
import { type ClaimText, claimText, isAboutSearch, splitClaims } from '../claim/split-claims.ts';
import { mayFigureBeUnsaid } from '../decide/contradict/unsaid.ts';
import { decide } from '../decide/decide.ts';
import { decideText } from '../decide/decide-text.ts';
import { type Claim, type ClaimSource, isSupported, type RunLogView } from '../gate.ts';
import { findFigure } from '../lines/find-figure.ts';
import { createSourceCache } from '../lines/source.ts';
import { findFlags } from '../reader/flags.ts';
import { decideBySearch } from '../search/about-search.ts';
import { decideByWrites, type LoggedWrite, reportsWrite } from '../search/writes.ts';
import { mayBeMissing } from '../words/turns.ts';
import { splitWords } from '../words/words.ts';
import type { WeighedAnswer } from './weigh-answer.ts';

export interface TurnMaterial {
  readonly text: string;
  readonly evidence: readonly Evidence[];
  /** Results of tools, as the model saw them. */
  readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  /** Claims of the runs that work was delegated to; null if they were not checked. */
  readonly runs: readonly { readonly id: string; readonly claims: readonly Claim[] | null }[];
  readonly writes: readonly LoggedWrite[];
  /** Every message of the person in the conversation. */
  readonly person: readonly string[];
  readonly log: RunLogView;
  /** Ids from runs or earlier turns: they exist, but are not sources of this turn. */
  readonly known?: readonly string[];
}

/** Maximum characters of the sources that claims are checked against; the latest sources are used. */
const maxLength = 600_000;
/** Maximum number of sources that a reader sees for a claim without citations. */
const maxShown = 3;

export function weighTurn(material: TurnMaterial): WeighedAnswer {
  const { person, log, writes } = material;
  const text = claimText(material.text);
  const sources = listSources(material);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const personText = person.join('\n');
  const prepare = createSourceCache(personText);
  const personSources = person.map((words, at) =>
    createSource(`person-${at + 1}`, 'what the person said', words),
  );
  const check = (found: ClaimText): Pick<Claim, 'verdict' | 'why' | 'evidence'> => {
    const { text: claim, ids, kind } = found;
    if (reportsWrite(claim)) return decideByWrites(claim, writes);
    const bySearch = ids.length === 0 && isAboutSearch(claim) ? decideBySearch(claim, log) : null;
    if (bySearch !== null) return bySearch;
    const blocks = text.slice(found.start, found.end).match(/(?<=[[,;]\s*)bl-[0-9a-z]+/g) ?? [];
    const claimSources = [
      ...ids.flatMap((id) => byId.get(id) ?? []),
      ...sources.filter(({ content }) => blocks.some((block) => content.includes(`[${block}]`))),
    ];
    const used = claimSources.length > 0 ? claimSources : [...sources, ...personSources];
    if (sources.length === 0)
      return {
        verdict: 'unclear',
        why: 'The turn read no source to check it against.',
        evidence: [],
      };
    const source = prepare(used);
    const decided =
      kind === 'code' || kind === 'quote' ? decideText(claim, kind, source) : decide(claim, source);
    if (claimSources.length > 0) return { ...decided, evidence: claimSources.map(({ id }) => id) };
    const evidence = findNearestSources(claim, sources).map(({ id }) => id);
    // Among many sources, nearly every claim is contradicted by one.
    if (decided.verdict !== 'contradicted' || sources.length === 1) return { ...decided, evidence };
    const reading = parseClaim(claim);
    // A figure that none of them has is not shown, whatever they say in its place.
    const missing = reading.figures.find(
      (figure) =>
        !figure.isWord &&
        findFigure(figure, reading, source) === null &&
        !mayBeMissing(reading.text.slice(0, figure.start)) &&
        !mayFigureBeUnsaid(figure, reading, source),
    );
    return missing === undefined
      ? { verdict: 'unclear', why: `It cites nothing. ${decided.why ?? ''}`.trim(), evidence }
      : { verdict: 'not shown', why: `The sources of this turn do not hold "${missing.text}".`, evidence };
  };
  const claims = splitClaims(text)
    .filter(({ text: claim, ids }) => ids.length > 0 || !isCourtesy(claim))
    .map((found) => {
      const { text: claim, kind, start, end } = found;
      const checked = findRunVerdict(found, material.runs) ?? check(found);
      const used = checked.evidence.flatMap((id) => byId.get(id) ?? []);
      return {
        claim: Object.freeze({ text: claim, ...checked, flags: findFlags(claim, used) }),
        at: { kind, start, end },
      };
    });
  const ids = [...new Set(findMentions(text).flatMap((mention) => mention.ids))];
  const evidenceById = new Map(material.evidence.map((evidence) => [evidence.id, evidence]));
  return {
    text,
    left: removeNotices(material.text).cutSentences,
    claims,
    sources,
    citations: ids.flatMap((id) => toCitations(evidenceById.get(id))),
    searches: [...log.searches.map(({ id }) => id), ...(material.known ?? [])],
    checked: ids.map((id) => ({
      id,
      status: evidenceById.has(id) ? ('valid' as const) : ('not_read' as const),
    })),
  };
}

const toCitations = (evidence: Evidence | undefined) =>
  evidence === undefined
    ? []
    : [
        {
          ...{
            id: evidence.id,
            path: evidence.file_path,
            start_line: evidence.start_line,
            end_line: evidence.end_line,
          },
          ...{ provenance: evidence.provenance, hash: evidence.hash, status: 'valid' as const },
        },
      ];

function listSources({ evidence, results, runs }: TurnMaterial): readonly ClaimSource[] {
  const pieces = [
    ...evidence.map(
      ({ id, file_path, start_line: start, end_line: end, content }): ClaimSource => ({
        ...{ id, path: escapePath(file_path), start, end, content },
      }),
    ),
    ...results.map(({ id, name, text }) => createSource(id, name, text)),
    // A claim that its run could not support stays unsupported when repeated.
    ...runs.map(({ id, claims }) =>
      createSource(
        id,
        id,
        (claims ?? [])
          .filter(isSupported)
          .map(({ text }) => text)
          .join('\n'),
      ),
    ),
  ].filter(({ content }) => content.trim() !== '');
  let left = maxLength;
  return pieces
    .toReversed()
    .filter(({ content }) => {
      left -= content.length;
      return left >= 0;
    })
    .toReversed();
}

const createSource = (id: string, path: string, content: string): ClaimSource => ({
  ...{ id, path, content },
  ...{ start: 1, end: content.split('\n').length },
});

/** A claim that repeats a claim of a run keeps the verdict of the run. */
function findRunVerdict(
  { text }: ClaimText,
  runs: TurnMaterial['runs'],
): Pick<Claim, 'verdict' | 'why' | 'evidence'> | null {
  const bare = (words: string): string =>
    words
      .toLowerCase()
      .replace(/\[unsupported\]|[^\p{L}\p{N}.]+/gu, ' ')
      .replace(/[. ]+$/, '')
      .trim();
  for (const { id, claims } of runs)
    for (const claim of claims ?? []) {
      const own = bare(claim.text);
      const whole = bare(text);
      if (own === '' || (whole !== own && !whole.endsWith(` ${own}`))) continue;
      const why = claim.why === undefined ? '' : ` ${claim.why}`;
      return { verdict: claim.verdict, why: `It is a result of ${id}.${why}`, evidence: [id] };
    }
  return null;
}

/** The sources that share most words with a claim. A reader can't see all sources. */
function findNearestSources(claim: string, sources: readonly ClaimSource[]): readonly ClaimSource[] {
  const words = new Set(splitWords(claim).map(({ base }) => base));
  const weighed = sources.map((source) => ({
    source,
    share: new Set(
      splitWords(source.content.slice(0, 20_000))
        .map(({ base }) => base)
        .filter((base) => words.has(base)),
    ).size,
  }));
  return (
    weighed
      .filter(({ share }) => share > 0)
      .toSorted((a, b) => b.share - a.share)
      .map(({ source }) => source)
      // The result of a tool repeats its evidence.
      .filter(
        ({ content }, at, all) =>
          !all.slice(0, at).some((claimSource) => content.includes(claimSource.content)),
      )
      .slice(0, maxShown)
  );
}

/** Sentences addressed to the person, which are not about any material. */
const courtesies = [
  /^(?:hello|hi|hey|good (?:morning|evening|day)|thanks|thank you|you(?:'re| are) welcome|sure|okay|ok|of course|certainly|gladly|great|sorry|understood|noted)\b(?:[^.]{0,40})[.!]?$/i,
  /^(?:yes|no|done)[.!]?$/i,
  /^(?:let me know|feel free|just (?:say|tell|ask)|tell me|please (?:tell|say|let|give|choose|confirm)|if you (?:want|like|wish|need|prefer|tell|give))\b/i,
  /^(?:i|we)(?:'ll| will| can| could| would|'d| am| are|'m|'re| need| want| hope| think| suggest| recommend| propose)\b/i,
  /^(?:would|shall|should|do|could|can) (?:you|i|we)\b/i,
];

/**
 * Whether a sentence only addresses the person. A sentence with a figure or a name claims something, whatever
 * introduces it.
 */
const isCourtesy = (claim: string): boolean =>
  !/[\d`"“]/.test(claim) && courtesies.some((form) => form.test(claim));
