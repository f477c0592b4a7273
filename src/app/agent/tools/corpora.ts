/** The material that delegated work can search: the pages of the workspace, and a folder if one is configured. */

import { basename } from 'node:path';
import type { OwnTool } from '../../../catalogue/index.ts';
import type { Corpora, Corpus, InvestigationMaterial, Material } from '../../../tasks/index.ts';
import { openMaterial } from '../../compose.ts';
import type { Configuration } from '../../config/index.ts';
import { runCapabilities } from '../../host/run-capabilities.ts';
import { treeMaterial } from '../../investigation/material.ts';
import type { CallerParts } from '../../runs/run-kind.ts';
import { pagesOverTools } from './pages-over-tools.ts';
import { proposeOverTools } from './proposals-over-tools.ts';

/** The sources of a conversation's corpora: its workspace, and the folder that its user lets it read. */
export interface CorpusSources {
  readonly workspace: string;
  readonly root?: string;
  readonly callerParts?: CallerParts;
}

export function listInvestigationCorpora(
  configuration: Configuration,
  { workspace, root, callerParts }: CorpusSources,
): Corpora<InvestigationMaterial> {
  const tools = readingTools(callerParts);
  return [
    withTools(pagesCorpus(workspace), tools),
    ...codeCorpora(configuration, root, treeMaterial).map((corpus) => withTools(corpus, tools)),
  ];
}

export function listResearchCorpora(
  configuration: Configuration,
  { workspace, root, callerParts }: CorpusSources,
): Corpora<Material> {
  const tools = readingTools(callerParts);
  return [
    withTools<Material>(pagesCorpus(workspace), tools),
    ...codeCorpora<Material>(configuration, root, ({ ports }) => ports).map((corpus) =>
      withTools(corpus, tools),
    ),
  ];
}

/** The read-only tools of the calling program, which delegated work may use. */
const readingTools = ({ tools = [] }: CallerParts = {}): readonly OwnTool[] =>
  tools.filter(({ effect, capability }) => effect === 'read' && runCapabilities.has(capability));

function withTools<Value extends object>(corpus: Corpus<Value>, tools: readonly OwnTool[]): Corpus<Value> {
  if (tools.length === 0) return corpus;
  return {
    ...corpus,
    async open(at) {
      const openCorpus = await corpus.open(at);
      return { ...openCorpus, material: { ...openCorpus.material, tools } };
    },
  };
}

function pagesCorpus(workspace: string): Corpus<InvestigationMaterial> {
  return {
    name: 'pages',
    description: 'the pages of the workspace',
    root: workspace,
    needs: ['PagesRead', 'SearchUse'],
    async open({ clients: { tools }, signal }) {
      return {
        material: await pagesOverTools(tools, signal),
        propose: (record) => proposeOverTools(record, tools, signal),
        close() {},
      };
    },
  };
}

type OpenFolder = Awaited<ReturnType<typeof openMaterial>>;

/** The folder as a corpus. The agent's process reads it directly, through an index that contains no pages. */
function codeCorpora<Value>(
  configuration: Configuration,
  root: string | undefined,
  toMaterial: (open: OpenFolder) => Value,
): readonly Corpus<Value>[] {
  if (root === undefined) return [];
  const corpus: Corpus<Value> = {
    name: 'code',
    description: `the files of the folder ${basename(root)}`,
    root,
    needs: ['CodeRead'],
    async open({ signal }) {
      const folder = await openMaterial(configuration, root, { signal });
      return { material: toMaterial(folder), close: () => folder.close() };
    },
  };
  return [corpus];
}
