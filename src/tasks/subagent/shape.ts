import { z } from 'zod';
import { SondeError } from '../../core/index.ts';
import { shape, type TaskShape } from '../shape.ts';
import { defaultShape } from '../task.ts';
import type { Subgraph } from './subgraph.ts';

interface Params {
  readonly subgraph: string;
  readonly input: unknown;
}

interface Output {
  readonly subgraph: string;
  readonly state: unknown;
}

/** The schema of the parameter that names a subgraph; if there is only one, the name may be omitted. */
function nameSchema(subgraphs: readonly Subgraph[]) {
  const names = z.enum(subgraphs.map(({ name }) => name) as [string, ...string[]]);
  return subgraphs.length === 1 ? names.default(subgraphs[0]!.name) : names;
}

/** The JSON Schema of the input that a planner is shown; the input is checked by the schema of the named subgraph. */
function inputJsonSchema(subgraphs: readonly Subgraph[]): Readonly<Record<string, unknown>> {
  const inputs = subgraphs.map(({ input }) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  return inputs.length === 1 ? { ...inputs[0] } : { anyOf: inputs };
}

/** The default shape: a named subgraph. Throws `bad_argument` if two have the same name. */
export function subagentShape(subgraphs: readonly Subgraph[]): TaskShape {
  const subgraphsByName = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  if (subgraphsByName.size < subgraphs.length)
    throw new SondeError('bad_argument', {
      message: `Two subgraphs have one name: ${subgraphs.map(({ name }) => name).join(', ')}`,
      remedy: 'Rename one of them.',
    });
  const paramSchema = z
    .strictObject({
      subgraph: nameSchema(subgraphs),
      input: z.unknown().meta(inputJsonSchema(subgraphs)),
    })
    .superRefine(({ subgraph, input }, refinement) => {
      const parsedInput = subgraphsByName.get(subgraph)?.input.safeParse(input);
      for (const { path, message } of parsedInput?.error?.issues ?? [])
        refinement.addIssue({ code: 'custom', path: ['input', ...path], message });
    });
  const descriptions = [...subgraphsByName.values()].map(({ name, description }) =>
    subgraphsByName.size === 1 ? description : `${name}: ${description}`,
  );
  return shape<Params, Output>({
    key: defaultShape,
    description: descriptions.join('\n'),
    paramSchema,
    outputSchema: z
      .strictObject({ subgraph: z.string(), state: z.json() })
      .superRefine(({ subgraph, state }, refinement) => {
        for (const { path, message } of subgraphsByName.get(subgraph)?.output.safeParse(state).error
          ?.issues ?? [])
          refinement.addIssue({ code: 'custom', path: ['state', ...path], message });
      }) as z.ZodType<Output>,
    recovery: 'reattach',
    async handler({ subgraph, input }, context) {
      const chosenSubgraph = subgraphsByName.get(subgraph)!;
      const state = await chosenSubgraph
        .graph(context)
        .invoke(chosenSubgraph.input.parse(input), context.config);
      // Parsing removes fields that are not part of the output, such as the graph's internal state.
      return { subgraph, state: chosenSubgraph.output.parse(state) };
    },
  });
}
