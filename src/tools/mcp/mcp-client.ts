import type { CallToolResult, Client, Tool as ListedTool } from '@modelcontextprotocol/client';
import { messageOf, SondeError, type ToolResult, toolFailure } from '../../core/index.ts';
import type { ToolClient, ToolRequest } from '../client.ts';
import { createCancelledResult } from '../failures.ts';
import type { ToolListing } from '../tools.ts';
import { metaKeys } from './connection.ts';
import { fromWire } from './wire.ts';

/** Maximum milliseconds of a call, for a host that hangs: a tool's own limits are far shorter. */
const callTimeoutMs = 10 * 60_000;

function toMeta({ idempotencyKey, readTrail, known, origins }: ToolRequest) {
  return {
    ...(idempotencyKey !== undefined && { [metaKeys.idempotencyKey]: idempotencyKey }),
    ...(readTrail !== undefined && readTrail.length > 0 && { [metaKeys.readTrail]: [...readTrail] }),
    ...(known !== undefined && known.length > 0 && { [metaKeys.known]: [...known] }),
    ...(origins !== undefined && origins.length > 0 && { [metaKeys.origins]: [...origins] }),
  };
}

function toListing({ name, description = '', inputSchema, _meta }: ListedTool): ToolListing {
  const rest = (_meta?.[metaKeys.listing] ?? {}) as Partial<ToolListing>;
  const {
    capability = null,
    effect = 'write',
    derivation = 'none',
    cost = '',
    authorOnly,
    forPrograms,
  } = rest;
  const listing = { name, description, parameters: inputSchema, capability, effect, derivation, cost };
  return { ...listing, ...(authorOnly === true && { authorOnly }), ...(forPrograms && { forPrograms }) };
}

/** Tools over a connected client. */
export function mcpTools(client: Client): ToolClient {
  return {
    async list() {
      try {
        return (await client.listTools()).tools.map(toListing);
      } catch (thrown) {
        throw new SondeError('tool_failed', {
          message: `the host of tools does not answer: ${messageOf(thrown)}`,
          remedy: 'Start it again.',
          cause: thrown,
        });
      }
    },
    async call(request): Promise<ToolResult> {
      const { name, args, signal } = request;
      let received: CallToolResult;
      try {
        received = await client.callTool(
          { name, arguments: { ...args }, _meta: toMeta(request) },
          { timeout: callTimeoutMs, ...(signal !== undefined && { signal }) },
        );
      } catch (thrown) {
        if (signal?.aborted === true) return createCancelledResult(name);
        return toolFailure('tool', `${name} was not answered: ${messageOf(thrown).slice(0, 300)}`, {
          remedy:
            'The host of tools may be gone; what was written is there, and the same key applies it once.',
          details: { tool: name, unanswered: true },
        });
      }
      return fromWire(name, received);
    },
    close: () => client.close(),
  };
}
