/** Opens the material of an investigation for a command: a folder with its index, or a workspace with its memory. */
import type { InvestigationMaterial } from '../../tasks/index.ts';
import { type MaterialWatch, openMaterial } from '../compose.ts';
import type { Configuration } from '../config/index.ts';
import { openPages } from '../host/host-material.ts';
import { openHostMemory } from '../host/host-memory.ts';
import { openMasker } from '../masking.ts';
import type { Watch } from '../runs/watch.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { pagesMaterial, treeMaterial } from './material.ts';

interface OpenInvestigationMaterial {
  readonly material: InvestigationMaterial;
  /** How long this process waited for another one that was indexing. Milliseconds. */
  readonly waited: number;
  close(): Promise<void>;
}

export async function openFolderMaterial(
  configuration: Configuration,
  folder: string,
  { wait, scope, signal, onIndex }: Pick<Watch, 'signal' | 'onIndex'> & Pick<MaterialWatch, 'wait' | 'scope'>,
): Promise<OpenInvestigationMaterial> {
  const openedFolder = await openMaterial(configuration, folder, {
    ...(wait !== undefined && { wait }),
    ...(scope !== undefined && { scope }),
    ...(signal !== undefined && { signal }),
    ...(onIndex !== undefined && { onIndex }),
  });
  return {
    material: treeMaterial(openedFolder),
    waited: openedFolder.waited,
    close: async () => openedFolder.close(),
  };
}

export async function openPagesMaterial(
  configuration: Configuration,
  file: string,
): Promise<OpenInvestigationMaterial> {
  const closables: (() => unknown)[] = [];
  const close = async () => {
    for (const closeOne of closables.splice(0).reverse()) await closeOne();
  };
  try {
    const workspace = await openWorkspace(file, { make: false });
    closables.push(() => workspace.close());
    const { memory, close: closeMemory } = await openHostMemory(workspace);
    closables.push(closeMemory);
    const pages = await openPages(configuration, workspace.world);
    closables.push(() => pages.close());
    // A command waits until all pages are indexed, since it cannot search again later.
    await pages.follow();
    const material = pagesMaterial(workspace.world, pages, memory, openMasker(configuration));
    return { material, waited: 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}
