/** Finds the workspace that a request names, and pages in it. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import type { Page } from '../../../world/index.ts';
import type { ApiPorts } from '../ports.ts';

export const workspaceParams = z.object({ workspace: z.string().min(1).max(200) });
export const pageParams = workspaceParams.extend({
  page: z.string().min(1).max(1_000).describe('its id, its path or an alias'),
});

/** Throws `not_found` if this server does not have the workspace. */
export function requireWorkspace(
  { workspace }: { readonly workspace: string },
  ports: ApiPorts,
): ApiPorts['workspace'] {
  if (workspace === ports.workspace.name || workspace === ports.workspace.id) return ports.workspace;
  throw new SondeError('not_found', {
    message: `This server has no workspace ${JSON.stringify(workspace)}`,
    remedy: `Ask for ${ports.workspace.name}; GET /api/v1/session says which it is.`,
  });
}

/** Throws `not_found`. `deleted`: also finds deleted pages. */
export function requirePage(
  params: { readonly workspace: string; readonly page: string },
  ports: ApiPorts,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Page {
  const page = requireWorkspace(params, ports).world.page(params.page);
  if (page !== null && (deleted || !page.deleted)) return page;
  throw new SondeError('not_found', {
    message:
      page === null
        ? `There is no page ${JSON.stringify(params.page)}`
        : `The page ${JSON.stringify(page.path)} was deleted`,
    remedy: 'A page is named by its id, its path or an alias; GET its workspace’s pages lists them.',
    // A client that may restore the page needs to know its path.
    ...(page !== null && {
      details: { page: page.id, path: page.path, title: page.title, deleted: true },
    }),
  });
}
