/** Reads a workspace through its tools, page by page. The replies of a host are not trusted, so they are checked. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import { callUntilAnswered, readData, toError } from '../../../session/index.ts';
import type { ToolClient } from '../../../tools/index.ts';

type Tools = Pick<ToolClient, 'call'>;

const block = z.object({ id: z.string(), text: z.string(), kind: z.string() });
const page = z.object({
  id: z.string(),
  path: z.string(),
  origin: z.string(),
  lifecycle: z.string(),
  revision: z.int(),
  front: z.string(),
  properties: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  aliases: z.array(z.string()),
  blocks: z.array(block),
});
const link = z.object({
  from: z.string(),
  from_page: z.string(),
  to: z.string().nullable(),
  target: z.string(),
  kind: z.enum(['wiki', 'markdown', 'embed']),
});

const pageReading = z.object({ page, links: z.array(link) });
export type PageReading = z.infer<typeof pageReading>;
export type PageLink = z.infer<typeof link>;

const listing = z.object({ pages: z.array(z.object({ path: z.string() })), next: z.string().nullable() });
const incoming = z.object({ links: z.array(link) });
const deviations = z.object({
  deviations: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      note: z.string(),
      canonical_refs: z.array(z.string()),
      submitted: z.object({ caller: z.object({ kind: z.string() }) }),
    }),
  ),
});
export type OpenDeviation = z.infer<typeof deviations>['deviations'][number];

export interface PageReader {
  /** Paths in order, up to a maximum, and the number of all. */
  paths(
    under: string | undefined,
    max: number,
  ): Promise<{ readonly paths: readonly string[]; readonly there: number }>;
  /** Null if the page does not exist or is empty. */
  read(page: string): Promise<PageReading | null>;
  linksTo(page: string): Promise<readonly PageLink[]>;
  deviations(): Promise<readonly OpenDeviation[]>;
}

/** Pages of one listing. */
const maxListed = 1000;
const maxDeviations = 500;

/** Throws `tool_failed` if the host does not answer, or refuses; `cancelled`. */
export function pageReader(tools: Tools, signal: AbortSignal): PageReader {
  /** Returns the data of a result, even if it was cut. Null if the arguments name nothing that exists. */
  async function ask<Value>(
    name: string,
    args: Record<string, unknown>,
    schema: z.ZodType<Value>,
  ): Promise<Value | null> {
    const result = await callUntilAnswered(tools, { name, args, readTrail: [], signal });
    if (!result.ok) {
      if (result.error.code === 'validation') return null;
      throw toError(result.error);
    }
    const data = await readData<unknown>(tools, result, signal);
    const fit = schema.safeParse(data);
    if (fit.success) return fit.data;
    throw new SondeError('tool_failed', {
      message: `${name} gives data of another form: ${fit.error.issues[0]?.path.join('.')}`,
      remedy: 'Use a host of the same version.',
    });
  }

  return {
    async paths(under, max) {
      const paths: string[] = [];
      let there = 0;
      for (let after: string | null | undefined; after !== null; ) {
        const args: Record<string, unknown> = {
          limit: maxListed,
          ...(after && { after }),
          ...(under && { under }),
        };
        const listed: z.infer<typeof listing> | null = await ask('list_pages', args, listing);
        const found = listed?.pages.map(({ path }) => path) ?? [];
        there += found.length;
        paths.push(...found.slice(0, max - paths.length));
        after = listed?.next ?? null;
      }
      return { paths, there };
    },
    read: (page) => ask('read_page', { page, view: 'canonical' }, pageReading),
    linksTo: async (page) => (await ask('get_backlinks', { page }, incoming))?.links ?? [],
    deviations: async () =>
      (await ask('list_deviations', { status: 'open', limit: maxDeviations }, deviations))?.deviations ?? [],
  };
}

/** A reader that reads each page once. */
export function readOnce(reader: PageReader): PageReader {
  const pages = new Map<string, Promise<PageReading | null>>();
  return {
    ...reader,
    read(page) {
      const known = pages.get(page) ?? reader.read(page);
      pages.set(page, known);
      return known;
    },
  };
}
