/** The interface over the workspace that a server has open: the composition. */
import { type Masker, systemClock } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { openRuns } from '../compose.ts';
import { describeSettings } from '../config/describe.ts';
import type { Configuration } from '../config/index.ts';
import { openOnce } from '../host-material.ts';
import { openHostMemory } from '../host-memory.ts';
import type { Face } from '../server/face.ts';
import type { Token } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { searchPages } from '../workspace/search.ts';
import { author, type OpenWorkspace } from '../workspace/workspace.ts';
import { apiFace } from './api-face.ts';
import type { ApiPorts } from './ports.ts';
import { openRecords } from './records.ts';
import { runShelf } from './run-shelf.ts';
import { worldTail } from './world-tail.ts';

export interface ApiRequest {
  readonly configuration: Configuration;
  readonly open: Pick<OpenWorkspace, 'world' | 'database'>;
  readonly sessions: ApiPorts['sessions'];
  /** As the person names it. */
  readonly name: string;
  /** Runs of its conversations. */
  readonly store: Store;
  readonly mask: Masker;
  readonly enter: (shown: string) => Token | 'elsewhere' | null;
  readonly tell: (line: string) => void;
}

export interface OpenApi {
  readonly face: Face;
  close(): Promise<void>;
}

export function openApi(request: ApiRequest): OpenApi {
  const { configuration, open, name, store, sessions, mask, enter, tell } = request;
  const { world } = open;
  const records = openRecords(configuration.directories);
  let own: Promise<Store> | undefined;
  const memory = openOnce(() => openHostMemory(open));
  const face = apiFace({
    ports: {
      workspace: {
        name,
        world,
        person: author(),
        tail: worldTail(world),
        search: (query) => searchPages(world, query),
      },
      runs: runShelf({
        conversations: store,
        own() {
          own ??= openRuns(configuration);
          return own;
        },
      }),
      records,
      sessions,
      memory: async () => (await memory.get()).memory,
      version: version(),
      clock: systemClock,
      settings: () => describeSettings(configuration),
    },
    enter,
    mask,
    tell,
  });
  return {
    face,
    async close() {
      records.close();
      await memory.close();
      await (await own)?.close();
    },
  };
}
