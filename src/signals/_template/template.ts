/**
 * A system to copy. Say in this place what it is, what of it is asked, and what is known about its traps (units
 * of time, pages, limits). What a system is made of: an address, a way to ask, and questions.
 */
import { z } from 'zod';
import type { Clock, Signal } from '../../core/index.ts';
import { examine } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { question } from '../question.ts';
import { time } from '../series-text.ts';

export interface TemplateOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
}

const eventsReply = z.object({
  events: z.array(z.object({ at: z.number(), text: z.string(), service: z.string().optional() })),
  total: z.number(),
});

/** Throws `bad_config` for an address that is none. */
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
          const parameters = { from: window.from, to: window.to, limit: limits.rows, service };
          const reply = await http.getJson('/events', parameters, eventsReply, signal);
          if (reply.kind === 'failure') return reply;
          const lines = reply.value.events.map((event) => ({
            at: event.at,
            service: event.service ?? null,
            level: null,
            text: event.text,
          }));
          return {
            kind: 'reading',
            query: `/events${service === undefined ? '' : ` of ${service}`} from ${time(window.from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
            total: reply.value.total,
          };
        },
      }),
    ]),
    health: (signal) =>
      examine(async (within) => {
        const reply = await http.getJson('/version', {}, z.object({ version: z.string() }), within);
        return reply.kind === 'failure' ? reply : { kind: 'healthy', version: reply.value.version };
      }, signal),
    close: async () => {},
  } satisfies Signal);
}
