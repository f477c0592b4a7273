/** Tools that change content. Each builds a `WorldWrite`. The kind of caller decides whether it is applied or waits. */
import { z } from 'zod';
import type { Entry } from '../../catalogue/index.ts';
import { forPrograms } from '../../core/index.ts';
import type { World } from '../../world/index.ts';
import {
  assertRead,
  baseRevision,
  block,
  content,
  contradicts,
  derivedFrom,
  findBlock,
  findContent,
  findContents,
  findPage,
  page,
  resolveSources,
  text,
} from './fields.ts';
import { type PageContext, pageEntry } from './page-entry.ts';
import { submitPlain, submitWrite } from './submit-write.ts';

const path = z.string().min(1).max(1000).describe('e.g. Projects/Sonde/Plan');
const properties = z.record(z.string(), z.unknown());
const cost = 'some ms';

const findContradicted = (world: World, names: readonly string[] | undefined) =>
  names === undefined ? undefined : findContents(world, names);

export const writingEntries: readonly Entry<PageContext>[] = [
  pageEntry({
    name: 'create_page',
    description: 'A new page. Of an agent it is a candidate until the author promotes it.',
    parameters: z.object({
      path,
      text,
      properties: properties.optional(),
      tags: z.array(z.string()).max(100).optional(),
      derived_from: derivedFrom,
      contradicts,
    }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: async ({ path, text, properties, tags, derived_from, contradicts }, { ports, call }) =>
      submitWrite(ports.world, 'create_page', call, {
        operation: {
          op: 'create_page',
          path,
          text,
          ...(properties !== undefined && { properties }),
          ...(tags !== undefined && { tags }),
        },
        sources: await resolveSources(ports, derived_from, call),
        contradicts: findContradicted(ports.world, contradicts),
        baseRevision: undefined,
      }),
    derivation: 'read_trail',
  }),
  pageEntry({
    name: 'update_block',
    description:
      'Replaces the text of a block. Of an agent, a change of Draft or Canonical content is held as a deviation.',
    parameters: z.object({
      block,
      text,
      base_revision: baseRevision,
      derived_from: derivedFrom,
      contradicts,
    }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: async ({ block, text, base_revision, derived_from, contradicts }, { ports, call }) =>
      submitWrite(ports.world, 'update_block', call, {
        operation: { op: 'update_block', block: findBlock(ports.world, block), text },
        sources: await resolveSources(
          ports,
          derived_from,
          call,
          ports.world.block(block)?.page,
          ports.world.block(block)?.id,
        ),
        contradicts: findContradicted(ports.world, contradicts),
        baseRevision: base_revision,
      }),
    derivation: 'read_trail',
  }),
  pageEntry({
    name: 'update_page',
    description: 'Replaces the whole text of a page; held likewise.',
    parameters: z.object({ page, text, base_revision: baseRevision, derived_from: derivedFrom, contradicts }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: async ({ page, text, base_revision, derived_from, contradicts }, { ports, call }) =>
      submitWrite(ports.world, 'update_page', call, {
        operation: { op: 'update_page', page: findPage(ports.world, page).id, text },
        sources: await resolveSources(ports, derived_from, call, findPage(ports.world, page).id),
        contradicts: findContradicted(ports.world, contradicts),
        baseRevision: base_revision,
      }),
    derivation: 'read_trail',
  }),
  pageEntry({
    name: 'add_block',
    description: 'Adds a block to a page.',
    parameters: z.object({
      page,
      text,
      after: z
        .string()
        .max(100)
        .nullable()
        .optional()
        .describe('Block; null: at the beginning; absent: at the end'),
      derived_from: derivedFrom,
      contradicts,
    }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: async ({ page, text, after, derived_from, contradicts }, { ports, call }) =>
      submitWrite(ports.world, 'add_block', call, {
        operation: {
          op: 'add_block',
          page: findPage(ports.world, page).id,
          text,
          ...(after !== undefined && { after: after === null ? null : findBlock(ports.world, after) }),
        },
        sources: await resolveSources(ports, derived_from, call, findPage(ports.world, page).id),
        contradicts: findContradicted(ports.world, contradicts),
        baseRevision: undefined,
      }),
    derivation: 'read_trail',
  }),
  pageEntry({
    name: 'delete_block',
    description: 'Deletes a block.',
    parameters: z.object({ block, base_revision: baseRevision }),
    capability: 'PagesDelete',
    effect: 'write',
    cost,
    run: ({ block, base_revision }, { ports, call }) =>
      submitWrite(ports.world, 'delete_block', call, {
        operation: { op: 'delete_block', block: findBlock(ports.world, block) },
        baseRevision: base_revision,
        contradicts: undefined,
      }),
  }),
  pageEntry({
    name: 'set_properties',
    description: 'Sets properties of a page; null takes one away.',
    parameters: z.object({ page, set: properties }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    run: ({ page, set }, { ports, call }) =>
      submitPlain(ports.world, 'set_properties', call, {
        op: 'set_properties',
        page: findPage(ports.world, page).id,
        set,
      }),
  }),
  pageEntry({
    name: 'add_derivation_link',
    description: 'Records that content rests on other content.',
    parameters: z.object({
      derived: content,
      source: content,
      link_type: z.string().min(1).max(100).default('derived').meta(forPrograms),
    }),
    capability: 'PagesWrite',
    effect: 'write',
    cost,
    async run({ derived, source, link_type }, { ports, call }) {
      const sourceId = findContent(ports.world, source);
      await assertRead(ports, sourceId, call);
      return submitPlain(ports.world, 'add_derivation_link', call, {
        op: 'add_derivation_link',
        derived: findContent(ports.world, derived),
        source: sourceId,
        link_type,
      });
    },
    derivation: 'arguments',
  }),
];
