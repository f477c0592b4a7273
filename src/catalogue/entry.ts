/**
 * The contract of an entry of the catalogue: one ability, written once. From it come a tool of MCP and of conversations
 * (`tools/to-tool.ts`), an action of research (`tasks/research/actions/action-of.ts`) and a helper of code in the
 * sandbox (`tasks/investigation/helpers/helper-of.ts`), each in its own form.
 *
 * An implementer must not: keep state between calls; put text of the material anywhere but into `lines`, `data` and
 * evidence (those are shown in marked blocks; `summary` and `notes` are not); take an identity from its arguments, or a
 * scope wider than that of the caller; make evidence without reading the lines again; name a tool, an action or a
 * helper outside of `asides`, which only the tool shows; or call a list complete that was cut.
 */
import type { z } from 'zod';
import type {
  AppliedWrite,
  Capability,
  Completeness,
  DerivationSource,
  Evidence,
  FoundSpan,
  ReadSpan,
  ToolCall,
  ToolErrorCode,
} from '../core/index.ts';
import { clipFact } from './bounds.ts';
import type { Scope } from './scope.ts';

/** A span that somebody claims to have found. */
export interface ClaimedSpan extends FoundSpan {
  /** For a commit: the paths it touched. One of them must be in scope. */
  readonly touches?: readonly string[];
}

export interface EntryOutput {
  readonly evidence: readonly Evidence[];
  /** One line for each find that gave no evidence, or less than it claimed. */
  readonly notes: readonly string[];
  /** At least one find gave fewer lines than it claimed. */
  readonly cut: boolean;
}

/** The context of every entry, besides its arguments. */
export interface EntryContext<Ports> {
  readonly ports: Ports;
  readonly signal?: AbortSignal;
  /**
   * The same key if the same call is made again after a crash. Null or absent if nothing in the call must be done only
   * once.
   */
  readonly idempotencyKey?: string | null;
}

/** For entries over files: the scope, and how much is wanted. */
export interface FileContext<Ports> extends EntryContext<Ports> {
  readonly scope: Scope;
  /** Maximum pieces of evidence from a listing. With 0 the listing is enough, as for programs. */
  readonly pieces: number;
  /** Maximum lines of one piece. */
  readonly pieceLines: number;
  /** Evidence that the caller holds already, oldest first. */
  readonly held: readonly Evidence[];
  /** Makes each line of a listing evidence of its own, so that it can be cited. */
  readonly citable?: boolean;
  /** Converts a path into the form that the ports use. Throws `outside_root` if the caller may not name it. */
  path(given: string, within: Scope): string;
  /** Reads the lines of finds; the only way to make evidence. */
  collect(finds: readonly ClaimedSpan[]): Promise<EntryOutput>;
}

/**
 * For entries whose result depends on the caller: who calls, the idempotency key, and what the caller has read. The
 * host fills it in.
 */
export interface CallContext<Ports> extends EntryContext<Ports> {
  readonly call: ToolCall;
}

export interface EntryDone {
  readonly kind: 'done';
  /** One line of plain facts: numbers, no text of the material. */
  readonly summary: string;
  /** The lines shown to a reader; empty if the evidence is enough. */
  readonly lines: readonly string[];
  /** The noun for the lines, in the plural. */
  readonly noun: string;
  /** Shown if there are neither lines nor evidence. */
  readonly nothing: string;
  /** The lines as a value for programs, which JSON can hold. */
  readonly data: unknown;
  /** Ids of content that the result shows whole. */
  readonly reads: readonly string[];
  /** Lines that the result shows and that are not evidence yet. */
  readonly spans: readonly ReadSpan[];
  /** The origins of the text. If empty: the content that was read, or the entry itself. */
  readonly origins: readonly string[];
  /** Set by an entry that writes. */
  readonly write: AppliedWrite | null;
  readonly deviations: readonly string[];
  /** Evidence, each piece with its hash. */
  readonly evidence: readonly Evidence[];
  readonly completeness: Completeness;
  /** Whether it stopped at its limit in a ranked list: further results are weaker, not absent. */
  readonly ranked: boolean;
  /** Notes on what was skipped, failed, cut or stale; may name paths. */
  readonly notes: readonly string[];
  /** Notes for the tool alone, whose result has room for them; may name other tools. */
  readonly asides: readonly string[];
  /** Whether the lines contain the evidence with its ids, so that it is not shown again. */
  readonly inLines: boolean;
}

