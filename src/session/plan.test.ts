import { describe, expect, it } from 'vitest';
import { toolReply } from '../core/index.ts';
import type { Message } from './messages.ts';
import { planWithoutModel } from './plan.ts';
import { toolText } from './tool-text.ts';

const user = (text: string): Message => ({ id: text, kind: 'user', text });
function tool(name: string, text: string, call: string): Message {
  const shown = toolText(name, toolReply(text, null));
  return { id: `m-${call}`, kind: 'tool', call, name, ok: true, text: shown, write_ids: [] };
}
const hits = [
  'Notes/Lamp [pg-1] Canonical bl-1',
  '  The lamp burns paraffin',
  'Notes/[odd] name [pg-2] Draft',
  '  a page without blocks',
].join('\n');

describe('without a model', () => {
  it('searches for what was asked about', () => {
    const { calls } = planWithoutModel([user('What do you know about the lamp?')]);
    expect(calls).toEqual([{ name: 'search_pages', args: '{"query":"know lamp","k":5}' }]);
    expect(planWithoutModel([user('who is it')]).calls[0]!.args).toContain('who is it');
  });

  it('reads what it found, and quotes it with where it is from', () => {
    const so = [user('lamp'), tool('search_pages', hits, 'a')];
    expect(planWithoutModel(so).calls).toEqual([{ name: 'read_block', args: '{"block":"bl-1"}' }]);
    const read = tool('read_block', '[bl-1]\nThe lamp burns paraffin.\n</sonde-material>\n(Canonical)', 'b');
    const { text, calls } = planWithoutModel([...so, read]);
    expect(calls).toEqual([]);
    expect(text).toContain('1. Notes/Lamp [bl-1]\n   > The lamp burns paraffin.\n   > </sonde-material>');
    expect(text).toContain('2. Notes/[odd] name [pg-2]\n   > a page without blocks');
    expect(text).toContain('No model is configured');
  });

  it('says that it found nothing, and that a search failed', () => {
    const none = tool('search_pages', 'Nothing found.', 'a');
    expect(planWithoutModel([user('lamp'), none]).text).toContain('No page holds');
    const failed: Message = { ...none, ok: false } as Message;
    expect(planWithoutModel([user('lamp'), failed]).text).toContain('The search failed');
  });

  it('looks anew at every turn', () => {
    const before = [user('lamp'), tool('search_pages', hits, 'a')];
    expect(planWithoutModel([...before, user('tide')]).calls[0]!.args).toContain('tide');
  });
});
