import { planChunks } from '../../chunk/chunk.ts';
import { ChunkPlan, type LinedText } from '../../chunk/chunk-plan.ts';
import { type Kernel, openKernel } from '../../kernel/scan-kernel.ts';
import { lowered, overreach, scanStyle } from '../../kernel/scan-layout.ts';
import { byteClass, TermSplitter } from '../../tokens/tokens.ts';
import {
  type ByteSpan,
  definitionWords,
  findDefinitionStyle,
  findNameAfter,
  findNameBeforeBrace,
} from '../../tokens/tokens-definitions.ts';
import type { IndexSettings } from '../settings.ts';
import type { FileStamp } from '../stamp.ts';
import { BuilderTables } from './builder-tables.ts';
import type { Bytes } from './byte-table.ts';
import { maxPartBytes } from './file-reader.ts';
import type { GatheredSegment, GatheredTerms } from './segment-writer.ts';
import { SegmentTables } from './tables.ts';

const encoder = new TextEncoder();

/** Bytes before the content into which the kernel may read back. */
const guardBytes = 16;

/**
 * Builds an inverted index in memory, file after file. Every distinct identifier is split into terms once, and their
 * ids are stored, so the loop over the bytes does one look-up per identifier. The terms of each chunk are appended to
 * a log; at the end the log becomes posting lists.
 */
export class SegmentBuilder implements GatheredSegment {
  readonly tables = new SegmentTables();
  readonly #gathered: BuilderTables;
  readonly #kernel: Kernel;
  #content: Bytes;
  readonly #splitter: TermSplitter;
  readonly #settings: IndexSettings;
  readonly #plan = new ChunkPlan();
  readonly #span: ByteSpan = { start: 0, end: 0 };

  /** `capacity`: expected number of identifiers. `module`: the compiled kernel; by default it is compiled here. */
  constructor(settings: IndexSettings, capacity: number, module?: WebAssembly.Module) {
    this.#settings = settings;
    this.#splitter = new TermSplitter(settings.tokens);
    const gathered = new BuilderTables(capacity);
    this.#gathered = gathered;
    this.#content = this.#viewContent();
    this.#kernel = openKernel(
      gathered.memory.memory,
      {
        grow: () => {
          gathered.makeRoom(this.#kernel.place);
          return 0;
        },
        unusual: (place, start, end, first, second) => {
          const terms = this.#split(start, end);
          gathered.addIdentifier(place, end - start, [first, second], terms);
          return 0;
        },
        longRun: (start, end, weight) => this.#countLongRun(start, end, weight),
        name: (at, end) => findNameAfter(gathered.memory.bytes, at, end, byteClass),
        brace: (from, line, end) => this.#weighNameBeforeBrace(from, line, end),
      },
      module,
    );
    gathered.set('definitionWeight', settings.fields.definition);
    gathered.set('splits', settings.tokens.stemming === 'none' ? 1 : 0);
    for (const [word, role] of definitionWords) this.#addRoleWord(word, role);
  }

  /** Whether the log has reached `bytes`, so the segment must be written and another begun. */
  isFull(bytes: number): boolean {
    return this.#gathered.isFull(bytes);
  }

  /** The bytes into which the next file must be read. Valid until the next call of any method. */
  reserve(length: number): Bytes {
    const { memory, content } = this.#gathered;
    const moved = memory.grow(content, guardBytes + length + overreach);
    if (moved || this.#content.buffer !== memory.bytes.buffer) this.#content = this.#viewContent();
    return this.#content;
  }

  #viewContent(): Bytes {
    const { memory, content } = this.#gathered;
    return memory.bytes.subarray(content.at + guardBytes, content.at + content.size - overreach);
  }

  /** Indexes the first `length` bytes of the reserved buffer as a file. Returns its number of chunks. */
  addFile(path: string, length: number, stamp: FileStamp): number {
    this.tables.addFile(path, stamp);
    return this.#addPart(path, this.#findLines(length), 0);
  }

  /** Indexes a text of any length, inside or outside of the reserved buffer. */
  addText(path: string, text: Bytes, stamp: FileStamp): void {
    this.tables.addFile(path, stamp);
    if (text.buffer === this.#content.buffer) {
      this.#addPart(path, this.#findLines(text.length), 0);
      return;
    }
    let line = 0;
    for (let from = 0; from < text.length; ) {
      const part = text.subarray(from, findPartEnd(text, from));
      this.reserve(part.length).set(part);
      const lined = this.#findLines(part.length);
      this.#addPart(path, lined, line);
      line += lined.newlines;
      from += part.length;
    }
  }

