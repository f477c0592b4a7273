/**
 * The contract of an entry of the catalogue: one ability over material, written once. From it come a tool of MCP and
 * of conversations (`tools/code/tool-of.ts`) and an action of research (`tasks/research/actions/action-of.ts`), each in
 * its own form.
 *
 * An implementer must not: keep state between calls, put text of the material anywhere but into `lines`, `data` and
 * evidence (those are shown in marked blocks; `summary` and `notes` are not), take a scope from its arguments that
 * reaches further than that of who asks, make evidence but by `collect`, or call a list complete that was cut.
 */
import type { z } from 'zod';
import type { Capability, Completeness, Evidence, FoundSpan } from '../core/index.ts';
import type { Scope } from './scope.ts';

/** A span that somebody claims to have found. */
export interface Find extends FoundSpan {
  /** For a commit: the paths it touched. One of them must be in scope. */
  readonly touches?: readonly string[];
}

export interface Collected {
  readonly evidence: readonly Evidence[];
  /** One line for each find that gave none, or less than it claimed. */
  readonly notes: readonly string[];
  /** Of one of them less was read than there is. */
  readonly cut: boolean;
}

/** Who asks, as an entry sees it. */
export interface EntryContext<Ports> {
  readonly ports: Ports;
  readonly scope: Scope;
  /** Pieces of evidence that are wanted of a listing; 0: the listing is enough. */
  readonly pieces: number;
  /** Most lines of one piece. */
  readonly pieceLines: number;
  /** Evidence that the caller holds already, oldest first. */
  readonly held: readonly Evidence[];
  readonly signal?: AbortSignal;
  /** A path as the ports know it. Throws `outside_root` where the caller may not name it. */
  path(given: string, within: Scope): string;
  /** Reads the lines of what was found; the only way to evidence. */
  collect(finds: readonly Find[]): Promise<Collected>;
}

export interface EntryDone {
  readonly kind: 'done';
  /** One line of plain facts: numbers, no text of the material. */
  readonly summary: string;
  /** What a reader is shown, a line each; empty where the evidence says it all. */
  readonly lines: readonly string[];
  /** What the lines are, in the plural. */
  readonly noun: string;
  /** Said in place of lines and evidence where there are none. */
  readonly nothing: string;
  /** The same for programs: a value that JSON can hold. */
  readonly data: unknown;
  /** Ids of content that it shows whole. */
  readonly reads: readonly string[];
  /** The spans that were read stand in it, each with its hash. */
  readonly evidence: readonly Evidence[];
  readonly completeness: Completeness;
  /** Ends where it was told to: what comes after is weaker, not absent. */
  readonly ranked: boolean;
  /** What was skipped, failed, cut or stale; may name paths. */
  readonly notes: readonly string[];
}

/** An expected failure: the caller may ask otherwise. */
export interface EntryFailed {
  readonly kind: 'failed';
  /** One line naming the thing, and what to do instead. */
  readonly message: string;
}

export type EntryResult = EntryDone | EntryFailed;

/** How the parameters look as an action of research, where that differs. Names are those of the parameters. */
export interface ActionForm {
  /** Not offered to the planner; with these values, or as if left out. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Under another name. */
  readonly called?: Readonly<Record<string, string>>;
  /** Asked for, though a default is there. */
  readonly required?: readonly string[];
  /** Numbers that may not be larger. */
  readonly max?: Readonly<Record<string, number>>;
  /** Lines that are listed. */
  readonly lines?: number;
}

export interface Entry<Ports = never> {
  /** Lower case with underscores. */
  readonly name: string;
  /** For a model: what it does and when it helps, in a sentence or two. */
  readonly description: string;
  readonly parameters: z.ZodObject;
  readonly capability: Capability;
  readonly effect: 'read' | 'write';
  /** One line: what a call costs in time and size. */
  readonly cost: string;
  /** Ports without which it is not offered. */
  readonly needs: readonly (keyof Ports & string)[];
  /** Pieces of evidence as a tool, and as an action. */
  readonly pieces: { readonly tool: number; readonly action: number };
  readonly asAction?: ActionForm;
  /** The arguments were checked against the parameters. */
  run(args: Readonly<Record<string, unknown>>, context: EntryContext<Ports>): Promise<EntryResult>;
}

export interface EntryDefinition<Ports, Shape extends z.ZodRawShape>
  extends Omit<Entry<Ports>, 'parameters' | 'run'> {
  readonly parameters: z.ZodObject<Shape>;
  run(args: z.output<z.ZodObject<Shape>>, context: EntryContext<Ports>): Promise<EntryResult>;
}

/** Checks an entry's parts against each other, and forgets the type of its arguments: a catalogue holds many. */
export function entry<Ports, Shape extends z.ZodRawShape>(
  definition: EntryDefinition<Ports, Shape>,
): Entry<Ports> {
  return Object.freeze(definition) as unknown as Entry<Ports>;
}

type Told = Pick<EntryDone, 'summary'> & Partial<EntryDone>;

/** A result of which only what there is to say has to be said. */
export function done(told: Told): EntryDone {
  return Object.freeze({
    kind: 'done',
    lines: [],
    noun: 'lines',
    nothing: 'Nothing.',
    data: null,
    reads: [],
    evidence: [],
    completeness: 'complete',
    ranked: false,
    notes: [],
    ...told,
  });
}

export const failed = (message: string): EntryFailed => Object.freeze({ kind: 'failed', message });
