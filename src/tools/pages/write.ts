/** Tools that change content. Every one of them builds a `WorldWrite`; what it becomes follows from the caller. */
import { z } from 'zod';
import type { Tool } from '../../core/index.ts';
import type { World } from '../../world/index.ts';
import { writeTool } from '../define.ts';
import { noRunTrails } from '../run-trails.ts';
import {
  assertRead,
  baseRevision,
  block,
  blockNamed,
  content,
  contentNamed,
  contentsNamed,
  contradicts,
  derivedFrom,
  page,
  pageNamed,
  sourcesOf,
  text,
} from './fields.ts';
import { submitted } from './submitted.ts';

const path = z.string().min(1).max(1000).describe('e.g. Projects/Sonde/Plan');
const properties = z.record(z.string(), z.unknown());
const cost = 'some ms';

export function pageWritingTools(world: World, trails = noRunTrails): readonly Tool[] {
  const grounds = { world, trails };
  const against = (names: readonly string[] | undefined) =>
    names === undefined ? undefined : contentsNamed(world, names);
  return [
    writeTool(
      {
        name: 'create_page',
        description: 'A new page. Of an agent it is a candidate until the author promotes it.',
        input: {
          path,
          text,
          properties: properties.optional(),
          tags: z.array(z.string()).max(100).optional(),
          derived_from: derivedFrom,
          contradicts,
        },
        capability: 'PagesWrite',
        cost,
        run: ({ path, text, properties, tags, derived_from, contradicts }, call) =>
          submitted(world, 'create_page', call, {
            operation: {
              op: 'create_page',
              path,
              text,
              ...(properties !== undefined && { properties }),
              ...(tags !== undefined && { tags }),
            },
            sources: sourcesOf(grounds, derived_from, call),
            contradicts: against(contradicts),
            baseRevision: undefined,
          }),
      },
      'read_trail',
    ),
    writeTool(
      {
        name: 'update_block',
        description:
          'Replaces the text of a block. An edit of canonical content by an agent is held as a deviation for the author.',
        input: { block, text, base_revision: baseRevision, derived_from: derivedFrom, contradicts },
        capability: 'PagesWrite',
        cost,
        run: ({ block, text, base_revision, derived_from, contradicts }, call) =>
          submitted(world, 'update_block', call, {
            operation: { op: 'update_block', block: blockNamed(world, block), text },
            sources: sourcesOf(grounds, derived_from, call, world.block(block)?.page),
            contradicts: against(contradicts),
            baseRevision: base_revision,
          }),
      },
      'read_trail',
    ),
    writeTool(
      {
        name: 'update_page',
        description:
          'Replaces the whole text of a page. Of an agent, a page of the author is held as a deviation.',
        input: { page, text, base_revision: baseRevision, derived_from: derivedFrom, contradicts },
        capability: 'PagesWrite',
        cost,
        run: ({ page, text, base_revision, derived_from, contradicts }, call) =>
          submitted(world, 'update_page', call, {
            operation: { op: 'update_page', page: pageNamed(world, page).id, text },
            sources: sourcesOf(grounds, derived_from, call, pageNamed(world, page).id),
            contradicts: against(contradicts),
            baseRevision: base_revision,
          }),
      },
      'read_trail',
    ),
    writeTool(
      {
        name: 'add_block',
        description: 'Adds a block to a page.',
        input: {
          page,
          text,
          after: z
            .string()
            .max(100)
            .nullable()
            .optional()
            .describe('Block handle or id; null: at the beginning; absent: at the end'),
          derived_from: derivedFrom,
          contradicts,
        },
        capability: 'PagesWrite',
        cost,
        run: ({ page, text, after, derived_from, contradicts }, call) =>
          submitted(world, 'add_block', call, {
            operation: {
              op: 'add_block',
              page: pageNamed(world, page).id,
              text,
              ...(after !== undefined && { after: after === null ? null : blockNamed(world, after) }),
            },
            sources: sourcesOf(grounds, derived_from, call, pageNamed(world, page).id),
            contradicts: against(contradicts),
            baseRevision: undefined,
          }),
      },
      'read_trail',
    ),
    writeTool({
      name: 'delete_block',
      description: 'Deletes a block.',
      input: { block, base_revision: baseRevision },
      capability: 'PagesDelete',
      cost,
      run: ({ block, base_revision }, call) =>
        submitted(world, 'delete_block', call, {
          operation: { op: 'delete_block', block: blockNamed(world, block) },
          baseRevision: base_revision,
          contradicts: undefined,
        }),
    }),
    writeTool({
      name: 'set_properties',
      description: 'Sets properties of a page; null takes one away.',
      input: { page, set: properties },
      capability: 'PagesWrite',
      cost,
      run: ({ page, set }, call) =>
        plain(world, 'set_properties', call, { op: 'set_properties', page: pageNamed(world, page).id, set }),
    }),
    writeTool(
      {
        name: 'add_derivation_link',
        description: 'Says that content rests on other content of this workspace.',
        input: {
          derived: content,
          source: content,
          link_type: z.string().min(1).max(100).default('derived'),
        },
        capability: 'PagesWrite',
        cost,
        run({ derived, source, link_type }, call) {
          const rested = contentNamed(world, source);
          assertRead(grounds, rested, call);
          return plain(world, 'add_derivation_link', call, {
            op: 'add_derivation_link',
            derived: contentNamed(world, derived),
            source: rested,
            link_type,
          });
        },
      },
      'arguments',
    ),
  ];
}

/** A write of nothing but its operation. */
export const plain = (
  world: World,
  tool: string,
  call: Parameters<typeof submitted>[2],
  operation: Parameters<typeof submitted>[3]['operation'],
) =>
  submitted(world, tool, call, {
    operation,
    contradicts: undefined,
    baseRevision: undefined,
  });
