/**
 * The contract of a helper: a function of the host that sandboxed code may call. Its answer is recorded before the code
 * receives it, so that the same cell always gets the same answers. A helper must not: trust an argument, throw anything
 * but a `SondeError` for an expected failure (the code receives its message and its code), read anything outside its
 * scope, or keep anything except through its gains.
 */
import { SondeError } from '../../../core/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import type { Gains } from '../state.ts';

/** The running cell, as its helpers see it. */
export interface RunningCell {
  /** `root/t2.1` */
  readonly key: string;
  /** The position in the tree, for names of nested investigations: `2.1`. */
  readonly label: string;
  /** The step, for the log. */
  readonly step: number;
  /** True in the last turn of the investigation. */
  readonly last: boolean;
  /** Gains of the investigation so far, including those of the running cell. */
  readonly gains: () => Gains;
}

export interface HelperCall {
  readonly runContext: RunContext;
  readonly place: TreeNode;
  readonly cell: RunningCell;
  /** Key of this call: unique within the run, and the same if the cell runs again. */
  readonly key: string;
  /** Number of the call within the cell, from 1. */
  readonly number: number;
  readonly signal: AbortSignal;
}

export interface HelperReply {
  /** A value that JSON can hold. */
  readonly value: Value;
  readonly gains?: Partial<Gains>;
  /** One line for the log. */
  readonly summary: string;
}

export type Arguments = Readonly<Record<string, unknown>>;
export type Helper = (args: Arguments, call: HelperCall) => HelperReply | Promise<HelperReply>;

export function refuse(message: string, remedy?: string): never {
  throw new SondeError('bad_argument', { message, ...(remedy !== undefined && { remedy }) });
}

export function textArgument(args: Arguments, name: string, max: number): string {
  const value = args[name];
  if (typeof value !== 'string') refuse(`${name} is ${pythonTypeOf(value)}: give a text, such as str(...)`);
  if (value.trim() === '') refuse(`${name} is empty`);
  if (value.length > max) refuse(`${name} has ${value.length} characters, where ${max} are allowed`);
  return value;
}

/** Reads a whole number; null if the argument is absent. */
export function wholeArgument(args: Arguments, name: string, min: number, max: number): number | null {
  const value = args[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    refuse(`${name} is a whole number from ${min} to ${max}`);
  return value;
}

export function textsArgument(
  args: Arguments,
  name: string,
  max: number,
  maxLength: number,
): readonly string[] {
  const value = args[name];
  if (!Array.isArray(value) || value.length === 0) refuse(`${name} is a list of texts`);
  if (value.length > max) refuse(`${name} has ${value.length} items, where ${max} are allowed`);
  return value.map((item, index) => {
    const itemName = value.length === 1 ? name.replace(/s$/, '') : `item ${index} of ${name}`;
    return textArgument({ [itemName]: item }, itemName, maxLength);
  });
}

/** The name of a value's type in Python, with its article. */
function pythonTypeOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return 'a bool';
  return typeof value === 'object' ? 'a dict' : 'a number';
}

/** Checks that a value from the guest is JSON, and copies it. Throws `bad_argument` for anything else. */
export function plainValue(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse('a number that is not finite can’t be passed to the host');
    return value;
  }
  if (depth > 60) refuse('the value is nested too deep');
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1));
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainValue(item, depth + 1)]));
  return refuse(
    'only texts, numbers, True, False, None, lists and dicts with texts as keys can be passed to the host',
  );
}
