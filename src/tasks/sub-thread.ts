import { canonicalJson, sha256 } from '../core/index.ts';
import type { TaskSite } from './shape.ts';

/**
 * The checkpoint namespace of a call, below its caller's. The same call from the same place gets the same namespace;
 * different calls never share one.
 */
export function subThreadOf(site: TaskSite, shape: string, attempt = 0): string {
  const id = sha256(canonicalJson([site.thread, site.namespace, site.call, shape, attempt])).slice(0, 32);
  return [...(site.namespace === '' ? [] : [site.namespace]), `task:${id}`].join('|');
}
