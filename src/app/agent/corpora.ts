/** What a conversation's work can look through: the pages, and a folder where one is configured. */
import { basename } from 'node:path';
import type { Corpora, Corpus, InvestigationMaterial, Material } from '../../tasks/index.ts';
import { openMaterial } from '../compose.ts';
import type { Configuration } from '../config/index.ts';
import { treeMaterial } from '../investigate-material.ts';
import { pagesOverTools } from './pages-over-tools.ts';
import { proposeOverTools } from './proposals-over-tools.ts';

/** Where a conversation is: its workspace, for lists, and the folder that its user lets it read. */
export interface Whereabouts {
  readonly workspace: string;
  readonly root?: string;
}

export function investigated(
  configuration: Configuration,
  { workspace, root }: Whereabouts,
): Corpora<InvestigationMaterial> {
  return [pagesOf(workspace), ...codeOf(configuration, root, treeMaterial)];
}

export function researched(
  configuration: Configuration,
  { workspace, root }: Whereabouts,
): Corpora<Material> {
  return [pagesOf(workspace), ...codeOf(configuration, root, ({ ports }) => ports)];
}

function pagesOf(workspace: string): Corpus<InvestigationMaterial> {
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

/** Read by the process that works, through an index of its own making: nothing of the world is in it. */
function codeOf<Of>(
  configuration: Configuration,
  root: string | undefined,
  materialOf: (open: OpenFolder) => Of,
): readonly Corpus<Of>[] {
  if (root === undefined) return [];
  const corpus: Corpus<Of> = {
    name: 'code',
    description: `the files of the folder ${basename(root)}`,
    root,
    needs: ['CodeRead'],
    async open({ signal }) {
      const folder = await openMaterial(configuration, root, { signal });
      return { material: materialOf(folder), close: () => folder.close() };
    },
  };
  return [corpus];
}
