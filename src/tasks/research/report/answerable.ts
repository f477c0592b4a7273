/**
 * Decides, without a model, whether the finds can answer the question at all. A question of another domain matches
 * scattered words; an answerable one has its telling words together in one piece of evidence.
 */
import { readFileSync } from 'node:fs';
import type { Evidence } from '../../../core/index.ts';
import { lineWords } from '../lines/telling-lines.ts';
import { namesToLookUp, parts, stem, termsOf } from '../lines/terms.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState } from '../state.ts';
import { countWords, isInLanguage, type MissedWords, mayBeForeign, missedWords } from './carrying-words.ts';

/** A word of the question, and the number of files that contain it. */
export interface AskedWord {
  readonly word: string;
  readonly files: number;
  /** There are more files than were counted. */
  readonly isCut?: boolean;
}

export interface Basis {
  readonly words: readonly AskedWord[];
  /** The number of files in the material. */
  readonly files: number;
  readonly evidence: readonly Pick<Evidence, 'file_path' | 'content'>[];
}

/** The inputs of the model. Words weigh by what they tell: one that any repository has tells nothing. */
export interface AnswerSigns {
  /** The share of the question's words that the best piece of evidence contains. */
  readonly held: number;
  /**
   * How much more common the question's words are here than in an ordinary repository: the logarithm of the ratio. The
   * words of a topic are common where the material is about it, and rare or missing elsewhere.
   */
  readonly lift: number;
}

/**
 * A logistic model, trained on 140 questions about 15 repositories, each asked in its own and in three of the others
 * (bench/nothing.ts lists its errors). The number of words is not an input: users ask in longer sentences than the
 * authors of the training questions, and a quarter of their questions was wrongly refused.
 */
const weights = { bias: 5.83, held: -7.91, lift: -1.81 } as const;
/** From this value on, the question counts as unanswerable. */
const threshold = 0.65;
/** The same for a question that names code which is here: it is about that, however its other words are met. */
const thresholdNamed = 0.85;
/** From this share of the question's words on, by what they tell, absent words are its subject. */
const absentSubject = 0.4;

/** How likely it is, from 0 to 1, that the evidence can't answer the question. */
export function unanswerable(basis: Basis): number {
  if (basis.words.length === 0) return 0;
  const { held, lift } = signsOf(basis);
  const score = weights.bias + weights.held * held + weights.lift * lift;
  return 1 / (1 + Math.exp(-score));
}

/**
 * The share of the question's words, by what they tell, that no file has. A name that is everywhere here and nowhere
 * else is the material's own, and tells nothing of the subject.
 */
export function absentShare({ words, files }: Pick<Basis, 'words' | 'files'>): number {
  const weightOf = (some: readonly AskedWord[]): number =>
    some.reduce((whole, { word }) => whole - Math.log(usualShare(word)), 0);
  const about = words.filter((one) => !isOwnName(one, files));
  return about.length === 0 ? 0 : weightOf(about.filter((one) => one.files === 0)) / weightOf(about);
}

const isOwnName = ({ word, files: having }: AskedWord, files: number): boolean =>
  usualShare(word) <= rareShare && having >= ownNameShare * files;
const ownNameShare = 0.3;

export function signsOf({ words, files, evidence }: Basis): AnswerSigns {
  const asked = words.map(({ word, files: having, isCut = false }) => {
    const usual = usualShare(word);
    const share = (having + 0.3) / (files + 1);
    return {
      stem: stem(word),
      weight: -Math.log(usual),
      lift: Math.log((isCut ? Math.max(share, usual) : share) / usual),
    };
  });
  const all = sum(asked);
  const pieces = evidence.map((item) => new Set(lineWords(`${item.file_path} ${item.content}`)));
  return {
    held: Math.max(0, ...pieces.map((piece) => sum(asked.filter((one) => piece.has(one.stem))) / all)),
    lift: asked.reduce((whole, { weight, lift }) => whole + weight * lift, 0) / all,
  };
}

const sum = (asked: readonly { readonly weight: number }[]): number =>
  asked.reduce((whole, { weight }) => whole + weight, 0);

let known: ReadonlyMap<string, number> | null = null;

/**
 * The shares of words by their stems, out of the table that `bench/learn-words.ts` wrote. It is read when it is needed.
 */