  /** `before`: number of the file's lines before this part. */
  #addPart(path: string, text: LinedText, before: number): number {
    const { fields, chunks } = this.#settings;
    const { content, shortText } = this.#gathered;
    const plan = this.#plan;
    planChunks(path, text, chunks, plan);
    const pathLength = fields.path > 0 ? this.#writeShortText(path) : 0;
    const style = fields.definition > 0 ? scanStyle[findDefinitionStyle(path)] : scanStyle.none;
    let start = 0;
    for (let k = 0; k < plan.count; k++) {
      const end = plan.ends[k]!;
      let counted = this.#scan(content.at + guardBytes + start, end - start, fields.body, style);
      if (fields.path > 0) counted += this.#scan(shortText.at, pathLength, fields.path, scanStyle.none);
      const heading = plan.headings[k]!;
      if (heading !== '' && fields.heading > 0) {
        counted += this.#scan(shortText.at, this.#writeShortText(heading), fields.heading, scanStyle.none);
        this.#writeShortText(path);
      }
      this.#gathered.makeRoomForChunk();
      this.#kernel.flush(
        this.tables.addChunk(before + plan.firstLines[k]!, before + plan.lastLines[k]!, counted),
      );
      start = end;
    }
    return plan.count;
  }

  /** Finds the line ends of the content. */
  #findLines(length: number): LinedText {
    const { memory, content, lineEnds: region } = this.#gathered;
    const from = content.at + guardBytes;
    const newlines = this.#kernel.lines(from, from + length, 0);
    memory.grow(region, newlines * 4);
    this.#kernel.lines(from, from + length, region.at);
    const lineEnds = memory.words.subarray(region.at >> 2, (region.at >> 2) + newlines);
    // The memory may have grown, which detaches earlier views of it.
    return { bytes: this.reserve(length), length, lineEnds, newlines };
  }

  get terms(): GatheredTerms {
    return this.#gathered.terms;
  }

  documentFrequency(term: number): number {
    return this.#gathered.termField(term, 'documents');
  }

  byteLength(term: number): number {
    return this.#gathered.termField(term, 'bytes');
  }

  /** Encodes the postings of these terms. Called once, at the end. */
  encodePostings(order: Uint32Array): Bytes {
    const gathered = this.#gathered;
    let total = 0;
    for (const term of order) total += gathered.termField(term, 'bytes');
    const { at } = gathered.memory.allocate(total);
    let cursor = at;
    for (const term of order) {
      gathered.setTermField(term, 'cursor', cursor);
      gathered.setTermField(term, 'lastChunk', 0);
      cursor += gathered.termField(term, 'bytes');
    }
    let chunk = 0;
    for (const piece of gathered.endLog()) chunk = this.#kernel.encode(piece.start, piece.end, chunk);
    return gathered.memory.bytes.subarray(at, at + total);
  }

  /** Writes a short text to where the kernel can scan it. Returns its length in bytes. */
  #writeShortText(text: string): number {
    const { memory, shortText } = this.#gathered;
    const encoded = encoder.encode(text);
    memory.grow(shortText, encoded.length + overreach);
    memory.bytes.set(encoded, shortText.at);
    return encoded.length;
  }

  /** Adds `weight` to each term of the text at `from`. Returns the number of terms. */
  #scan(from: number, length: number, weight: number, style: number): number {
    // A text has at most as many terms as bytes.
    this.#gathered.makeRoomForTouched(length);
    return this.#kernel.scan(from, from + length, weight, style);
  }

  /** The terms of a run of word bytes. */
  #split(start: number, end: number): number[] {
    const { memory } = this.#gathered;
    const count = this.#splitter.split(memory.bytes, start, end);
    const { bytes, ends } = this.#splitter;
    return Array.from({ length: count }, (_, k) => {
      const term = bytes.subarray(ends[k]!, ends[k + 1]!);
      this.#gathered.makeRoomForTerms();
      memory.bytes.set(term, lowered);
      return this.#kernel.term(term.length);
    });
  }

  #countRun(start: number, end: number, weight: number): number {
    const terms = this.#split(start, end);
    for (const term of terms) this.#gathered.countTerm(term, weight);
    return terms.length;
  }

  /** Adds weight to the name that a line with an opening brace defines. */
  #weighNameBeforeBrace(from: number, line: number, end: number): number {
    const { bytes } = this.#gathered.memory;
    if (!findNameBeforeBrace(bytes, from, line, end, byteClass, this.#span)) return 0;
    return this.#countRun(this.#span.start, this.#span.end, this.#settings.fields.definition);
  }

  /** Counts a run that is too long for the table: text without spaces, such as Chinese. Skips ASCII, which is data. */
  #countLongRun(start: number, end: number, weight: number): number {
    const { bytes } = this.#gathered.memory;
    let i = start;
    while (i < end && bytes[i]! < 128) i++;
    return i === end ? 0 : this.#countRun(start, end, weight);
  }

  /** Stores the role of a keyword, before any file is read. */
  #addRoleWord(word: string, role: number): void {
    this.#gathered.set('role', role);
    this.#scan(this.#gathered.shortText.at, this.#writeShortText(word), 0, scanStyle.none);
    this.#gathered.set('role', 0);
    this.#gathered.set('touchedCount', 0);
  }
}

/** Ends a part after a newline if it contains one, and never within a character. */
function findPartEnd(text: Bytes, from: number): number {
  if (text.length - from <= maxPartBytes) return text.length;
  const newline = text.lastIndexOf(10, from + maxPartBytes - 1);
  if (newline > from) return newline + 1;
  let end = from + maxPartBytes;
  while ((text[end]! & 0xc0) === 0x80) end--;
  return end;
}
