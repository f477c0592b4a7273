/** Reads a workspace through its tools, page by page. The replies of a host are not trusted, so they are checked. */
import { z } from 'zod';
import { SondeError } from '../../../core/index.ts';
import { callUntilAnswered, readData, toError } from '../../../session/index.ts';
import type { ToolClient } from '../../../tools/index.ts';

type Tools = Pick<ToolClient, 'call'>;

const blockSchema = z.object({ id: z.string(), text: z.string(), kind: z.string() });
const pageSchema = z.object({
  id: z.string(),
  path: z.string(),
  origin: z.string(),
  lifecycle: z.string(),
  revision: z.int(),
  front: z.string(),
  properties: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  aliases: z.array(z.string()),
  blocks: z.array(blockSchema),
});
const linkSchema = z.object({
  from: z.string(),
  from_page: z.string(),
  to: z.string().nullable(),
  target: z.string(),
  kind: z.enum(['wiki', 'markdown', 'embed']),
});

const pageReading = z.object({ page: pageSchema, links: z.array(linkSchema) });
export type PageReading = z.infer<typeof pageReading>;
export type PageLink = z.infer<typeof linkSchema>;

const listingSchema = z.object({
  pages: z.array(z.object({ path: z.string() })),
  next: z.string().nullable(),
});
const backlinksSchema = z.object({ links: z.array(linkSchema) });
const deviationsSchema = z.object({
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
export type OpenDeviation = z.infer<typeof deviationsSchema>['deviations'][number];

export interface PageReader {
  /** Paths in order, up to a maximum; `there`: the number of all pages. */
  paths(
    under: string | undefined,
    max: number,
  ): Promise<{ readonly paths: readonly string[]; readonly there: number }>;
  /** Null if the page does not exist or is empty. */
  read(page: string): Promise<PageReading | null>;
  linksTo(page: string): Promise<readonly PageLink[]>;
  deviations(): Promise<readonly OpenDeviation[]>;
}

/** Maximum pages of one listing. */
const maxListed = 1000;
const maxDeviations = 500;

/** Its methods throw `tool_failed` if the host does not answer or refuses, `cancelled` if the signal aborts. */
export function pageReader(tools: Tools, signal: AbortSignal): PageReader {
  /** Returns the data of a result, even if it was cut. Null if the arguments name nothing that exists. */
  async function callTool<Value>(
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
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new SondeError('tool_failed', {
      message: `${name} gives data of another form: ${parsed.error.issues[0]?.path.join('.')}`,
      remedy: 'Use a host of the same version.',
    });
  }

  return {
    async paths(under, max) {
      const paths: string[] = [];
      let total = 0;
      for (let after: string | null | undefined; after !== null; ) {
        const args: Record<string, unknown> = {
          limit: maxListed,
          ...(after && { after }),
          ...(under && { under }),
        };
        const listed: z.infer<typeof listingSchema> | null = await callTool(
          'list_pages',
          args,
          listingSchema,
        );
        const found = listed?.pages.map(({ path }) => path) ?? [];
        total += found.length;
        paths.push(...found.slice(0, max - paths.length));
        after = listed?.next ?? null;
      }
      return { paths, there: total };
    },
    read: (page) => callTool('read_page', { page, view: 'canonical' }, pageReading),
    linksTo: async (page) => (await callTool('get_backlinks', { page }, backlinksSchema))?.links ?? [],
    deviations: async () =>
      (await callTool('list_deviations', { status: 'open', limit: maxDeviations }, deviationsSchema))
        ?.deviations ?? [],
  };
}

/** A reader that reads each page once. */
export function readOnce(reader: PageReader): PageReader {
  const pages = new Map<string, Promise<PageReading | null>>();
  return {
    ...reader,
    read(page) {
      const reading = pages.get(page) ?? reader.read(page);
      pages.set(page, reading);
      return reading;
    },
  };
}
