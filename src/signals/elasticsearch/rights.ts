/** The permissions of an account on the indices. Elasticsearch can be asked for them, OpenSearch can't. */
import { z } from 'zod';
import type { Inspection, Rights } from '../../core/index.ts';
import type { Http } from '../http.ts';

export const rightsPath = '/_security/user/_has_privileges';

const privileges = z.record(z.string(), z.boolean());
const privilegesReply = z.object({ cluster: privileges, index: z.record(z.string(), privileges) });

const neededPrivileges = ['read', 'view_index_metadata'];
const excessPrivileges = ['write', 'delete_index', 'manage'];
const clusterPrivileges = ['all', 'manage', 'manage_security'];

export async function inspectElasticsearch(
  http: Pick<Http, 'postJson'>,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Inspection> {
  const body = {
    cluster: clusterPrivileges,
    index: [{ names, privileges: [...neededPrivileges, ...excessPrivileges] }],
  };
  const answer = await http.postJson(rightsPath, body, privilegesReply, signal);
  return { rights: answer.kind === 'failure' ? 'unknown' : rightsOf(answer.value), clockMs: null };
}

function rightsOf({ cluster, index }: z.infer<typeof privilegesReply>): Rights {
  const indexPrivileges = Object.entries(index);
  const privilegesWhere = (wanted: readonly string[], isGranted: boolean): readonly string[] =>
    indexPrivileges.flatMap(([name, granted]) =>
      wanted.filter((one) => (granted[one] ?? false) === isGranted).map((one) => `${one} ${name}`),
    );
  return {
    missing: privilegesWhere(neededPrivileges, false),
    excess: [
      ...clusterPrivileges.filter((one) => cluster[one] === true).map((one) => `${one} of the cluster`),
      ...privilegesWhere(excessPrivileges, true),
    ],
  };
}
