/**
 * Decides, without a model, whether the evidence can answer the question at all. A question of another domain matches
 * scattered words; an answerable one has its topic words together in one piece of evidence.
 */
import { readFileSync } from 'node:fs';
import type { Evidence } from '../../../core/index.ts';
import { lineWords } from '../lines/telling-lines.ts';
import { namesToLookUp, parts, stem, termsOf } from '../lines/terms.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';
import {
  countWords,
  findMissedWords,
  isInLanguage,
  type MissedWords,
  mayBeForeign,
} from './carrying-words.ts';

/** A word of the question, and the number of files that contain it. */
export interface AskedWord {
  readonly word: string;
  readonly files: number;
  /** True if `files` is only the maximum of the search, and more files may contain the word. */
  readonly isCut?: boolean;
}

export interface Basis {
  readonly words: readonly AskedWord[];
  /** The number of files in the material. */
  readonly files: number;
  readonly evidence: readonly Pick<Evidence, 'file_path' | 'content'>[];
}

/** The inputs of the model. Words are weighted by their rarity in ordinary repositories. */
export interface AnswerSigns {
  /** The weighted share of the question's words that the best piece of evidence contains. */
  readonly held: number;
  /**
   * The logarithm of how much more common the question's words are here than in an ordinary repository. The words of a
   * topic are common where the material is about it, and rare or missing elsewhere.
   */
  readonly lift: number;
}

/**
 * A logistic model, trained on 140 questions about 15 repositories, each asked in its own and in three of the others
 * (bench/nothing.ts lists its errors). The number of words is not an input: users ask in longer sentences than the
 * authors of the training questions, and a quarter of their questions was wrongly refused.
 */
const weights = { bias: 5.83, held: -7.91, lift: -1.81 } as const;
/** Minimum probability at which the question counts as unanswerable. */
const threshold = 0.65;
/** The same for a question that names code of this material, and so is about the material. */
const thresholdIfNamed = 0.85;
/** If no file has this weighted share of the question's words or more, the question counts as unanswerable. */
const minAbsentShare = 0.4;

/** The probability, from 0 to 1, that the evidence can't answer the question. */
export function unanswerable(basis: Basis): number {
  if (basis.words.length === 0) return 0;
  const { held, lift } = signsOf(basis);
  const score = weights.bias + weights.held * held + weights.lift * lift;
  return 1 / (1 + Math.exp(-score));
}

/**
 * The weighted share of the question's words that no file has. The material's own name, which is common here and rare
 * elsewhere, doesn't count, since it says nothing about the topic.
 */
export function absentShare({ words, files }: Pick<Basis, 'words' | 'files'>): number {
  const totalWeight = (group: readonly AskedWord[]): number =>
    group.reduce((whole, { word }) => whole - Math.log(usualShare(word)), 0);
  const topicWords = words.filter((askedWord) => !isOwnName(askedWord, files));
  return topicWords.length === 0
    ? 0
    : totalWeight(topicWords.filter((askedWord) => askedWord.files === 0)) / totalWeight(topicWords);
}

const isOwnName = ({ word, files: containing }: AskedWord, files: number): boolean =>
  usualShare(word) <= rareShare && containing >= ownNameShare * files;
const ownNameShare = 0.3;

export function signsOf({ words, files, evidence }: Basis): AnswerSigns {
  const weighted = words.map(({ word, files: containing, isCut = false }) => {
    const usual = usualShare(word);
    const share = (containing + 0.3) / (files + 1);
    return {
      stem: stem(word),
      weight: -Math.log(usual),
      lift: Math.log((isCut ? Math.max(share, usual) : share) / usual),
    };
  });
  const totalWeight = sumWeights(weighted);
  const pieces = evidence.map((item) => new Set(lineWords(`${item.file_path} ${item.content}`)));
  return {
    held: Math.max(
      0,
      ...pieces.map(
        (piece) => sumWeights(weighted.filter((askedWord) => piece.has(askedWord.stem))) / totalWeight,
      ),
    ),
    lift: weighted.reduce((whole, { weight, lift }) => whole + weight * lift, 0) / totalWeight,
  };
}