function readShares(): ReadonlyMap<string, number> {
  if (known !== null) return known;
  const table = readFileSync(new URL('../lines/word-shares.json', import.meta.url), 'utf8');
  known = new Map(
    Object.entries(JSON.parse(table) as Readonly<Record<string, string>>).flatMap(([share, stems]) =>
      stems.split(' ').map((one) => [one, Number(share)] as const),
    ),
  );
  return known;
}

/** The share of a word that the table has not: rarer than all in it. */
const rareShare = 0.002;
/** The share of a word of one or two letters, which the table has not: it may be part of anything. */
const shortShare = 0.3;

/** In which share of the files of an ordinary repository the word occurs. */
const usualShare = (word: string): number =>
  word.length < 3 ? shortShare : (readShares().get(stem(word)) ?? rareShare);

/**
 * Words that say how something is asked, and ordinary words that name nothing in a program. They are not counted: an
 * answer need not contain them, and their absence says nothing. With this list 2 of 90 questions are refused, without
 * it 7. Of the same 90 questions, asked in another repository, 48 and 50 are refused. The list was written with some of
 * these questions in view.
 */
const asking = new Set(
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

/** Words that tell the topic of a question, as written, each once. */
export function tellingWords(question: string): readonly string[] {
  const found = new Map<string, string>();
  // Pasted text is the asker's own, not the topic.
  const prose = question.replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gmu, '\n');
  for (const [token] of prose.matchAll(/[\p{L}\p{N}_$]+/gu))
    for (const part of parts(token)) {
      const [term] = termsOf(part);
      if (term !== undefined && !asking.has(part) && !found.has(term)) found.set(term, part);
    }
  return [...found.values()];
}

const english =
  /\b(?:the|an|is|are|was|were|does|do|did|how|what|which|where|who|why|when|of|to|and|can|should|with|for|from|in)\b/gi;
const others =
  /\b(?:der|die|das|den|dem|ein|eine|einen|wie|wird|werden|welche\w*|ist|sind|und|nicht|wo|warum|wann|wer|von|zu|mit|für|im|el|los|las|una|como|cómo|qué|cuál|dónde|está|por|para|del|le|les|des|une|est|sont|quel\w*|comment|où|pourquoi|dans|avec|il|lo|gli|che|come|dove|quale|het|een|hoe|waar|wordt|zijn|som|och|hur|jak|gdzie|como|onde|qual|não)\b/giu;

/**
 * Whether the question is in English. Words of another language do not occur in the material anyway, so that their
 * absence proves nothing.
 */
export function isEnglish(question: string): boolean {
  const letters = question.match(/\p{L}/gu)?.length ?? 0;
  const latin = question.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters > latin * 1.2) return false;
  return (question.match(others)?.length ?? 0) <= (question.match(english)?.length ?? 0);
}

/** Minimum number of files. In smaller material rarity means nothing; the model was trained on sixty files and more. */
const minFiles = 20;
/** Maximum number of words to search for. More words cost more searches, and hardly change the result. */
const maxSearches = 8;
const maxHits = 300;

/**
 * Names of a question that are written with capitals: `the Winter Leave Programme`, of two words and more behind an
 * article, single words that do not begin a sentence, and abbreviations such as `AES`.
 */
