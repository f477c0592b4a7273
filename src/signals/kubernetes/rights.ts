/** Asks the cluster for the rights of its account, by a review that creates nothing. */
import { z } from 'zod';
import type { Inspection, Rights } from '../../core/index.ts';
import type { Http } from '../http.ts';
import { kinds } from './objects.ts';

export const reviewPath = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

const reviewReply = z.object({
  status: z.object({
    incomplete: z.boolean().optional(),
    resourceRules: z
      .array(
        z.object({
          verbs: z.array(z.string()),
          apiGroups: z.array(z.string()).nullish(),
          resources: z.array(z.string()).nullish(),
          resourceNames: z.array(z.string()).nullish(),
        }),
      )
      .nullish(),
  }),
});
type Rule = NonNullable<z.infer<typeof reviewReply>['status']['resourceRules']>[number];

const readingVerbs = ['get', 'list', 'watch'];
/** API groups in which every account may create reviews of itself. */
const reviewGroups = ['authorization.k8s.io', 'authentication.k8s.io'];

interface NeededRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

const neededRights: readonly NeededRight[] = [
  ...Object.entries(kinds)
    // Nodes belong to the whole cluster, so an account of one namespace can't list them.
    .filter(([resource]) => resource !== 'nodes')
    .map(([resource, path]) => ({ verb: 'list', group: groupOf(path), resource })),
  { verb: 'list', group: '', resource: 'events' },
  { verb: 'get', group: '', resource: 'pods/log' },
];

/** `/apis/apps/v1` is the group apps; `/api/v1` has none. */
function groupOf(path: string): string {
  const [, root, group = ''] = path.split('/');
  return root === 'apis' ? group : '';
}

export async function inspectKubernetes(
  http: Pick<Http, 'postJson'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Inspection> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const reply = await http.postJson(reviewPath, body, reviewReply, signal);
  const rights = reply.kind === 'failure' ? 'unknown' : rightsOf(reply.value.status);
  return { rights, clockMs: null };
}

export function rightsOf({ incomplete, resourceRules }: z.infer<typeof reviewReply>['status']): Rights {
  const rules = resourceRules ?? [];
  const missing = neededRights
    .filter((neededRight) => !rules.some((rule) => allows(rule, neededRight)))
    .map(textOf);
  // If the list of rules is incomplete, the account may have rights that are not in it.
  if (incomplete === true && missing.length > 0) return 'unknown';
  return { missing, excess: [...new Set(rules.flatMap(excessOf))].sort() };
}

/** Whether a list of a rule contains the word, or `*`, which stands for all. */
const hasOrAll = (list: readonly string[] | null | undefined, word: string): boolean =>
  (list ?? []).some((one) => one === '*' || one === word);

const allows = (rule: Rule, { verb, group, resource }: NeededRight): boolean =>
  (rule.resourceNames ?? []).length === 0 &&
  hasOrAll(rule.verbs, verb) &&
  hasOrAll(rule.apiGroups, group) &&
  hasOrAll(rule.resources, resource);

const textOf = ({ verb, group, resource }: NeededRight): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;

/** Rights beyond reading, and any right to read secrets. */
function excessOf({ verbs, apiGroups, resources }: Rule): readonly string[] {
  const groups = apiGroups ?? [''];
  if (groups.every((group) => reviewGroups.includes(group))) return [];
  const seesSecrets = hasOrAll(groups, '') && hasOrAll(resources, 'secrets');
  return (resources ?? []).flatMap((resource) =>
    verbs
      .filter((verb) => !readingVerbs.includes(verb) || (seesSecrets && ['*', 'secrets'].includes(resource)))
      .map((verb) => `${verb} ${resource}${groups[0] === '' ? '' : `.${groups[0]}`}`),
  );
}
