/** The rights of an account over applications, as Argo CD reports them. */
import { z } from 'zod';
import type { Inspection } from '../../core/index.ts';
import type { Http } from '../http.ts';

const answer = z.object({ value: z.string() });

/** Rights to change applications, or to run something in their containers. */
const changingRights = [
  ['applications', 'sync'],
  ['applications', 'update'],
  ['applications', 'create'],
  ['applications', 'delete'],
  ['applications', 'override'],
  ['applications', 'action'],
  ['exec', 'create'],
] as const;

/** `project`: the only project that is read, or `*` for all. `seesApplications`: the account could list some. */
export async function inspectArgocd(
  http: Pick<Http, 'getJson'>,
  project: string,
  seesApplications: boolean,
  signal: AbortSignal,
): Promise<Inspection> {
  const isAllowed = async (resource: string, action: string): Promise<boolean | null> => {
    const path = `/api/v1/account/can-i/${resource}/${action}/${encodeURIComponent(project)}/*`;
    const reply = await http.getJson(path, {}, answer, signal);
    return reply.kind === 'failure' ? null : reply.value.value === 'yes';
  };
  const mayRead = await isAllowed('applications', 'get');
  if (mayRead === null) return { rights: 'unknown', clockMs: null };
  const allowedChanges = await Promise.all(
    changingRights.map(async ([resource, action]) =>
      (await isAllowed(resource, action)) === true ? [`${action} ${resource}`] : [],
    ),
  );
  // An account with rights in some projects is refused the question about `*`, but can list the applications of its projects.
  return {
    rights: {
      missing: mayRead || seesApplications ? [] : ['get applications'],
      excess: allowedChanges.flat(),
    },
    clockMs: null,
  };
}
