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

/** The only one need not be named. */
function nameOf(subgraphs: readonly Subgraph[]) {
  const names = z.enum(subgraphs.map(({ name }) => name) as [string, ...string[]]);
  return subgraphs.length === 1 ? names.default(subgraphs[0]!.name) : names;
}

/** What is checked by the subgraph itself, as a planner is shown it. */
function inputOf(subgraphs: readonly Subgraph[]): Readonly<Record<string, unknown>> {
  const inputs = subgraphs.map(({ input }) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
  return inputs.length === 1 ? { ...inputs[0] } : { anyOf: inputs };
}

/** The default shape: a named subgraph. Throws `bad_argument` if two have one name. */
export function subagentShape(subgraphs: readonly Subgraph[]): TaskShape {
  const named = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
  if (named.size < subgraphs.length)
    throw new SondeError('bad_argument', {
      message: `Two subgraphs have one name: ${subgraphs.map(({ name }) => name).join(', ')}`,
      remedy: 'Rename one of them.',
    });
  const paramSchema = z
    .strictObject({
      subgraph: nameOf(subgraphs),
      input: z.unknown().meta(inputOf(subgraphs)),
    })
    .superRefine(({ subgraph, input }, check) => {
      const fit = named.get(subgraph)?.input.safeParse(input);
      for (const { path, message } of fit?.error?.issues ?? [])
        check.addIssue({ code: 'custom', path: ['input', ...path], message });
    });
  const all = [...named.values()].map(({ name, description }) =>
    named.size === 1 ? description : `${name}: ${description}`,
  );
  return shape<Params, Output>({
    key: defaultShape,
    description: all.join('\n'),
    paramSchema,
    outputSchema: z
      .strictObject({ subgraph: z.string(), state: z.json() })
      .superRefine(({ subgraph, state }, check) => {
        for (const { path, message } of named.get(subgraph)?.output.safeParse(state).error?.issues ?? [])
          check.addIssue({ code: 'custom', path: ['state', ...path], message });
      }) as z.ZodType<Output>,
    recovery: 'reattach',
    async handler({ subgraph, input }, context) {
      const found = named.get(subgraph)!;
      const state = await found.graph(context).invoke(found.input.parse(input), context.config);
      // Parsing removes fields that are not part of the output, such as the graph's internal state.
      return { subgraph, state: found.output.parse(state) };
    },
  });
}
