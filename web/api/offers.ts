/** The routes that this server has, from its own OpenAPI document: an old page may meet a server of another version. */
import { useEffect, useState } from 'preact/hooks';
import { read } from './client.ts';

let paths: Promise<ReadonlySet<string>> | undefined;

async function offered(path: string): Promise<boolean> {
  paths ??= read<{ readonly paths: Readonly<Record<string, unknown>> }>('/openapi.json').then(
    (document) => new Set(Object.keys(document.paths).map((one) => one.replace(/^\/api\/v1/, ''))),
    () => new Set<string>(),
  );
  return (await paths).has(path);
}

/** `path` as the document has it: `/workspaces/{workspace}/undo`. False until it is known. */
export function useOffered(path: string, isWanted: boolean): boolean {
  const [is, setIs] = useState(false);
  useEffect(() => {
    if (isWanted) void offered(path).then(setIs);
  }, [path, isWanted]);
  return is;
}
