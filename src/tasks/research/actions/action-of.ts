/** Turns an entry of the catalogue into an action of research, with the parameters that a planner is offered. */
import { z } from 'zod';
import {
  type CodeContext,
  type CodePorts,
  createListing,
  type Entry,
  partialIfCut,
} from '../../../catalogue/index.ts';
import { appendRemedy } from '../../../core/index.ts';
import { evidenceLines } from '../material/collect.ts';
import { type Action, type ActionContext, type ActionOutcome, action } from './action.ts';

/** Maximum number of listed lines, unless the entry sets its own. */
const defaultMaxLines = 60;

type Input = Readonly<Record<string, unknown>>;

/** One parameter of the entry, and its name and type for a planner. */
interface Field {
  readonly parameter: string;
  readonly name: string;
  readonly type: z.ZodType;
  /** The bounds of a number; ignored for other types. */
  readonly min: number;
  readonly max: number;
}

export function toAction(entry: Entry<CodeContext>): Action {
  const fields = entry.brought === true ? null : toFields(entry);
  return action({
    name: entry.name,
    description: entry.asAction?.description ?? entry.description,
    input:
      fields === null
        ? entry.parameters
        : z.object(Object.fromEntries(fields.map(({ name, type }) => [name, type]))),
    available(material) {
      const ports: CodePorts = material;
      return (entry.needs ?? []).every((port) => ports[port] !== undefined);
    },
    async run(input, context): Promise<ActionOutcome> {
      const parsed =
        fields === null ? { success: true as const, data: input } : checkInput(entry, fields, input);
      if (!parsed.success) return { kind: 'failed', message: formatIssue(parsed.error) };
      const output = await entry.run(parsed.data, toCodeContext(entry, context));
      if (output.kind === 'failed')
        return {
          kind: 'failed',
          message: appendRemedy({ message: output.message, remedy: output.remedy ?? '' }),
        };
      const listed = createListing(output.lines, entry.asAction?.lines ?? defaultMaxLines, output.noun);
      return {
        kind: 'done',
        summary: output.summary,
        text: listed.text,
        evidence: output.evidence,
        completeness: partialIfCut(output.completeness, listed.cut || output.ranked),
        notes: [...output.notes, ...listed.notes],
        ...(output.inLines && { inText: output.evidence.map(({ id }) => id) }),
      };
    },
  });
}

const checkInput = ({ parameters, asAction }: Entry<CodeContext>, fields: readonly Field[], input: Input) =>
  parameters.safeParse({ ...asAction?.fixed, ...toArguments(fields, input) });

function toCodeContext(
  { pieces }: Entry<CodeContext>,
  { material, scope, evidence, signal, citable, collect }: ActionContext,
): CodeContext {
  return {
    ports: material,
    scope,
    pieces: pieces?.action ?? 0,
    pieceLines: evidenceLines,
    held: evidence,
    signal,
    citable,
    // The scope isn't checked here: every port gets it, and reading refuses paths outside of it.
    path: (path) => path.trim().replace(/^(?:\.\/)+/, ''),
    collect,
  };
}

/** The fields are plain strings, numbers and booleans, which every provider's structured output accepts. */
function toFields({ parameters, asAction = {} }: Entry<CodeContext>): readonly Field[] {
  const { fixed = {}, renamedTo = {}, required = [], max = {}, undescribed = [] } = asAction;
  const { properties = {}, required: requiredParameters = [] } = z.toJSONSchema(parameters, { io: 'input' });
  return Object.entries(properties)
    .filter(([parameter]) => !(parameter in fixed))
    .map(([parameter, schema]) => {
      const {
        type,
        description = '',
        minimum = 0,
        maximum = Infinity,
        ...rest
      } = schema as z.core.JSONSchema.BaseSchema;
      const isRequired = requiredParameters.includes(parameter) || required.includes(parameter);
      const plainSchema = toPlainSchema(
        String(type),
        isRequired ? undefined : (rest.default ?? emptyValues[String(type)]),
      );
      const shownDescription = undescribed.includes(parameter)
        ? ''
        : isRequired || rest.default !== undefined
          ? description
          : `${description}; empty: any`;
      return {
        parameter,
        name: renamedTo[parameter] ?? parameter,
        type: shownDescription === '' ? plainSchema : plainSchema.describe(shownDescription),
        min: minimum,
        max: Math.min(max[parameter] ?? Infinity, maximum),
      };
    });
}

const emptyValues: Input = { string: '', integer: 0, number: 0, boolean: false };

function toPlainSchema(type: string, defaultValue: unknown): z.ZodType {
  const schema = type === 'string' ? z.string() : type === 'boolean' ? z.boolean() : z.coerce.number();
  return defaultValue === undefined ? schema : (schema as z.ZodString).default(defaultValue as string);
}

/**
 * Turns a planner's input into the entry's arguments. A number out of range becomes the nearest one in range. An empty
 * string counts as absent if the parameter is optional.
 */
function toArguments(fields: readonly Field[], input: Input): Input {
  return Object.fromEntries(
    fields.flatMap(({ parameter, name, type, min, max }) => {
      const value = input[name];
      if (typeof value === 'number') return [[parameter, clampInteger(value, min, max)]];
      const mayBeEmpty = type.safeParse(undefined).success;
      return typeof value === 'string' && value.trim() === '' && mayBeEmpty ? [] : [[parameter, value]];
    }),
  );
}

function clampInteger(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : min;
}

function formatIssue({ issues: [issue] }: z.ZodError): string {
  const name = issue?.path.join('.') ?? 'input';
  return issue?.code === 'too_small' ? `The ${name} is empty.` : `${name}: ${issue?.message ?? 'unfit'}`;
}