const sumWeights = (asked: readonly { readonly weight: number }[]): number =>
  asked.reduce((whole, { weight }) => whole + weight, 0);

let loadedShares: ReadonlyMap<string, number> | null = null;

/**
 * Share of files with each stem, from the table that `bench/learn-words.ts` wrote. The table is read at the first call.
 */
function readShares(): ReadonlyMap<string, number> {
  if (loadedShares !== null) return loadedShares;
  const table = readFileSync(new URL('../lines/word-shares.json', import.meta.url), 'utf8');
  loadedShares = new Map(
    Object.entries(JSON.parse(table) as Readonly<Record<string, string>>).flatMap(([share, stems]) =>
      stems.split(' ').map((wordStem) => [wordStem, Number(share)] as const),
    ),
  );
  return loadedShares;
}

/** The share of a word that is not in the table; lower than all shares in it. */
const rareShare = 0.002;
/** The share of a word of one or two letters. The table has none, since such a word may be part of any other. */
const shortShare = 0.3;

/** The share of the files of an ordinary repository that contain the word. */
const usualShare = (word: string): number =>
  word.length < 3 ? shortShare : (readShares().get(stem(word)) ?? rareShare);

/**
 * Words that phrase a question, and ordinary words that name nothing in a program. They are not counted, since an
 * answer need not contain them. With this list 2 of 90 questions are refused, without it 7. Of the same 90 questions,
 * asked in another repository, 48 and 50 are refused. The list was written with some of these questions in view.
 */
const questionWords = new Set(
  `choose chosen chooses decide decided decides determine determined kept keep keeps behave behaves behaviour behavior measure measured
  take taken takes care shown show shows lay laid lie lies lying lain employ employs employed reside resides expose exposed vary varied find finds found look looks looked go goes gone going
  pick picked get give given gives mean means meant say says said tell tells told explain explained describe described listed need needed
  needs want wants wanted put puts set handle handled handles deal dealt done exactly actually long many much often big large allowed may
  might will come comes coming run runs know known knows start started begin begins kind kinds sort sorts type types thing things way ways
  part parts place able possible there here every different difference best better good first last new old
  arrive arrives arrived carry carries carried stand stands stood turn turns turned bring brings brought hold holds held leave leaves left
  stay stays stayed seem seems appear appears happen happening become becomes became belong belongs fit fits fitted suit suits try tries tried
  trying ask asks asked answer answered help helps let lets cause causes caused lead leads led treat treats treated recognise recognises
  recognize recognizes recognised recognized realise realize notice notices noticed figure figured understand understood understands
  press presses pressed pressing demand demands demanded agree agrees agreed disagree disagrees prefer prefers preferred
  mention mentions mentioned refer refers referred concern concerns concerned involve involves involved
  rely relies prevent prevents prevented avoid avoids avoided ensure ensures allow allows
  wish wishes happily automatically usually normally simply only merely really
  properly correctly wrongly safely quickly slowly suddenly eventually afterwards afterward beforehand meanwhile anyway somehow
  together apart alone aside ahead twice thrice whole entire several various certain particular own other others another else rest enough few fewer less least
  most more some any both either neither none nothing something anything everything someone anyone everyone nobody somebody
  instead although though because since until unless despite against among within without beyond throughout towards toward
  brand-new brand fresh ordinary usual normal special proper wrong right bad worse worst nice easy hard small smaller tiny huge bigger
  larger longer shorter later earlier sooner once ever never always sometimes rarely still yet already just even too also almost nearly
  middle side sides amount sense example reason reasons purpose role sake moment`.split(/\s+/),
);

/** The topic words of a question, in lower case, each once. */
export function tellingWords(question: string): readonly string[] {
  const found = new Map<string, string>();
  // Pasted code blocks don't say what the question is about.
  const prose = question.replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gmu, '\n');
  for (const [token] of prose.matchAll(/[\p{L}\p{N}_$]+/gu))
    for (const part of parts(token)) {
      const [term] = termsOf(part);
      if (term !== undefined && !questionWords.has(part) && !found.has(term)) found.set(term, part);
    }
  return [...found.values()];
}

const english =
  /\b(?:the|an|is|are|was|were|does|do|did|how|what|which|where|who|why|when|of|to|and|can|should|with|for|from|in)\b/gi;
