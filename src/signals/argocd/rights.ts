/** The rights of an account over applications, as Argo CD reports them. */
import { z } from 'zod';
import type { Inspection } from '../../core/index.ts';
import type { Http } from '../http.ts';

const answer = z.object({ value: z.string() });

/** Rights to change applications, or to run something in their containers. */
const changing = [
  ['applications', 'sync'],
  ['applications', 'update'],
  ['applications', 'create'],
  ['applications', 'delete'],
  ['applications', 'override'],
  ['applications', 'action'],
  ['exec', 'create'],
] as const;

/** `project`: the one that is looked at; `*` for all. */
export async function inspectArgocd(
  http: Pick<Http, 'getJson'>,
  project: string,
  sees: boolean,
  signal: AbortSignal,
): Promise<Inspection> {
  const can = async (resource: string, action: string): Promise<boolean | null> => {
    const path = `/api/v1/account/can-i/${resource}/${action}/${encodeURIComponent(project)}/*`;
    const reply = await http.getJson(path, {}, answer, signal);
    return reply.kind === 'failure' ? null : reply.value.value === 'yes';
  };
  const reads = await can('applications', 'get');
  if (reads === null) return { rights: 'unknown', clockMs: null };
  const answers = await Promise.all(
    changing.map(async ([resource, action]) =>
      (await can(resource, action)) === true ? [`${action} ${resource}`] : [],
    ),
  );
  // An account that may see only some projects is refused the question about all of them, and lists those that it may
  // see.
  return {
    rights: { missing: reads || sees ? [] : ['get applications'], excess: answers.flat() },
    clockMs: null,
  };
}
