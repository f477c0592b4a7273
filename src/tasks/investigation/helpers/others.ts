/** Helpers for memory, the budget, and proposed changes. */
import { resources, SondeError } from '../../../core/index.ts';
import { type Helper, refuse, textArgument, wholeArgument } from './helper.ts';
import { fromPort } from './ports.ts';

export const memoryGet: Helper = async (args, { runContext: context }) => {
  const { memory } = context.material;
  if (memory === undefined)
    throw new SondeError('not_found', {
      message: 'there is no memory here',
      remedy: 'Memory belongs to a workspace.',
    });
  const tier = textArgument(args, 'tier', 100);
  if (!memory.tiers.includes(tier))
    refuse(`there is no tier ${tier} here; there are: ${memory.tiers.join(', ')}`);
  if (args['key'] === undefined || args['key'] === null) {
    const max = wholeArgument(args, 'limit', 1, 200) ?? 20;
    const items = await fromPort('memory', async () => memory.list(tier, max));
    return {
      value: items.map(({ key, text }) => ({ key, text })),
      summary: `${items.length} items of ${tier}`,
    };
  }
  const key = textArgument(args, 'key', 200);
  const item = await fromPort('memory', async () => memory.get(tier, key));
  return { value: item?.text ?? null, summary: `${tier} ${key}` };
};

export const budget: Helper = (_, { place }) => {
  const remaining = place.pool.remaining();
  const value = Object.fromEntries(
    resources.map((name) => [name, Number.isFinite(remaining[name]) ? remaining[name] : null] as const),
  );
  return { value, summary: JSON.stringify(value) };
};

const proposableFields: Readonly<Record<string, readonly string[]>> = {
  create_page: ['path', 'text'],
  update_page: ['page', 'text'],
  add_block: ['page', 'text'],
  update_block: ['block', 'text'],
  set_properties: ['page', 'set'],
  add_tag: ['content', 'tag'],
};

const maxProposals = 100;
const maxProposalBytes = 64_000;

export const proposeWrite: Helper = (args, { runContext: context, place, cell }) => {
  if (context.material.kind !== 'workspace')
    throw new SondeError('run_state', {
      message: 'this material is read only: there are no pages to write',
      remedy: 'Say it in the answer.',
    });
  const op = textArgument(args, 'op', 100);
  const requiredFields = Object.hasOwn(proposableFields, op) ? proposableFields[op]! : null;
  if (requiredFields === null)
    return refuse(`${op} can't be proposed; these can: ${Object.keys(proposableFields).join(', ')}`);
  const fields = (args['fields'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of requiredFields)
    if (fields[name] === undefined || fields[name] === null || fields[name] === '')
      refuse(`${op} needs ${requiredFields.join(' and ')}`);
  if (Buffer.byteLength(JSON.stringify(fields)) > maxProposalBytes)
    refuse(`${op} is larger than ${maxProposalBytes} bytes`);
  const { proposals } = cell.gains();
  if (proposals.length >= maxProposals) refuse(`${maxProposals} changes are proposed already`);
  const id = `${place.key}#${proposals.length + 1}`;
  return {
    value: `proposed (${proposals.length + 1}); it goes out with FINAL`,
    gains: { proposals: [{ id, op, fields }] },
    summary: `${op} ${String(fields[requiredFields[0]!]).slice(0, 100)}`,
  };
};
