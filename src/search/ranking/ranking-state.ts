import { type MaskRecipe, masker } from '../../core/index.ts';
import type { Corpus } from '../lexical/index.ts';
import type { Snapshot } from '../lexical/read/reader.ts';
import type { Embedder, HistoryReader, RefreshOptions } from '../search.ts';
import type { VectorIndex } from '../vector/vector-index.ts';
import type { WalkLimits } from '../walk/walk-limits.ts';
import { FileFacts } from './file-facts.ts';
import { SegmentKinds } from './kinds-file.ts';
import { type LatentModel, trainLatent } from './latent.ts';
import { readLatent, writeLatent } from './latent-file.ts';
import { PastMessages } from './past.ts';
import { readPast, refreshPast } from './past-file.ts';
import { type RankedSpan, type RankingRequest, rank } from './ranker.ts';
import { type RankingWeights, rankingWeights } from './weights.ts';

export interface RankingOptions {
  readonly history?: HistoryReader;
  readonly embedder?: Embedder;
  /** The content of a document that is not a file; without it the paths are files below the root. */
  readonly readDocument?: (path: string) => string | null;
  /** How secrets in texts are masked before an embedding model gets them. Absent: they are not masked. */
  readonly mask?: MaskRecipe;
  /** Other weights, for measurements. Default: `rankingWeights`, the best ones that were measured. */
  readonly weights?: RankingWeights;
}

export interface Ranking {
  readonly spans: readonly RankedSpan[];
  /** Sentences for people: what was not used in the ranking, and why. */
  readonly notes: readonly string[];
}

interface CorpusState {
  readonly corpus: Corpus;
  readonly facts: FileFacts;
  /** Undefined until first needed. */
  latent: LatentModel | null | undefined;
}

/** Ranks the states of one index, and caches the data for it. */
export class RankingState {
  readonly #directory: string;
  readonly #weights: RankingWeights;
  readonly #history: HistoryReader | undefined;
  /** Loads the vectors of an embedding model when they are needed. */
  readonly #loadVectors: (() => Promise<VectorIndex>) | undefined;
  readonly #kinds: SegmentKinds;
  #current: CorpusState | undefined;
  /** Undefined until first needed. */
  #past: PastMessages | null | undefined;

  constructor(root: string, directory: string, options: RankingOptions) {
    const { history, embedder, weights, readDocument, mask } = options;
    this.#directory = directory;
    this.#weights = weights ?? rankingWeights;
    this.#history = history;
    this.#kinds = new SegmentKinds(directory);
    if (embedder !== undefined) {
      let loading: Promise<VectorIndex> | undefined;
      const load = async (): Promise<VectorIndex> => {
        const [{ documentContents, fileContents }, { VectorIndex }] = await Promise.all([
          import('../vector/chunk-texts.ts'),
          import('../vector/vector-index.ts'),
        ]);
        const contents = (limits: WalkLimits) =>
          readDocument === undefined ? fileContents(root, limits) : documentContents(readDocument);
        return new VectorIndex(contents, directory, embedder, mask && masker(mask).text);
      };
      this.#loadVectors = () => {
        loading ??= load();
        return loading;
      };
    }
  }

  /**
   * Updates the files for ranking to the state of the index. Returns notes: a failure here never prevents a search.
   */
  async refresh(snapshot: Snapshot, options: RefreshOptions, isHistoryUnchanged = false): Promise<string[]> {
    const notes: string[] = [];
    // A caller that names the paths that it wrote expects a quick refresh, and has made no commit.
    const isQuick = options.paths !== undefined;
    if (!isQuick) this.#kinds.save(snapshot);
    const hasCurrentHistory = isHistoryUnchanged && this.#loadPast() !== null;
    if (this.#history !== undefined && !isQuick && !hasCurrentHistory) {
      notes.push(...(await refreshPast(this.#directory, this.#history, options)));
      this.#past = undefined;
    }
    if (this.#loadVectors !== undefined)
      notes.push(...(await (await this.#loadVectors()).refresh(snapshot, options)));
    else this.#trainLatent(snapshot, options);
    return notes;
  }

  async rank(
    snapshot: Snapshot,
    request: Omit<RankingRequest, 'vector'>,
    signal?: AbortSignal,
  ): Promise<Ranking> {
    const { corpus } = snapshot;
    const queryVector = await (await this.#loadVectors?.())?.query(snapshot, request.query, signal);
    const cosines = queryVector?.cosines ?? null;
    const { facts } = this.#stateOf(snapshot);
    const data = { corpus, facts, past: this.#loadPast(), latent: this.#loadLatent(snapshot) };
    const spans = rank(data, { ...request, ...(cosines !== null && { vector: cosines }) }, this.#weights);
    return { spans, notes: queryVector?.notes ?? [] };
  }

  /** Whether the tree is a repository of code, neither prose nor a collection of small pieces. */
  isRepository(snapshot: Snapshot): boolean {
    return this.#stateOf(snapshot).facts.material === 'repository';
  }

  #stateOf(snapshot: Snapshot): CorpusState {
    const { corpus } = snapshot;
    if (this.#current?.corpus !== corpus) {
      this.#current = {
        corpus,
        facts: new FileFacts(corpus, this.#kinds.readKinds(snapshot)),
        latent: undefined,
      };
    }
    return this.#current;
  }

  #loadPast(): PastMessages | null {
    if (this.#history === undefined || this.#weights.history === 0) return null;
    if (this.#past === undefined) {
      const past = readPast(this.#directory);
      this.#past = past === null ? null : new PastMessages(past.digest);
    }
    return this.#past;
  }

  /** Loads the model for a state of the index from the stored basis. Trains nothing. */
  #loadLatent(snapshot: Snapshot): LatentModel | null {
    const { corpus } = snapshot;
    const current = this.#stateOf(snapshot);
    if (current.latent === undefined) {
      const basis = this.#wantsLatent(current) ? readLatent(this.#directory) : null;
      current.latent = basis === null ? null : trainLatent(corpus, basis, 'as it is');
    }
    return current.latent;
  }

  #trainLatent(snapshot: Snapshot, { onProgress }: RefreshOptions): void {
    const { corpus } = snapshot;
    const current = this.#stateOf(snapshot);
    if (current.latent !== undefined || !this.#wantsLatent(current)) return;
    const total = corpus.liveChunks;
    onProgress?.({ phase: 'vectors', done: 0, total });
    const storedBasis = readLatent(this.#directory);
    current.latent = trainLatent(corpus, storedBasis);
    const basis = current.latent?.basis;
    if (basis !== undefined && basis.chunks !== storedBasis?.chunks) writeLatent(this.#directory, basis);
    onProgress?.({ phase: 'vectors', done: total, total });
  }

  #wantsLatent({ facts }: CorpusState): boolean {
    return this.#weights.latent > 0 && this.#loadVectors === undefined && facts.material !== 'repository';
  }
}
