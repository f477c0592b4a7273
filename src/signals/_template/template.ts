/**
 * A system to copy. Say in this place what it is, what of it is asked, and what is known about its traps (units
 * of time, pages, limits). What a system is made of: an address, a way to ask, and questions.
 *
 * Beside it, `system.ts` says to the program what it is called, which settings it has and how it is opened by them;
 * `npm run docs` then lists it, and no other file changes. A source of log lines has its questions from
 * `linesQuestion` and `patternsQuestion` of `../logs/log-questions.ts`, and only says how a stretch of time is read; a
 * search that is posted names its path to `openHttp`. A system that no test can reach gets `testbed/recorded.json`,
 * written by `scripts/record-signals.ts` or from what its makers publish, and a line in
 * `../recorded-systems.contract.ts`.
 */
import { z } from 'zod';
import type { Clock, LogLine, Signal } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { readPages } from '../pages.ts';
import { question } from '../question.ts';
import { time } from '../series-text.ts';

export interface TemplateOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

const event = z.object({ at: z.number(), text: z.string(), service: z.string().optional() });
const eventsReply = z.object({ events: z.array(event), next: z.string().nullable() });

const pageItems = 100;
const maxPages = 5;

/** Throws `bad_config` if the address is not a valid URL. */
export function openTemplate({ base, fetch, clock, authorization }: TemplateOptions): Signal {
  const http = openHttp({ system: 'template', base, fetch, authorization });
  const place = { system: 'template', source: `template ${http.source}`, clock };
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'events of a system that does not exist',
    questions: Object.freeze([
      question(place, {
        name: 'template_events',
        topic: 'logs',
        description: 'Events of the incident. Ask for them first.',
        parameters: z.object({ service: z.string().min(1).optional().describe('Only of this service.') }),
        cost: 'one request',
        reach: 'window',
        async read({ service }, { window, limits, signal }) {
          const span = { from: window.from, to: window.to };
          const found = await readPages<z.infer<typeof event>, string>(
            maxPages,
            async (cursor) => {
              const parameters = { ...span, service, limit: pageItems, cursor: cursor ?? undefined };
              const reply = await http.getJson('/events', parameters, eventsReply, signal);
              if (reply.kind === 'failure') return reply;
              return { kind: 'page', items: reply.value.events, next: reply.value.next };
            },
            (items) => items.length > limits.rows,
          );
          if (found.kind === 'failure') return found;
          const lines = found.items.map(
            ({ at, text, service = null }): LogLine => ({ at, service, level: null, text }),
          );
          return {
            kind: 'reading',
            query: `/events${service === undefined ? '' : ` of ${service}`} from ${time(window.from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
            ...(!found.isComplete && { total: null }),
            notes: found.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (within) => {
          const reply = await http.getJson('/version', {}, z.object({ version: z.string() }), within);
          return reply.kind === 'failure' ? reply : { kind: 'healthy', version: reply.value.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}
