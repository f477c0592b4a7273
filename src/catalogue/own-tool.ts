/**
 * A tool that a program brings along. Its author says what the tool does, and leaves the rest of an entry out. Its
 * results are material like any other, and an error that it throws is a failure of that one call.
 */
import type { z } from 'zod';
import { type Capability, type Masker, messageOf, SondeError, shortLine } from '../core/index.ts';
import { formatCount } from './bounds.ts';
import type { CodeContext } from './code/code-ports.ts';
import { done, type Entry, type EntryFailed, type EntryResult, entry, failed, toLines } from './entry.ts';

/**
 * The context of a tool, besides its arguments. `idempotencyKey`: the key of the call in a conversation, for a tool
 * that changes something. The same key again means the same call, made again after a crash. Null in runs, which only
 * read.
 */
export type ToolContext = Pick<CodeContext, 'signal' | 'scope' | 'path' | 'collect' | 'idempotencyKey'>;

/** A text, lines, or as `data` a value that JSON can hold. `done` and `failed` make a result that says more. */
export type ToolOutcome = string | readonly string[] | { readonly data: unknown } | EntryResult;

export interface ToolDefinition<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** Lower case with underscores; not that of another tool. */
  readonly name: string;
  /** For a model: what it does and when it helps, in a sentence or two. */
  readonly description: string;
  readonly parameters: z.ZodObject<Shape>;
  /** The capability that the caller must have; `CodeRead` by default. */
  readonly capability?: Capability;
  /** `write` if it changes something: then only conversations can call it. `read` by default. */
  readonly effect?: 'read' | 'write';
  /** One line: what a call costs in time and size. */
  readonly cost?: string;
  readonly run: (
    args: z.output<z.ZodObject<Shape>>,
    context: ToolContext,
  ) => ToolOutcome | Promise<ToolOutcome>;
}

/** Can be passed to `ask`, `investigate`, `incident` and `chat`. */
export type OwnTool = Entry<CodeContext>;

/** Makes an entry of a tool. Throws `bad_argument` for a name that is not allowed, and for a field of a wrong kind. */
export function ownTool<Shape extends z.ZodRawShape>({
  capability = 'CodeRead',
  effect = 'read',
  cost = 'not known',
  ...definition
}: ToolDefinition<Shape>): OwnTool {
  const { name, run } = definition;
  checkDefinition(definition);
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name))
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(name)} is no name of a tool`,
      remedy: 'Take lower case letters, digits and underscores, 64 at most, a letter first.',
    });
  return entry<CodeContext, Shape>({
    ...definition,
    capability,
    effect,
    cost,
    brought: true,
    async run(args, context) {
      try {
        return toResult(await run(args, { idempotencyKey: null, ...context }));
      } catch (thrown) {
        return failed(`${name} failed: ${shortLine(messageOf(thrown), maxMessage)}`, { code: 'tool' });
      }
    },
  });
}

/** Checks the fields of a definition, since plain JavaScript has no compiler that does. */
function checkDefinition(definition: Readonly<Record<string, unknown>>): void {
  const { name, description, parameters, run } = definition;
  const { safeParse, shape } = Object(parameters) as Readonly<Record<string, unknown>>;
  const wrong =
    typeof name !== 'string'
      ? 'has no name that is a text'
      : typeof description !== 'string'
        ? 'has no description that is a text'
        : typeof safeParse !== 'function' || typeof shape !== 'object'
          ? 'has no parameters that are an object of zod, such as z.object({})'
          : typeof run !== 'function'
            ? 'has no function run'
            : null;
  if (wrong !== null)
    throw new SondeError('bad_argument', {
      message: `The tool ${typeof name === 'string' ? `${name} ` : ''}${wrong}`,
      remedy: 'It is made by tool({ name, description, parameters, run }): docs/guides/own-parts.md.',
    });
}

/** Maximum characters of a thrown error's message. */
const maxMessage = 300;

function toResult(outcome: ToolOutcome): EntryResult {
  if (typeof outcome === 'string') return listLines(toLines(outcome));
  if (isLines(outcome)) return listLines(outcome.flatMap(toLines));
  if ('kind' in outcome) return outcome;
  const { data } = outcome;
  return done({ summary: 'a value', lines: toLines(JSON.stringify(data, null, 1) ?? 'null'), data });
}

const isLines = (outcome: ToolOutcome): outcome is readonly string[] => Array.isArray(outcome);

const listLines = (lines: readonly string[]): EntryResult =>
  done({ summary: formatCount(lines.length, 'line'), lines });

/**
 * The tool as a run may use it: secrets are masked, and all of its text is inside quoted blocks. Summary and notes are
 * put among the lines, since a third party may have written them.
 */
export function guardTool(tool: OwnTool, mask: Pick<Masker, 'value'>): OwnTool {
  return entry({
    ...tool,
    async run(args, context) {
      const found = await tool.run(args, context);
      if (found.kind === 'failed') return { ...found, ...mask.value(pickTexts(found)) };
      const { summary, notes, evidence } = found;
      const isListed = found.lines.length > 0 || evidence.length === 0;
      const own = isCount(summary) || !isListed ? [] : toLines(summary);
      const lines = [...own, ...found.lines, ...notes.map((note) => `note: ${note}`)];
      return {
        ...found,
        ...mask.value({ lines, data: found.data }),
        summary: [
          ...(lines.length > 0 || evidence.length === 0 ? [formatCount(lines.length, 'line')] : []),
          ...(evidence.length > 0 ? [formatCount(evidence.length, 'piece of evidence')] : []),
        ].join(', '),
        notes: [],
        asides: [],
      };
    },
  });
}

const pickTexts = ({ message, remedy }: EntryFailed) => ({
  message,
  ...(remedy !== undefined && { remedy }),
});

const isCount = (summary: string): boolean => /^\d+ lines?$|^a value$/.test(summary);

/** Throws `bad_argument` for two tools of one name, since a model could call only one of them. */
export function checkNames(tools: readonly Pick<OwnTool, 'name'>[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined)
    throw new SondeError('bad_argument', {
      message: `There are two tools of the name ${twice}`,
      remedy: 'Give yours another name.',
    });
}

/**
 * Throws `bad_argument` for tools that a read-only run can't use: those that change something, or need a capability
 * that is not granted.
 */
export function requireReadCapability(tools: readonly OwnTool[], granted: ReadonlySet<Capability>): void {
  for (const { name, effect, capability } of tools) {
    if (effect === 'write')
      throw new SondeError('bad_argument', {
        message: `The tool ${name} changes something, and a run only looks`,
        remedy: 'Hand it to chat(), whose planner asks for one change at a time.',
      });
    if (!granted.has(capability))
      throw new SondeError('bad_argument', {
        message: `The tool ${name} needs the capability ${capability}, which a run is not granted`,
        remedy: `Allowed: ${[...granted].join(', ')}.`,
      });
  }
}
