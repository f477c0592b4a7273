import { type Region, RegionMemory } from '../../kernel/region-memory.ts';
import {
  firstFree,
  header,
  identifierBytes,
  maxTerms,
  overreach,
  termRecord,
  termRecordBytes,
} from '../../kernel/scan-layout.ts';
import { maxRun } from '../../tokens/tokens.ts';
import { maxStrings, nextPowerOfTwo, tagMask } from './byte-table.ts';
import type { GatheredTerms } from './segment-writer.ts';

/** Size of a piece of the log, in bytes. It grows piece by piece, so its entries never move. */
const logPieceBytes = 1 << 22;
/** Bytes of a term's record: hash, offset in the pool, length, and four unused bytes. */
const stringBytes = 16;
/** Load factor at which a hash table is doubled. */
const maxLoad = 0.7;
/** Room is kept for two identifiers: the one being added, and the next. */
const spareIdentifiers = 2;

interface LogPiece {
  readonly start: number;
  end: number;
  readonly limit: number;
}

/** The tables of a builder, in the memory that it shares with the WebAssembly kernel. They grow as needed. */
export class BuilderTables {
  readonly memory: RegionMemory;
  /** The content of the current file, and a short text: its path or a heading. */
  readonly content: Region;
  readonly shortText: Region;
  /** For each line of the file, the offset of its end. */
  readonly lineEnds: Region;
  /** Hash table of identifiers; doubled as it fills. */
  #identifiers: Region;
  /** The terms of identifiers with several terms. A single term is in the identifier's record. */
  readonly #parts: Region;
  /** Hash table of terms; doubled as it fills. */
  #slots: Region;
  readonly #strings: Region;
  readonly #pool: Region;
  readonly #records: Region;
  /** For each term, its frequency in the current chunk. */
  readonly #frequencies: Region;
  /** Terms of the current chunk. */
  readonly #touched: Region;
  readonly #log: LogPiece[] = [];

  /** `capacity`: identifiers expected. */
  constructor(capacity: number) {
    // The initial sizes may be large: the system provides memory only when it is written to.
    const terms = capacity * 3;
    const memory = new RegionMemory(firstFree, capacity * 240 + 8 * logPieceBytes);
    this.memory = memory;
    this.content = memory.allocate(1 << 20);
    this.shortText = memory.allocate(1 << 12);
    this.lineEnds = memory.allocate(1 << 18);
    this.#identifiers = memory.allocate(nextPowerOfTwo(capacity * 2) * identifierBytes);
    this.#parts = memory.allocate(terms * 8);
    this.#slots = memory.allocate(nextPowerOfTwo(capacity * 2) * 4);
    this.#strings = memory.allocate(terms * stringBytes);
    this.#pool = memory.allocate(terms * 16 + overreach);
    this.#records = memory.allocate(terms * termRecordBytes);
    this.#frequencies = memory.allocate(terms * 2);
    this.#touched = memory.allocate(1 << 16);
    this.set('partCount', 1);
    this.set('nextTerm', 1);
    this.#share();
  }

  get(name: keyof typeof header): number {
    return this.memory.words[header[name] >> 2]!;
  }

  set(name: keyof typeof header, value: number): void {
    this.memory.words[header[name] >> 2] = value;
  }

