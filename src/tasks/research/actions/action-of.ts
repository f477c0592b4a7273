/** An entry of the catalogue as an action of research, in the form offered to a planner. */
import { z } from 'zod';
import {
  type CodeContext,
  type CodePorts,
  type Entry,
  listing,
  partialIfCut,
} from '../../../catalogue/index.ts';
import { withRemedy } from '../../../core/index.ts';
import { evidenceLines } from '../material/collect.ts';
import { type Action, type ActionContext, type ActionOutcome, action } from './action.ts';

/** Lines listed if the entry does not set a number. */
const usualLines = 60;

type Input = Readonly<Record<string, unknown>>;

/** One parameter, as offered to a planner. */
interface Field {
  readonly parameter: string;
  readonly name: string;
  readonly type: z.ZodType;
  /** The bounds of a number. */
  readonly min: number;
  readonly max: number;
}

export function actionOf(entry: Entry<CodeContext>): Action {
  const fields = entry.brought === true ? null : fieldsOf(entry);
  return action({
    name: entry.name,
    about: entry.asAction?.description ?? entry.description,
    input:
      fields === null
        ? entry.parameters
        : z.object(Object.fromEntries(fields.map(({ name, type }) => [name, type]))),
    available(material) {
      const ports: CodePorts = material;
      return (entry.needs ?? []).every((port) => ports[port] !== undefined);
    },
    async run(input, context): Promise<ActionOutcome> {
      const args =
        fields === null ? { success: true as const, data: input } : checkInput(entry, fields, input);
      if (!args.success) return { kind: 'failed', message: problemOf(args.error) };
      const found = await entry.run(args.data, contextOf(entry, context));
      if (found.kind === 'failed')
        return {
          kind: 'failed',
          message: withRemedy({ message: found.message, remedy: found.remedy ?? '' }),
        };
      const lines = listing(found.lines, entry.asAction?.lines ?? usualLines, found.noun);
      return {
        kind: 'done',
        summary: found.summary,
        text: lines.text,
        evidence: found.evidence,
        completeness: partialIfCut(found.completeness, lines.cut || found.ranked),
        notes: [...found.notes, ...lines.notes],
        ...(found.inLines && { inText: found.evidence.map(({ id }) => id) }),
      };
    },
  });
}

const checkInput = ({ parameters, asAction }: Entry<CodeContext>, fields: readonly Field[], input: Input) =>
  parameters.safeParse({ ...asAction?.fixed, ...argumentsOf(fields, input) });

function contextOf(
  { pieces }: Entry<CodeContext>,
  { material, scope, held, signal, citable, collect }: ActionContext,
): CodeContext {
  return {
    ports: material,
    scope,
    pieces: pieces?.action ?? 0,
    pieceLines: evidenceLines,
    held,
    signal,
    citable,
    // Paths outside the scope are refused when read, and every port gets the scope.
    path: (given) => given.trim().replace(/^(?:\.\/)+/, ''),
    collect,
  };
}

/** Plain texts, numbers and booleans: every provider's structured output accepts these. */
function fieldsOf({ parameters, asAction = {} }: Entry<CodeContext>): readonly Field[] {
  const { fixed = {}, renamedTo: called = {}, required = [], max = {}, undescribed = [] } = asAction;
  const { properties = {}, required: always = [] } = z.toJSONSchema(parameters, { io: 'input' });
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
      const needed = always.includes(parameter) || required.includes(parameter);
      const plain = plainType(String(type), needed ? undefined : (rest.default ?? emptyOf[String(type)]));
      const told = undescribed.includes(parameter)
        ? ''
        : needed || rest.default !== undefined
          ? description
          : `${description}; empty: any`;
      return {
        parameter,
        name: called[parameter] ?? parameter,
        type: told === '' ? plain : plain.describe(told),
        min: minimum,
        max: Math.min(max[parameter] ?? Infinity, maximum),
      };
    });
}

const emptyOf: Input = { string: '', integer: 0, number: 0, boolean: false };

function plainType(type: string, otherwise: unknown): z.ZodType {
  const plain = type === 'string' ? z.string() : type === 'boolean' ? z.boolean() : z.coerce.number();
  return otherwise === undefined ? plain : (plain as z.ZodString).default(otherwise as string);
}

/** A number out of range becomes the nearest in range; an empty text counts as absent if that is allowed. */
function argumentsOf(fields: readonly Field[], input: Input): Input {
  return Object.fromEntries(
    fields.flatMap(({ parameter, name, type, min, max }) => {
      const value = input[name];
      if (typeof value === 'number') return [[parameter, whole(value, min, max)]];
      const mayBeEmpty = type.safeParse(undefined).success;
      return typeof value === 'string' && value.trim() === '' && mayBeEmpty ? [] : [[parameter, value]];
    }),
  );
}

function whole(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : min;
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const name = issue?.path.join('.') ?? 'input';
  return issue?.code === 'too_small' ? `The ${name} is empty.` : `${name}: ${issue?.message ?? 'unfit'}`;
}
