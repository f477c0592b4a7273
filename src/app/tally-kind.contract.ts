/** The newcomer's kind of run, as the program has it. This file, and a line in `kinds/kinds.ts`, is all that there is of it in `app`. */
import { z } from 'zod';
import { type TallyTypes, tallyRun } from '../tasks/tally.contract.ts';
import { openMaterial } from './compose.ts';
import type { Configuration } from './config/index.ts';
import { resolveRoot } from './root.ts';
import { type AppTypes, appKind, type KindRequest, runTool } from './runs/run-kind.ts';

interface TallyRequest extends KindRequest {
  readonly word: string;
  readonly root: string;
}

interface Tally extends AppTypes {
  readonly run: TallyTypes;
  readonly request: TallyRequest;
  readonly place: { readonly root: string };
  readonly open: { readonly ports: Omit<TallyTypes['ports'], 'models'>; close(): void };
  readonly value: string;
}

async function openFolder(configuration: Configuration, root: string): Promise<Tally['open']> {
  const { ports, paths, close } = await openMaterial(configuration, root, {});
  return { ports: { text: ports.text, paths: () => paths() }, close };
}

export const tally = appKind<Tally>({
  definition: async () => tallyRun,
  place: ({ root }) => ({ root: resolveRoot(root) }),
  placeOf: ({ row: { root } }) => ({ root }),
  project: ({ root }) => resolveRoot(root),
  open: ({ root }, { configuration }) => openFolder(configuration, root),
  request: ({ word }, { place: { root }, configuration: { values } }) => ({
    word,
    root,
    steps: values.steps,
  }),
  openForReplay: async () => ({ value: undefined, close() {} }),
  value: ({ result }) => result.answer,
  command: {
    name: 'tally',
    description: 'count a word in every file of a folder',
    arguments: [
      { name: '<word>', what: 'the word' },
      { name: '[path]', what: 'the folder', default: '.' },
    ],
    options: [{ setting: 'steps', placeholder: 'n' }],
    json: 'print the answer as JSON',
    request: ([word = '', root = '.']) => ({ word, root }),
  },
  shown: {
    exitCode: ({ result }) => (result.stop_reason === 'cancelled' ? 130 : 0),
    text: ({ result }) => result.answer,
    report: ({ result }) => `# A tally\n\n${result.answer}\n`,
    fields: ({ result }) => ({ tally: result.answer }),
  },
  tool: runTool({
    name: 'count_word',
    title: 'Count a word',
    description: 'Counts a word in every file.',
    instructions: 'Ask count_word for one word',
    input: z.object({ word: z.string().describe('The word.') }),
    request: ({ word }, root) => ({ word, root }),
  }),
  async offer({ configuration, root }) {
    if (root === undefined) return null;
    const { ports, close } = await openFolder(configuration, root);
    return { value: { ...ports, root }, close };
  },
});