const otherLanguages =
  /\b(?:der|die|das|den|dem|ein|eine|einen|wie|wird|werden|welche\w*|ist|sind|und|nicht|wo|warum|wann|wer|von|zu|mit|für|im|el|los|las|una|como|cómo|qué|cuál|dónde|está|por|para|del|le|les|des|une|est|sont|quel\w*|comment|où|pourquoi|dans|avec|il|lo|gli|che|come|dove|quale|het|een|hoe|waar|wordt|zijn|som|och|hur|jak|gdzie|como|onde|qual|não)\b/giu;

/**
 * Whether the question is in English. For other languages, absent words prove nothing, since the material may be in
 * English.
 */
export function isEnglish(question: string): boolean {
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  const latin = question.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters > latin * 1.2) return false;
  return (question.match(otherLanguages)?.length ?? 0) <= (question.match(english)?.length ?? 0);
}

/** Minimum number of files. Rarity means nothing in less material, and the model was trained on 60 files and more. */
const minFiles = 20;
/** Maximum number of words to search for. More words cost more searches, and hardly change the result. */
const maxSearches = 8;
const maxHits = 300;

/**
 * Names of a question that are written with capitals: `the Winter Leave Programme`, of two words and more behind an
 * article, single words that do not begin a sentence, and abbreviations such as `AES`.
 */
