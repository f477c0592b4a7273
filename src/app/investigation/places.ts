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

interface OpenPlace {
  readonly material: InvestigationMaterial;
  /** How long this process waited because another one held the index. Milliseconds. */
  readonly waited: number;
  close(): Promise<void>;
}

export async function openFolder(
  configuration: Configuration,
  folder: string,
  { wait, scope, signal, onIndex }: Pick<Watch, 'signal' | 'onIndex'> & Pick<MaterialWatch, 'wait' | 'scope'>,
): Promise<OpenPlace> {
  const open = await openMaterial(configuration, folder, {
    ...(wait !== undefined && { wait }),
    ...(scope !== undefined && { scope }),
    ...(signal !== undefined && { signal }),
    ...(onIndex !== undefined && { onIndex }),
  });
  return { material: treeMaterial(open), waited: open.waited, close: async () => open.close() };
}

export async function openPagesOf(configuration: Configuration, file: string): Promise<OpenPlace> {
  const closables: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closables.splice(0).reverse()) await one();
  };
  try {
    const open = await openWorkspace(file, { make: false });
    closables.push(() => open.close());
    const { memory, close: closeMemory } = await openHostMemory(open);
    closables.push(closeMemory);
    const pages = await openPages(configuration, open.world);
    closables.push(() => pages.close());
    // A command waits until all pages are indexed, since it will not search a second time.
    await pages.follow();
    const material = pagesMaterial(open.world, pages, memory, openMasker(configuration));
    return { material, waited: 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}
