/** The permissions of an account on the indices. Elasticsearch can be asked for them, OpenSearch can't. */
import { z } from 'zod';
import type { Inspection, Rights } from '../../core/index.ts';
import type { Http } from '../http.ts';

export const rightsPath = '/_security/user/_has_privileges';

const privileges = z.record(z.string(), z.boolean());
const reply = z.object({ cluster: privileges, index: z.record(z.string(), privileges) });

const needed = ['read', 'view_index_metadata'];
const excessive = ['write', 'delete_index', 'manage'];
const clusterPrivileges = ['all', 'manage', 'manage_security'];

export async function inspectElasticsearch(
  http: Pick<Http, 'postJson'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Inspection> {
  const body = { cluster: clusterPrivileges, index: [{ names, privileges: [...needed, ...excessive] }] };
  const asked = await http.postJson(rightsPath, body, reply, signal);
  return { rights: asked.kind === 'failure' ? 'unknown' : rightsOf(asked.value), clockMs: null };
}

function rightsOf({ cluster, index }: z.infer<typeof reply>): Rights {
  const each = Object.entries(index);
  const privilegesWhere = (wanted: readonly string[], has: boolean): readonly string[] =>
    each.flatMap(([name, held]) =>
      wanted.filter((one) => (held[one] ?? false) === has).map((one) => `${one} ${name}`),
    );
  return {
    missing: privilegesWhere(needed, false),
    excess: [
      ...clusterPrivileges.filter((one) => cluster[one] === true).map((one) => `${one} of the cluster`),
      ...privilegesWhere(excessive, true),
    ],
  };
}