export function findTitledNames(question: string): readonly string[] {
  const prose = question.replace(/`[^`]*`|"[^"]*"/g, ' ');
  const names = [...prose.matchAll(titledName)].map(([, name]) => name!);
  const single = [...prose.matchAll(capitalisedWord), ...prose.matchAll(abbreviation)].map(
    ([, name]) => name!,
  );
  return [...new Set([...names, ...single.filter((word) => !names.some((name) => name.includes(word)))])];
}

const titledName =
  /\b(?:the|an?|our|your|this|that|its) (\p{Lu}\p{Ll}[\p{L}\p{N}]*(?: (?:(?:of|for|and|the|to) )?\p{Lu}\p{Ll}[\p{L}\p{N}]*){1,4})/gu;
const capitalisedWord = /(?<=[\p{Ll},] )(\p{Lu}\p{Ll}{3,})(?![\p{L}\p{N}_./-])/gu;
const abbreviation = /(?<![\p{L}\p{N}_./-])(\p{Lu}{3,6})(?![\p{L}\p{N}_]|[./]\p{L})/gu;
/** Maximum number of hits of a name to read, and number of lines on either side that may contain its other words. */
const maxPlacesOfName = 20;
const adjacentLines = 1;

/**
 * The capitalised names that occur nowhere: single words that are in no file and rare in ordinary repositories, and
 * names of several words that never occur together. In a near miss of a real name, each word occurs somewhere.
 */
async function listMissingNames(
  question: string,
  asked: readonly AskedWord[],
  { material, scope }: RunContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const scopeOption = scope.text === undefined ? {} : { scope: scope.text };
  const isTogether = async (name: string): Promise<boolean> => {
    const stems = name
      .split(' ')
      .flatMap((word) => (joiningWords.has(word) ? [] : [stem(word.toLowerCase())]));
    const { hits } = await material.search.search({
      query: name,
      k: maxPlacesOfName,
      wide: true,
      signal,
      ...scopeOption,
    });
    for (const path of new Set(hits.map((hit) => hit.path))) {
      const file = await material.text.readText(path, null);
      const lines = file.kind === 'text' ? file.lines.map((line) => new Set(lineWords(line))) : [];
      const isNearby = (index: number, wordStem: string): boolean =>
        lines
          .slice(Math.max(0, index - adjacentLines), index + adjacentLines + 1)
          .some((line) => line.has(wordStem));
      const pathWords = new Set(lineWords(path));
      if (stems.every((wordStem) => pathWords.has(wordStem))) return true;
      if (
        lines.some(
          (line, index) => line.has(stems[0]!) && stems.every((wordStem) => isNearby(index, wordStem)),
        )
      )
        return true;
    }
    return false;
  };
  const missingNames: string[] = [];
  for (const name of findTitledNames(question).slice(0, maxTitledNames)) {
    if (name.includes(' ')) {
      if (!(await isTogether(name))) missingNames.push(name);
    } else if (
      asked.some(({ word, files }) => files === 0 && word === name.toLowerCase()) &&
      usualShare(name.toLowerCase()) <= rareShare
    ) {
      const found = await material.names?.find({ names: [name], signal, ...scopeOption });
      if (found?.missing.length === 1) missingNames.push(name);
    }
  }
  return missingNames;
}

/**
 * The words that the material lacks, for a question in another language. Null if the question is in English, or if the
 * material is in another language than the question.
 */
async function findForeignMisses(
  question: string,
  { material, scope, start }: RunContext,
  signal: AbortSignal,
): Promise<MissedWords | null> {
  if (isEnglish(question) && !mayBeForeign(question)) return null;
  const words = await countWords(question, { material, scope: scope.text, signal });
  const { files } = start.coverage;
  return isInLanguage(words, files) ? findMissedWords(words, files) : null;
}

const joiningWords = new Set(['of', 'for', 'and', 'the', 'to']);
const maxTitledNames = 4;

/** Whether the form of a name shows that it is code; a word in backticks may be any word. */
const isCodeName = (name: string): boolean => name.includes('_') || name !== name.toLowerCase();

export interface Answerable {
  /** If the question is unanswerable: the words that no file has. Null if it may be answerable. */
  readonly nowhere: readonly string[] | null;
  /** If the question may be answerable: the words that no file has. Absent in older runs. */
  readonly absent?: readonly string[];
}

/** Decides whether the material can answer the question, and which of its words no file has. */
export async function isAnswerable(state: ResearchState, context: RunContext): Promise<Answerable> {
  const { question } = state;
  const decided = await context.step<Answerable>('answerable', {
    evenIfStopped: true,
    deferCommit: true,
    async run(signal) {
      const { files } = context.start.coverage;
      if (files < minFiles) return { value: { nowhere: null }, record: false };
      const foreign = await findForeignMisses(question, context, signal).catch(() => null);
      if (foreign !== null) {
        const { words, isDecisive } = foreign;
        return { value: isDecisive ? { nowhere: words } : { nowhere: null, absent: words } };
      }
      const words = tellingWords(question).slice(0, maxSearches);
      if (words.length === 0 || !isEnglish(question)) return { value: { nowhere: null }, record: false };
      const scope = context.scope.text;
      const askedWords = await Promise.all(
        words.map(async (word): Promise<AskedWord> => {
          const { hits, respelled = [] } = await context.material.search.search({
            query: word,
            k: maxHits,
            wide: true,
            signal,
            ...(scope !== undefined && { scope }),
          });
          // If the search corrected a typing error, the corrected word counts. Longer words that only begin with the
          // word don't count.
          const respelling = respelled[0];
          if (respelling?.by === 'beginning') return { word, files: 0 };
          return {
            word: respelling?.read ?? word,
            files: new Set(hits.map(({ path }) => path)).size,
            isCut: hits.length >= maxHits,
          };
        }),
      ).catch(() => null);
      // A search failed, for example in a replay whose run made none, so nothing can be decided.
      if (askedWords === null) return { value: { nowhere: null }, record: false };
      const missingNames = await listMissingNames(question, askedWords, context, signal).catch(() => []);
      if (missingNames.length > 0) return { value: { nowhere: missingNames } };
      const basis = { words: askedWords, files, evidence: state.evidence };
      // The material's own name in a question doesn't make code of the material its topic.
      const ownNames = new Set(words.filter((_, at) => isOwnName(askedWords[at]!, files)));
      const namesCode =
        state.missing.length === 0 &&
        namesToLookUp(question).some(
          (name) => isCodeName(name) && !tellingWords(name).some((word) => ownNames.has(word)),
        );
      const isUnanswerable =
        unanswerable(basis) >= (namesCode ? thresholdIfNamed : threshold) ||
        absentShare(basis) >= minAbsentShare;
      const absent = words.filter((_, at) => askedWords[at]!.files === 0);
      return { value: isUnanswerable ? { nowhere: absent } : { nowhere: null, absent } };
    },
  });
  return decided.kind === 'done' ? decided.value : { nowhere: null };
}
