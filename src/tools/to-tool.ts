/** Makes a tool for MCP and conversations from an entry of the catalogue. */
import { z } from 'zod';
import type { AnyContext, Entry } from '../catalogue/index.ts';
import {
  type Evidence,
  escapePath,
  type Tool,
  type ToolCall,
  toolFailure,
  toolReply,
} from '../core/index.ts';
import { createDeniedResult } from './failures.ts';

/** `open` makes the context of the entry for this call; `about` is added to the description. */
export function toTool<Context extends AnyContext>(
  entry: Entry<Context>,
  open: (call: ToolCall) => Context | Promise<Context>,
  about = '',
): Tool {
  const { name, description, parameters, capability, cost, effect, derivation = 'none' } = entry;
  const { authorOnly, forPrograms } = entry;
  return Object.freeze({
    name,
    description: about === '' ? description : `${description} ${about}`,
    // An unknown argument is refused, so that nobody believes that it had an effect.
    parameters: z.strictObject(toShape(entry)),
    capability,
    cost,
    effect,
    derivation,
    ...(authorOnly && { authorOnly }),
    ...(forPrograms && { forPrograms }),
    async run(args, call) {
      if (authorOnly === true && call.caller.kind !== 'user') return createDeniedResult(name, 'author');
      const found = await entry.run(parameters.parse(args), {
        idempotencyKey: call.idempotencyKey,
        ...(await open(call)),
      });
      if (found.kind === 'failed') {
        const { code = 'validation', message, remedy, details } = found;
        return toolFailure(code, message, {
          ...(remedy !== undefined && { remedy }),
          details: { ...details, tool: name },
        });
      }
      const { lines, nothing, evidence, data, reads, origins, write, deviations } = found;
      const text = lines.length > 0 ? lines.join('\n') : evidence.map(formatSpan).join('\n\n');
      return toolReply(text || nothing, data, {
        write,
        deviation_ids: deviations,
        reads,
        origins,
        evidence,
        completeness: found.completeness,
        notes: [...found.notes, ...found.asides],
      });
    },
  } satisfies Tool);
}

function toShape<Context extends AnyContext>({ parameters, asTool = {} }: Entry<Context>): z.ZodRawShape {
  const all = Object.entries({ ...parameters.shape, ...asTool });
  return Object.fromEntries(all.filter(([, type]) => type !== null)) as z.ZodRawShape;
}

const formatSpan = ({ file_path, start_line, end_line, content }: Evidence): string =>
  `${escapePath(file_path)}:${start_line}-${end_line}\n${content}`;
