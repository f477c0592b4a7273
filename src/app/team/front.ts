/**
 * `sonde serve` over the store of a team: the front of a workspace whose host is a worker. It holds no page, no code and no
 * key of a model, and any number of them may run.
 */
import { SondeError, systemClock } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { keysOfAgent } from '../agent/keys.ts';
import { threadActs } from '../agent/thread-acts.ts';
import { openRuns } from '../compose.ts';
import { describeSettings } from '../config/describe.ts';
import { loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';
import { apiFace } from '../http/api-face.ts';
import type { ApiPorts } from '../http/ports.ts';
import { openRecords } from '../http/records.ts';
import { runShelf } from '../http/run-shelf.ts';
import { threadShelf } from '../http/thread-shelf.ts';
import { openTokenDesk } from '../http/token-desk.ts';
import { openMasker } from '../masking.ts';
import { runMeasures } from '../runs/run-metrics.ts';
import { conversationRoutes } from '../serve/routes.ts';
import { metricsRefusal, type WorkspaceService } from '../serve/serve-agent.ts';
import { bearerIn, type Face } from '../server/face.ts';
import { clientsOf } from '../tokens/clients.ts';
import { openDoor } from '../tokens/door.ts';
import { refuseSharedToken } from '../tokens/kept-token.ts';
import type { TokenPlace } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { frontDesk } from './front-desk.ts';
import { frontEvents } from './front-events.ts';
import { openExchange, openSharedSessions } from './shared-sessions.ts';
import { watchStore } from './store-watch.ts';

export interface FrontRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** False: another part of the server measures runs. */
  readonly measured?: boolean;
  readonly tell: (line: string) => void;
}

export async function openFront({
  settings,
  measured = true,
  tell,
}: FrontRequest): Promise<WorkspaceService> {
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    flags: settings,
    without: keysOfAgent,
  });
  const { directories, values } = configuration;
  const { workspace } = values;
  refuseSharedToken(directories);
  const { workspaceSchema } = await import('../../store/postgres/index.ts');
  const schema = workspaceSchema(workspace);
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const exchange = await openExchange(values, schema);
    closing.push(() => exchange.close());
    const { sessions, store } = (await openSharedSessions(values, schema))();
    closing.push(
      () => store.close(),
      () => sessions.close(),
    );
    // Says at once where the store can't be used.
    await exchange.host();
    const watch = watchStore(() => exchange.host(), tell);
    closing.push(() => watch.close());
    const events = frontEvents(exchange);
    closing.push(() => events.close());
    const desk = frontDesk({ sessions, exchange, events });
    // The store names the workspace; its file, and with it the id of its pages, is with the host.
    const place: TokenPlace = { kind: 'workspace', workspace, id: schema };
    const door = openDoor({ directories, place, asked: null, author: true });
    closing.push(() => door.close());
    const clients = clientsOf(door, null);
    const answer = conversationRoutes({ desk, sessions, tokenOf: clients.tokenOf });
    let own: Promise<Store> | undefined;
    closing.push(async () => (await own)?.close());
    const records = openRecords(directories);
    closing.push(() => records.close());
    const tokens = openTokenDesk(directories, place);
    closing.push(() => tokens.close());
    const measures = runMeasures(() => openRuns(configuration), [store]);
    closing.push(() => measures.close());
    const elsewhere = (): never => {
      throw withHost(workspace);
    };
    const ports: ApiPorts = {
      workspace: {
        name: workspace,
        id: schema,
        file: '',
        code: null,
        get world() {
          return elsewhere();
        },
        get person() {
          return elsewhere();
        },
        get tail() {
          return elsewhere();
        },
        search: elsewhere,
      },
      runs: runShelf({
        conversations: store,
        own() {
          own ??= openRuns(configuration);
          return own;
        },
      }),
      starter: {
        async start() {
          throw queueInstead();
        },
        cancel() {
          throw queueInstead();
        },
        async close() {},
      },
      records,
      threads: threadShelf({ acts: threadActs(desk, sessions), log: events.log, sessions, store }),
      scheduling: sessions,
      startSchedule: async (id) =>
        (await import('../serve/schedules.ts')).startNow(id, {
          ...{ schedules: sessions.schedules, threads: sessions.threads, desk },
          now: systemClock.now(),
        }),
      tokens,
      prune: async (options) => (await import('../prune/prune.ts')).prune(configuration, options),
      memory: async () => elsewhere(),
      rolesOf: async () => elsewhere(),
      beside: async () => elsewhere(),
      version: version(),
      clock: systemClock,
      settings: () => describeSettings(configuration),
    };
    const face: Face = {
      name: 'workspace',
      ...(measured && {
        measure: measures.measure,
        readRefusal: (token) => metricsRefusal(door.enter(token)),
      }),
      mount(app) {
        for (const path of ['/threads', '/threads/*'])
          app.all(path, async ({ req }) => {
            const connection = clients.holder(bearerIn(req.raw.headers) ?? '');
            if (connection === null)
              return refusal(401, 'a bearer token is needed, or this one is not known');
            if (connection === 'elsewhere') return refusal(403, 'this token is for something else');
            return (await answer(req.raw, connection)) ?? refusal(404, 'there is nothing here');
          });
      },
      notReady: () => watch.why(),
    };
    const api = apiFace({
      ports,
      enter(shown) {
        const entry = door.enter(shown);
        return entry.kind === 'holder' ? entry.token : entry.kind === 'elsewhere' ? 'elsewhere' : null;
      },
      mask: openMasker(configuration),
      tell: (line) => tell(`api: ${line}`),
    });
    return { faces: [face, api], hint: door.hint, listensAt() {}, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const refusal = (status: number, error: string): Response =>
  Response.json({ error }, { status, ...(status === 401 && { headers: { 'www-authenticate': 'Bearer' } }) });

const withHost = (workspace: string): SondeError =>
  new SondeError('tool_failed', {
    message: `Pages and memory of ${workspace} are with the worker that is its host, and not at this front`,
    remedy: 'Talk with its agent, or use sonde world on the machine of its host.',
  });

const queueInstead = (): SondeError =>
  new SondeError('run_state', {
    message: 'This front begins no run by itself: workers do',
    remedy: 'Queue it: sonde queue add QUESTION REPOSITORY; sonde queue cancel RUN ends one.',
  });
