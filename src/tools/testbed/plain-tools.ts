/** Tools for tests of the host and its clients. Each does one thing that a tool may do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  createEvidence,
  SondeError,
  type Tool,
  type ToolCall,
  toolFailure,
  toolReply,
} from '../../core/index.ts';
import { readTool, writeTool } from '../define.ts';

export interface RecordedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly call: ToolCall;
}

/** Every effect is recorded in `effects`. */
export function plainTools(effects: RecordedCall[] = []): readonly Tool[] {
  const first = new Map<string, number>();
  return [
    readTool({
      name: 'echo',
      description: 'Gives back what it was given.',
      input: { value: z.unknown().optional() },
      capability: 'PagesRead',
      cost: 'nothing',
      run(args, call) {
        effects.push({ tool: 'echo', args, call });
        return toolReply('text with ü, 配 and \u0007', args.value, {
          evidence: [
            createEvidence({
              file_path: 'a/b.ts',
              start_line: 1,
              end_line: 2,
              content: 'one\ntwo',
              reason: 'r',
              provenance: 'grep',
            }),
          ],
          reads: ['pg-1', 'run-1'],
          completeness: 'unknown',
          notes: ['a note'],
        });
      },
    }),
    writeTool(
      {
        name: 'write',
        description: 'Writes, once for a key.',
        input: { text: z.string().min(1) },
        capability: 'PagesWrite',
        cost: 'nothing',
        run(args, call) {
          const seen = call.idempotencyKey === null ? undefined : first.get(call.idempotencyKey);
          if (seen === undefined) {
            effects.push({ tool: 'write', args, call });
            if (call.idempotencyKey !== null) first.set(call.idempotencyKey, effects.length);
          }
          const write_id = `wr-${seen ?? effects.length}`;
          return toolReply('written', null, {
            write: { write_id, applied: false, content_ids: ['pg-1'] },
            deviation_ids: ['dv-1'],
          });
        },
      },
      'read_trail',
    ),
    readTool({
      name: 'slow',
      description: 'Takes its time, and notes that it began and that it was to stop, but goes on.',
      input: { ms: z.int().default(5_000) },
      capability: null,
      cost: 'much',
      async run({ ms }, call) {
        effects.push({ tool: 'slow', args: { ms }, call });
        call.signal?.addEventListener('abort', () =>
          effects.push({ tool: 'slow, aborted', args: { ms }, call }),
        );
        await sleep(ms, undefined, { ref: false });
        return toolReply('at last', null);
      },
    }),
    readTool({
      name: 'fail',
      description: 'Fails in the way asked for.',
      input: { how: z.enum(['value', 'thrown', 'known', 'input', 'nothing', 'circle']) },
      capability: null,
      cost: 'nothing',
      run({ how }) {
        if (how === 'value') return toolFailure('budget', 'the pool is empty', { details: { used: 3 } });
        if (how === 'known')
          throw new SondeError('store_locked', { message: 'the store is held', remedy: 'Wait.' });
        if (how === 'input') throw new SondeError('bad_pattern', { message: 'the pattern is none' });
        if (how === 'nothing') throw null;
        if (how === 'circle') {
          const circle: Record<string, unknown> = {};
          circle['self'] = circle;
          return toolReply('round', circle);
        }
        throw new Error('no way: password=hunter22 in the-process-secret\n at line 2');
      },
    }),
    readTool({
      name: 'large',
      description: 'As much as asked for.',
      input: {
        text: z.int().default(0),
        data: z.int().default(0),
        evidence: z.int().default(0),
        unit: z.string().default('x'),
      },
      capability: 'PagesRead',
      cost: 'much',
      run: (args) =>
        toolReply(
          args.unit.repeat(args.text),
          { rows: 'y'.repeat(args.data) },
          {
            evidence: Array.from({ length: args.evidence }, (_, n) =>
              createEvidence({
                file_path: `f${n}.ts`,
                start_line: 1,
                end_line: 1,
                content: 'z'.repeat(1000),
                reason: 'r',
                provenance: 'grep',
              }),
            ),
          },
        ),
    }),
  ];
}

export const createCall = (more: Partial<ToolCall> = {}): ToolCall => ({
  caller: { kind: 'agent', name: 'planner', device: 'test', thread: 't1', channel: null },
  capabilities: new Set(['PagesRead', 'PagesWrite']),
  idempotencyKey: null,
  readTrail: [],
  ...more,
});
