/**
 * A model sees marks instead of secrets and writes them back. In an edit of the same page the marks become the secrets
 * again.
 */
import type { Masker, Tool, ToolCall } from '../../core/index.ts';
import { joinPageText, type World } from '../../world/index.ts';

/**
 * Restores only secrets of the page that is edited, so that an edit moves no secret to another page. Other marks are
 * written as they are.
 */
export function withSecretsRestored(
  tools: readonly Tool[],
  world: Pick<World, 'page' | 'block' | 'read'>,
  mask: Masker,
): readonly Tool[] {
  return tools.map((tool) =>
    tool.effect !== 'write' || tool.capability !== 'PagesWrite'
      ? tool
      : Object.freeze({
          ...tool,
          run: (args: unknown, call: ToolCall) => tool.run(restoreArguments(args, world, mask), call),
        }),
  );
}

function restoreArguments(
  args: unknown,
  world: Pick<World, 'page' | 'block' | 'read'>,
  mask: Masker,
): unknown {
  if (typeof args !== 'object' || args === null || !('text' in args) || typeof args.text !== 'string')
    return args;
  const fields: { readonly page?: unknown; readonly block?: unknown; readonly text: string } = {
    ...args,
    text: args.text,
  };
  if (!fields.text.includes('[secret:')) return args;
  const page =
    typeof fields.block === 'string'
      ? world.block(fields.block)?.page
      : typeof fields.page === 'string'
        ? world.page(fields.page)?.id
        : undefined;
  const source = page === undefined ? null : world.read(page, 'all');
  return source === null ? args : { ...args, text: mask.restore(fields.text, joinPageText(source)) };
}