  /** The views are valid until the memory grows. */
  get terms(): GatheredTerms {
    const { bytes, words } = this.memory;
    return {
      next: this.get('nextTerm'),
      records: words.subarray(this.#strings.at >> 2),
      pool: bytes.subarray(this.#pool.at),
    };
  }

  /** A field of the term's record about its postings. */
  termField(term: number, field: keyof typeof termRecord): number {
    return this.memory.words[this.#recordWord(term, field)]!;
  }

  setTermField(term: number, field: keyof typeof termRecord, value: number): void {
    this.memory.words[this.#recordWord(term, field)] = value;
  }

  #recordWord(term: number, field: keyof typeof termRecord): number {
    return (this.#records.at + term * termRecordBytes + termRecord[field]) >> 2;
  }

  /** Whether the log has this many bytes, or the tables half as many strings as they can hold. */
  isFull(bytes: number): boolean {
    const strings = Math.max(this.get('identifierCount'), this.get('nextTerm'));
    return this.#log.length * logPieceBytes >= bytes || strings >= maxStrings / 2;
  }

  /** Makes room for one identifier and its terms. `place` returns the free record for a first hash. */
  makeRoom(place: (first: number) => number): void {
    this.memory.grow(this.#parts, (this.get('partCount') + spareIdentifiers * maxTerms) * 4);
    const identifiers = this.get('identifierCount') + spareIdentifiers;
    if (identifiers * identifierBytes > maxLoad * this.#identifiers.size) this.#enlarge(place);
    this.makeRoomForTerms();
  }

  /** Makes room for terms only: the table of identifiers does not move. */
  makeRoomForTerms(): void {
    const { memory } = this;
    const terms = this.get('nextTerm') + spareIdentifiers * maxTerms;
    memory.grow(this.#strings, terms * stringBytes);
    memory.grow(this.#records, terms * termRecordBytes);
    memory.grow(this.#frequencies, terms * 2);
    memory.grow(this.#pool, this.get('poolLength') + spareIdentifiers * maxTerms * maxRun);
    if (terms * 4 > maxLoad * this.#slots.size) this.#enlargeSlots();
    this.#share();
  }

  /** Makes room for this many more terms in the current chunk. */
  makeRoomForTouched(terms: number): void {
    if (this.memory.grow(this.#touched, (this.get('touchedCount') + terms) * 4)) this.#share();
  }

  /** Counts a term in the current chunk, as the kernel does. */
  countTerm(term: number, weight: number): void {
    const { halves, words } = this.memory;
    const at = (this.#frequencies.at >> 1) + term;
    if (halves[at] === 0) {
      const count = this.get('touchedCount');
      words[(this.#touched.at >> 2) + count] = term;
      this.set('touchedCount', count + 1);
    }
    halves[at] = Math.min(halves[at]! + weight, 0xffff);
  }

  /** Writes the record of an identifier of `length` bytes at `place`. */
  addIdentifier(
    place: number,
    length: number,
    hashes: readonly [number, number],
    terms: readonly number[],
  ): void {
    const first = this.get('partCount');
    if (terms.length !== 1) {
      this.memory.grow(this.#parts, (first + terms.length + spareIdentifiers * maxTerms) * 4);
      this.memory.words.set(terms, (this.#parts.at >> 2) + first);
      this.set('partCount', first + terms.length);
      this.#share();
    }
    const info = length | (terms.length << 8) | (this.get('role') << 16);
    this.memory.words.set([...hashes, info, terms.length === 1 ? terms[0]! : first], place >> 2);
    this.set('identifierCount', this.get('identifierCount') + 1);
  }

  /** Makes room in the log for the current chunk. */
  makeRoomForChunk(): void {
    const bytes = (this.get('touchedCount') + 1) * 4;
    const piece = this.#log.at(-1);
    if (piece !== undefined && this.get('logEnd') + bytes <= piece.limit) return;
    this.#endPiece();
    const { at, size } = this.memory.allocate(Math.max(logPieceBytes, bytes));
    this.#log.push({ start: at, end: at, limit: at + size });
    this.set('logEnd', at);
  }

  /** Ends the log and returns its pieces. */
  endLog(): readonly Readonly<LogPiece>[] {
    this.#endPiece();
    return this.#log;
  }

  #endPiece(): void {
    const piece = this.#log.at(-1);
    if (piece !== undefined) piece.end = this.get('logEnd');
  }

  /** Tells the kernel the addresses and limits of the tables. */
  #share(): void {
    this.set('identifiers', this.#identifiers.at);
    this.set('identifierMask', this.#identifiers.size - 1);
    this.set('identifierLimit', (maxLoad * this.#identifiers.size) / identifierBytes - 1);
    this.set('parts', this.#parts.at);
    this.set('partLimit', this.#parts.size / 4 - maxTerms);
    this.set('termSlots', this.#slots.at);
    this.set('termSlotMask', this.#slots.size / 4 - 1);
    this.set('termStrings', this.#strings.at);
    this.set('pool', this.#pool.at);
    this.set('poolLimit', this.#pool.size - maxTerms * maxRun);
    this.set('terms', this.#records.at);
    this.set('frequencies', this.#frequencies.at);
    this.set('termLimit', this.#termLimit() - maxTerms);
    this.set('touched', this.#touched.at);
  }

  #termLimit(): number {
    return Math.min(
      (maxLoad * this.#slots.size) / 4,
      this.#strings.size / stringBytes,
      this.#records.size / termRecordBytes,
      this.#frequencies.size / 2,
    );
  }

  #enlarge(place: (first: number) => number): void {
    const { at: from, size } = this.#identifiers;
    this.#identifiers = this.memory.allocate(size * 2);
    this.#share();
    const { words } = this.memory;
    for (let record = from; record < from + size; record += identifierBytes) {
      if (words[(record + 8) >> 2] === 0) continue;
      const to = place(words[record >> 2]!);
      words.copyWithin(to >> 2, record >> 2, (record + identifierBytes) >> 2);
    }
  }

  #enlargeSlots(): void {
    this.#slots = this.memory.allocate(this.#slots.size * 2);
    const { words } = this.memory;
    const slots = this.#slots.at >> 2;
    const mask = this.#slots.size / 4 - 1;
    const strings = this.#strings.at >> 2;
    const next = this.get('nextTerm');
    for (let term = 1; term < next; term++) {
      const hash = words[strings + term * 4]!;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (words[slots + slot] !== 0) slot = (slot + 1) & mask;
      words[slots + slot] = term | (hash & tagMask);
    }
  }
}
