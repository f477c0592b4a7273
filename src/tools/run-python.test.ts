import { afterAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../core/index.ts';
import { createSandbox, type Sandbox } from '../sandbox/index.ts';
import { scriptedSandbox } from '../sandbox/scripted.ts';
import { capabilitySet } from './capability-sets.ts';
import { openToolHost } from './open-host.ts';
import { pythonTools } from './run-python.ts';
import { createCall } from './testbed/plain-tools.ts';

const call = createCall({ capabilities: capabilitySet('agent') });
const data = (result: ToolResult) => (result.ok ? (result.data as Record<string, unknown>) : result.error);

describe('run_python', () => {
  let real: Sandbox | undefined;
  const host = openToolHost({
    tools: pythonTools(async () => {
      real = createSandbox({ isolation: 'thread' });
      return real;
    }),
  });
  afterAll(() => real?.close());

  it.each<[string, object, object, RegExp]>([
    ['prints', { code: 'print("a")\nprint("b")' }, { status: 'ok', stdout: 'a\nb\n' }, /^a\nb$/],
    ['a value', { code: 'sum(range(10))' }, { status: 'ok', value: '45' }, /^45$/],
    ['an error is what the program did', { code: '1/0' }, { status: 'error' }, /ZeroDivisionError/],
    ['nothing is kept', { code: 'x' }, { status: 'error' }, /NameError/],
    ['no files', { code: 'open("/etc/passwd")' }, { status: 'error' }, /Error/],
  ])('%s', async (_name, args, held, text) => {
    await host.callTool('run_python', { code: 'x = 1' }, call);
    const result = await host.callTool('run_python', args, call);
    expect(result).toMatchObject({ ok: true, text: expect.stringMatching(text), data: held });
  });

  // world.md: Sandbox 4, 6.
  it('a limit is a budget error with its numbers, and there is no way out', async () => {
    const endless = await host.callTool('run_python', { code: 'while True: pass', seconds: 1 }, call);
    expect(data(endless)).toMatchObject({
      code: 'budget',
      details: { limit: expect.stringMatching(/wall_ms|fuel/) },
    });
    const asks = 'import sonde_host\nprint(sonde_host.call_host("kb_read", {}))';
    expect(data(await host.callTool('run_python', { code: asks }, call))).toMatchObject({ status: 'error' });
  });

  it('is cancelled', async () => {
    const controller = new AbortController();
    real ??= createSandbox({ isolation: 'thread' });
    const session = await real.open();
    const execute = session.execute.bind(session);
    session.execute = (code, options) => {
      const running = execute(code, options);
      controller.abort();
      return running;
    };
    const { callTool } = openToolHost({
      tools: pythonTools(async () => ({ ...scriptedSandbox(), open: async () => session })),
    });
    const request = { code: 'while True: pass' };
    const result = await callTool('run_python', request, { ...call, signal: controller.signal });
    expect(data(result)).toMatchObject({ code: 'cancelled' });
  });
});

describe('the sandbox behind it', () => {
  it('is started by the first program, and each instance is closed', async () => {
    let started = 0;
    const sandbox = scriptedSandbox({ printed: 'hello' });
    const host = openToolHost({
      tools: pythonTools(async () => {
        started += 1;
        if (started === 1) throw new Error('no room');
        return sandbox;
      }),
    });
    host.list();
    expect(started).toBe(0);
    expect(data(await host.callTool('run_python', { code: '1' }, call))).toMatchObject({ code: 'tool' });
    const many = Array.from({ length: 5 }, () => host.callTool('run_python', { code: '1' }, call));
    for (const result of await Promise.all(many)) expect(result).toMatchObject({ ok: true, text: 'hello' });
    expect([started, sandbox.cells.length, sandbox.open_sessions]).toEqual([2, 5, 0]);
  });
});