/** An expected failure: the caller may ask otherwise. */
export interface EntryFailed {
  readonly kind: 'failed';
  /** One line that names the thing, and says what to do instead if there is no `remedy`. */
  readonly message: string;
  readonly remedy?: string;
  /** The kind of error, usually in the arguments. */
  readonly code?: ToolErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type EntryResult = EntryDone | EntryFailed;

/** How the parameters differ in an action of research. Keys are names of parameters. */
export interface ActionForm {
  /** Not offered to the planner; the parameter has this value, or counts as left out. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** The parameter has another name. */
  readonly renamedTo?: Readonly<Record<string, string>>;
  /** The parameter is required, although it has a default. */
  readonly required?: readonly string[];
  /** The maximum of a number. */
  readonly max?: Readonly<Record<string, number>>;
  /** Offered without a description, which would be paid for with each turn: the name says enough. */
  readonly undescribed?: readonly string[];
  /** Maximum number of lines listed. */
  readonly lines?: number;
  /** Replaces the description of the entry. */
  readonly description?: string;
}

/** The context of any entry. */
export type AnyContext = EntryContext<object>;

export interface Entry<Context extends AnyContext> {
  /** Lower case with underscores. */
  readonly name: string;
  /** For a model: what it does and when to use it, in a sentence or two. */
  readonly description: string;
  readonly parameters: z.ZodObject;
  readonly capability: Capability;
  readonly effect: 'read' | 'write';
  /** The sources of the content that the entry writes. Absent if it names none. */
  readonly derivation?: DerivationSource;
  /** Only the author in person may call it; it is not offered to agents. */
  readonly authorOnly?: true;
  /**
   * Not shown to a planner, who has other entries that do the same. A parameter is marked so by `.meta(forPrograms)`.
   */
  readonly forPrograms?: true;
  /**
   * A tool that a program passed in: its parameters are offered unchanged, and its error messages count as material.
   */
  readonly brought?: true;
  /** One line: what a call costs in time and size. */
  readonly cost: string;
  /** The ports that the entry needs. If one is absent, the entry is not offered. */
  readonly needs?: readonly (keyof Context['ports'] & string)[];
  /** Maximum pieces of evidence: for the tool, and for the action. */
  readonly pieces?: { readonly tool: number; readonly action: number };
  readonly asAction?: ActionForm;
  /** Parameters that differ in the tool. Null: the tool does not offer the parameter, which counts as left out. */
  readonly asTool?: Readonly<Record<string, z.ZodType | null>>;
  /** The arguments were checked against the parameters. */
  readonly run: (
    args: Readonly<Record<string, unknown>>,
    context: Context,
  ) => EntryResult | Promise<EntryResult>;
}

export interface EntryDefinition<Context extends AnyContext, Shape extends z.ZodRawShape>
  extends Omit<Entry<Context>, 'parameters' | 'run'> {
  readonly parameters: z.ZodObject<Shape>;
  readonly run: (args: z.output<z.ZodObject<Shape>>, context: Context) => EntryResult | Promise<EntryResult>;
}

/**
 * Freezes an entry, and drops the type of its arguments, since a catalogue holds entries with different ones. The type
 * of the parameter makes `run` fit `parameters`.
 */
export function entry<Context extends AnyContext, Shape extends z.ZodRawShape>(
  definition: EntryDefinition<Context, Shape>,
): Entry<Context> {
  return Object.freeze(definition) as unknown as Entry<Context>;
}

type ResultFields = Pick<EntryDone, 'summary'> & Partial<EntryDone>;

/** A result with defaults for every field that is not given. */
export function done(fields: ResultFields): EntryDone {
  return Object.freeze({
    kind: 'done',
    lines: [],
    noun: 'lines',
    nothing: 'Nothing.',
    data: null,
    reads: [],
    spans: [],
    origins: [],
    write: null,
    deviations: [],
    evidence: [],
    completeness: 'complete',
    ranked: false,
    asides: [],
    inLines: false,
    ...fields,
    summary: clipFact(fields.summary),
    notes: (fields.notes ?? []).map(clipFact),
  });
}

export const failed = (message: string, more: Omit<EntryFailed, 'kind' | 'message'> = {}): EntryFailed =>
  Object.freeze({ kind: 'failed', message: clipFact(message), ...more });

/** A text as the lines of a result. */
export const toLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));
