import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { isSondeError } from '../../core/index.ts';
import { listRuns, openRun, type RunView } from '../runs/runs.ts';
import { safeJson } from '../safe-json.ts';
import {
  type ResourceName,
  resourceAddress,
  resourceEntry,
  resourceNames,
  resourceTitles,
  toMimeType,
} from './addresses.ts';

/** Only the newest runs are listed. Older ones can be read by their address. */
const maxListed = 50;

const renderers: Readonly<Record<ResourceName, (run: RunView) => string>> = {
  'trace.json': (run) => safeJson(run.trace()),
  'evidence.json': (run) => safeJson(run.evidence()),
  'claims.json': (run) =>
    safeJson({ run_id: run.run_id, status: run.result?.status ?? null, claims: run.claims() }),
  'report.md': (run) => run.report(),
};

async function read(uri: URL, id: string, name: ResourceName, root: string) {
  let run: RunView;
  try {
    run = await openRun(id);
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) throw new ResourceNotFoundError(uri.href, thrown.message);
    throw thrown;
  }
  // Runs over another folder may not concern this client.
  if (run.root !== root) throw new ResourceNotFoundError(uri.href, `There is no run ${id} of this folder`);
  return { contents: [{ uri: uri.href, mimeType: toMimeType(name), text: renderers[name](run) }] };
}

/** Registers the runs over one folder as resources. */
export function registerRunResources(server: McpServer, root: string, tools: readonly string[]): void {
  const toolNames = tools.join(' or ');
  for (const name of resourceNames) {
    const list = async () => ({
      resources: (await listRuns(maxListed, root)).map((run) => ({
        ...resourceEntry(run.run_id, name),
        description: `${resourceTitles[name]}: ${run.question.slice(0, 120)}`,
      })),
    });
    server.registerResource(
      name,
      new ResourceTemplate(resourceAddress('{run_id}', name), { list }),
      { description: `Of a run of ${toolNames}: ${resourceTitles[name]}.`, mimeType: toMimeType(name) },
      (uri, { run_id }) => read(uri, String(run_id), name, root),
    );
  }
}
