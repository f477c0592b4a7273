/**
 * A template for a new system: copy it. Say in this comment what the system is, what Sonde reads from it, and what is
 * special about it (units of time, pages, limits). A system consists of an address, a way to send requests, and
 * questions.
 *
 * `system.ts` in the same folder declares the system's name and settings, and opens the system with them. `npm run docs`
 * then lists the system; no other file has to change. A source of log lines gets its questions from `linesQuestion` and
 * `patternsQuestion` of `../logs/log-questions.ts`, and only has to read the lines of a time range. A search that is
 * sent by POST has to pass its path to `openHttp`. For a system that no test can reach, add `testbed/recorded.json`,
 * written by `scripts/record-signals.ts` or copied from the maker's documentation, and a line in
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

const itemsPerPage = 100;
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
          const timeRange = { from: window.from, to: window.to };
          const pages = await readPages<z.infer<typeof event>, string>(
            maxPages,
            async (cursor) => {
              const parameters = { ...timeRange, service, limit: itemsPerPage, cursor: cursor ?? undefined };
              const reply = await http.getJson('/events', parameters, eventsReply, signal);
              if (reply.kind === 'failure') return reply;
              return { kind: 'page', items: reply.value.events, next: reply.value.next };
            },
            (items) => items.length > limits.rows,
          );
          if (pages.kind === 'failure') return pages;
          const lines = pages.items.map(
            ({ at, text, service = null }): LogLine => ({ at, service, level: null, text }),
          );
          return {
            kind: 'reading',
            query: `/events${service === undefined ? '' : ` of ${service}`} from ${time(window.from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
            ...(!pages.isComplete && { total: null }),
            notes: pages.notes,
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const reply = await http.getJson('/version', {}, z.object({ version: z.string() }), healthSignal);
          return reply.kind === 'failure' ? reply : { kind: 'healthy', version: reply.value.version };
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}
