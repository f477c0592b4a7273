/** The tools of a program as a signal of an incident: each tool is a question, within the limits of the incident. */
import type { OwnTool } from '../../catalogue/index.ts';
import { type Signal, systemClock } from '../../core/index.ts';
import { failure, question } from '../../signals/index.ts';
import { contextWithoutFiles } from './without-files.ts';

const system = 'own_tools';
const place = { system, source: 'tools of the program', clock: systemClock };

export const createToolsSignal = (tools: readonly OwnTool[]): Signal =>
  Object.freeze({
    system,
    source: place.source,
    offers: tools.map(({ name }) => name).join(', '),
    questions: tools.map((tool) =>
      question(place, {
        name: tool.name,
        topic: 'objects',
        description: tool.description,
        parameters: tool.parameters,
        cost: tool.cost,
        // A tool has no time window: it reports the present state.
        reach: 'now',
        async read(args, { limits, signal }) {
          const outcome = await tool.run(args, contextWithoutFiles(signal));
          if (outcome.kind === 'failed') return failure('refused', outcome.message);
          const lines = outcome.lines.filter((line) => line.trim() !== '');
          return {
            kind: 'reading',
            query: `${tool.name} ${JSON.stringify(args)}`,
            rows: { kind: 'table', rows: lines.slice(0, limits.rows).map((line) => ({ line })) },
            total: lines.length,
            completeness: outcome.completeness,
          };
        },
      }),
    ),
    health: async () => ({ kind: 'healthy', version: null }),
    close: async () => {},
  } satisfies Signal);
