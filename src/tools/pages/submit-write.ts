/** Submits a write to the world, the only way in which a tool changes content. */
import { done, type EntryFailed, type EntryResult, failed } from '../../catalogue/index.ts';
import type { ToolCall } from '../../core/index.ts';
import {
  type AcceptedWrite,
  type RefusedWrite,
  type World,
  type WriteRequest,
  worldWrite,
} from '../../world/index.ts';
import type { Sources } from './fields.ts';

type SubmittedFields = Pick<WriteRequest, 'operation' | 'baseRevision' | 'contradicts'>;

/** Removes undefined fields: a write distinguishes them from absent ones. */
function omitUndefined(
  fields: { readonly [Field in keyof SubmittedFields]: SubmittedFields[Field] | undefined },
): SubmittedFields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as unknown as SubmittedFields;
}

/** Caller, origin and key come from the call; the tool is the source. */
export function submitWrite(
  world: World,
  tool: string,
  call: ToolCall,
  {
    sources,
    ...fields
  }: { readonly [Field in keyof SubmittedFields]: SubmittedFields[Field] | undefined } & {
    readonly sources?: Sources;
  },
): EntryResult {
  const write = worldWrite({
    ...omitUndefined(fields),
    ...(sources !== undefined && { derivedFrom: sources.ids }),
    caller: call.caller,
    source: call.source ?? `tool:${tool}`,
    idempotencyKey: call.idempotencyKey,
  });
  const result = world.submit(write);
  return result.kind === 'refused'
    ? toFailed(result)
    : toAccepted(result, write.lifecycle, sources?.notes ?? []);
}

/** A write that has only an operation. */
export const submitPlain = (
  world: World,
  tool: string,
  call: ToolCall,
  operation: SubmittedFields['operation'],
): EntryResult =>
  submitWrite(world, tool, call, { operation, contradicts: undefined, baseRevision: undefined });

function toFailed({ code, message, remedy, details }: RefusedWrite): EntryFailed {
  const forbidden = code === 'forbidden';
  return failed(message, {
    code: forbidden ? 'capability' : 'validation',
    remedy,
    details: { ...details, refusal: code, ...(forbidden && { capability: 'author' }) },
  });
}

function toAccepted(result: AcceptedWrite, lifecycle: string, notes: readonly string[]): EntryResult {
  const { write_id, applied, content_ids, deviation_ids, flag_ids, repeated } = result;
  const deviations = deviation_ids.length === 0 ? '' : ` Deviation: ${deviation_ids.join(', ')}.`;
  return done({
    summary: applied ? `applied ${write_id}` : `held ${write_id}`,
    lines: [
      applied
        ? `Applied as ${lifecycle}: ${content_ids.join(', ')} (write ${write_id}).${deviations}`
        : `Held for the author, not applied (write ${write_id}).${deviations}`,
    ],
    data: { write_id, applied, content_ids, deviation_ids, flag_ids, repeated },
    write: { write_id, applied, content_ids },
    deviations: deviation_ids,
    notes: [...(repeated ? ['this write had been made before: its first result'] : []), ...notes],
  });
}