export function titledNames(question: string): readonly string[] {
  const prose = question.replace(/`[^`]*`|"[^"]*"/g, ' ');
  const names = [...prose.matchAll(titled)].map(([, name]) => name!);
  const single = [...prose.matchAll(capital), ...prose.matchAll(abbreviation)].map(([, name]) => name!);
  return [...new Set([...names, ...single.filter((one) => !names.some((name) => name.includes(one)))])];
}

const titled =
  /\b(?:the|an?|our|your|this|that|its) (\p{Lu}\p{Ll}[\p{L}\p{N}]*(?: (?:(?:of|for|and|the|to) )?\p{Lu}\p{Ll}[\p{L}\p{N}]*){1,4})/gu;
const capital = /(?<=[\p{Ll},] )(\p{Lu}\p{Ll}{3,})(?![\p{L}\p{N}_./-])/gu;
const abbreviation = /(?<![\p{L}\p{N}_./-])(\p{Lu}{3,6})(?![\p{L}\p{N}_]|[./]\p{L})/gu;
/** How many of the best places of a name are looked at, and how many lines beside a line count with it. */
const placesOfName = 20;
const linesBeside = 1;

/**
 * The capitalised names that stand nowhere: single words that are in no file and in no ordinary repository, and names
 * of several words whose words are never together. A near miss of a real name has each of its words somewhere.
 */
async function strangeNames(
  question: string,
  asked: readonly AskedWord[],
  { material, scope }: RunContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const within = scope.text === undefined ? {} : { scope: scope.text };
  const isTogether = async (name: string): Promise<boolean> => {
    const stems = name.split(' ').flatMap((word) => (joins.has(word) ? [] : [stem(word.toLowerCase())]));
    const { hits } = await material.search.search({
      query: name,
      k: placesOfName,
      wide: true,
      signal,
      ...within,
    });
    for (const path of new Set(hits.map((hit) => hit.path))) {
      const file = await material.text.readText(path, null);
      const lines = file.kind === 'text' ? file.lines.map((line) => new Set(lineWords(line))) : [];
      const holds = (at: number, one: string): boolean =>
        lines.slice(Math.max(0, at - linesBeside), at + linesBeside + 1).some((line) => line.has(one));
      const named = new Set(lineWords(path));
      if (stems.every((one) => named.has(one))) return true;
      if (lines.some((line, at) => line.has(stems[0]!) && stems.every((one) => holds(at, one)))) return true;
    }
    return false;
  };
  const strange: string[] = [];
  for (const name of titledNames(question).slice(0, maxTitled)) {
    if (name.includes(' ')) {
      if (!(await isTogether(name))) strange.push(name);
    } else if (
      asked.some(({ word, files }) => files === 0 && word === name.toLowerCase()) &&
      usualShare(name.toLowerCase()) <= rareShare
    ) {
      const found = await material.names?.find({ names: [name], signal, ...within });
      if (found?.missing.length === 1) strange.push(name);
    }
  }
  return strange;
}

/** Null if the question is in English, or the material is in another language than the question. */
async function foreignWords(
  question: string,
  { material, scope, start }: RunContext,
  signal: AbortSignal,
): Promise<MissedWords | null> {
  if (isEnglish(question) && !mayBeForeign(question)) return null;
  const words = await countWords(question, { material, scope: scope.text, signal });
  const { files } = start.coverage;
  return isInLanguage(words, files) ? missedWords(words, files) : null;
}

const joins = new Set(['of', 'for', 'and', 'the', 'to']);
const maxTitled = 4;

/** Whether its form shows that it is a name: a word in backticks may be any. */
const isCodeName = (name: string): boolean => name.includes('_') || name !== name.toLowerCase();

export interface Answerable {
  /** The words that no file has if the question is unanswerable; null if it may be answered or nothing can be said. */
  readonly nowhere: readonly string[] | null;
  /** The same of a question that may be answered. Runs from before have none. */
  readonly absent?: readonly string[];
}

/** Whether the material can answer the question, and which of its words no file has. */
export async function isAnswerable(state: ResearchState, context: RunContext): Promise<Answerable> {
  const { question } = state;
  const decided = await context.step<Answerable>('answerable', {
    evenIfStopped: true,
    cheap: true,
    async run(signal) {
      const { files } = context.start.coverage;
      if (files < minFiles) return { value: { nowhere: null }, record: false };
      const foreign = await foreignWords(question, context, signal).catch(() => null);
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
          // If the search read another word in place of a typing error, that word counts. Words that only begin with
          // the word that was asked are others.
          const read = respelled[0];
          if (read?.by === 'beginning') return { word, files: 0 };
          return {
            word: read?.read ?? word,
            files: new Set(hits.map(({ path }) => path)).size,
            isCut: hits.length >= maxHits,
          };
        }),
      ).catch(() => null);
      // A search failed, for example in a replay whose run made none: then nothing is known.
      if (askedWords === null) return { value: { nowhere: null }, record: false };
      const strange = await strangeNames(question, askedWords, context, signal).catch(() => []);
      if (strange.length > 0) return { value: { nowhere: strange } };
      const basis = { words: askedWords, files, evidence: state.evidence };
      // What the material is called is named without being the subject.
      const own = new Set(words.filter((_, at) => isOwnName(askedWords[at]!, files)));
      const isNamed =
        state.missing.length === 0 &&
        namesToLookUp(question).some(
          (name) => isCodeName(name) && !tellingWords(name).some((word) => own.has(word)),
        );
      const isNowhere =
        unanswerable(basis) >= (isNamed ? thresholdNamed : threshold) || absentShare(basis) >= absentSubject;
      const absent = words.filter((_, at) => askedWords[at]!.files === 0);
      return { value: isNowhere ? { nowhere: absent } : { nowhere: null, absent } };
    },
  });
  return decided.kind === 'done' ? decided.value : { nowhere: null };
}
