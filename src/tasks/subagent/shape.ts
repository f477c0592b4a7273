import { z } from 'zod';
import { SondeError } from '../../core/index.ts';
import { type Shape, shape } from '../shape.ts';
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

/** The default shape: a named subgraph. Throws `bad_argument` where two have one name. */
export function subagentShape(subgraphs: readonly Subgraph[]): Shape {
  const named = new Map(subgraphs.map((each) => [each.name, each]));
  if (named.size < subgraphs.length)
    throw new SondeError('bad_argument', {
      message: `Two subgraphs have one name: ${subgraphs.map(({ name }) => name).join(', ')}`,
      remedy: 'Rename one of them.',
    });
  const paramSchema = z
    .strictObject({
      subgraph: z.enum([...named.keys()] as [string, ...string[]]).describe('Which subagent'),
      input: z.unknown().describe('What it is to work on, as its description says'),
    })
    .superRefine(({ subgraph, input }, check) => {
      const fit = named.get(subgraph)?.input.safeParse(input);
      for (const { path, message } of fit?.error?.issues ?? [])
        check.addIssue({ code: 'custom', path: ['input', ...path], message });
    });
  const list = [...named.values()].map(({ name, description }) => `${name}: ${description}`).join('\n');
  return shape<Params, Output>({
    key: defaultShape,
    description: `Hands a piece of work to a subagent, and gives what it ends with.\n${list}`,
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
      // What isn't of the output, such as what the graph works with, stays in the sub-thread.
      return { subgraph, state: found.output.parse(state) };
    },
  });
}
