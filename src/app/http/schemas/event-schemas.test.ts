/** Every event that a stream sends has the form that the document gives. */
import { setImmediate as loopTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Desk, incidentEvents, openDesk, researchEvents } from '../testbed.contract.ts';
import { runStep, threadEvent, workspaceEvent } from './event-schemas.ts';

let desk: Desk;
let over: AbortController;
beforeEach(async () => {
  over = new AbortController();
  desk = await openDesk();
});
afterEach(async () => {
  over.abort();
  await desk.close();
});

interface Heard {
  readonly kind: string;
  readonly data: unknown;
}

/** Listens from when this resolves; what is heard grows until the test is over. */
async function listen(path: string): Promise<readonly Heard[]> {
  const response = await desk.ask(path, { signal: over.signal });
  const heard: Heard[] = [];
  async function take(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const piece of response.body!) {
      rest += decoder.decode(piece, { stream: true });
      const whole = rest.split('\n\n');
      rest = whole.pop()!;
      for (const text of whole) {
        const kind = /^event: (.*)$/m.exec(text)?.[1];
        const data = /^data: (.*)$/m.exec(text)?.[1];
        if (kind !== undefined && data !== undefined && kind !== 'end')
          heard.push({ kind, data: JSON.parse(data) });
      }
    }
  }
  take().catch(() => {
    // The test is over.
  });
  return heard;
}

function check(heard: readonly Heard[], schema: z.ZodType): void {
  const wrong = heard.flatMap(({ kind, data }) => {
    const { success, error } = schema.safeParse(data);
    return success ? [] : [`${kind}: ${z.prettifyError(error)} in ${JSON.stringify(data)}`];
  });
  expect(wrong).toEqual([]);
}

const kindsOf = (heard: readonly Heard[]): readonly string[] => [...new Set(heard.map(({ kind }) => kind))];
const ends = (heard: readonly Heard[]): number => heard.filter(({ kind }) => kind === 'turn_ended').length;

describe('events', () => {
  it('of a conversation: a call that writes, with what it changed', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const heard = await listen('/threads/talk/events');
    await desk.send('POST', '/threads/talk/messages', { text: 'propose New/Page' });
    await expect.poll(() => ends(heard)).toBe(1);
    check(heard, threadEvent);
    expect(kindsOf(heard)).toEqual(
      expect.arrayContaining(['turn_started', 'tool_started', 'tool_finished', 'turn_ended']),
    );
    const written = heard.find(({ data }) => JSON.stringify(data).includes('"changes":[{'));
    expect(written?.kind).toBe('tool_finished');
  });

  it('of a conversation: a question', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const heard = await listen('/threads/talk/events');
    await desk.send('POST', '/threads/talk/messages', { text: 'ask me' });
    await expect.poll(() => ends(heard)).toBe(1);
    check(heard, threadEvent);
    expect(JSON.stringify(heard)).toContain('"questions":[{');
  });

  it('of a conversation that writes, is steered, asks and is answered', async () => {
    await desk.sessions.threads.create({ id: 'talk' });
    const heard = await listen('/threads/talk/events');
    const act = (what: string, body: object) => desk.send('POST', `/threads/talk/${what}`, body);
    const stands = async (state: string): Promise<void> => {
      while ((await desk.get('/threads/talk')).body.state !== state) await loopTurn();
    };
    await act('messages', { text: 'propose New/Page' });
    await expect.poll(() => ends(heard)).toBe(1);
    await stands('idle');
    await act('messages', { text: 'wait for it' });
    await expect.poll(() => JSON.stringify(heard)).toContain('"name":"wait"');
    expect((await act('steer', { text: 'look there' })).status).toBe(202);
    desk.agent.release();
    // Words that came too late for the turn begin one of their own.
    await expect.poll(() => ends(heard)).toBeGreaterThanOrEqual(2);
    await stands('idle');
    await act('messages', { text: 'ask me' });
    await stands('interrupted');
    const [question] = (await desk.get('/threads/talk')).body.questions;
    await act('answers', { question: question.id, value: 'blue' });
    await expect.poll(() => JSON.stringify(heard)).toContain('heard: ask me');
    check(heard, threadEvent);
  });

  it('of the workspace: what is written, and the steps of runs', async () => {
    const heard = await listen('/events');
    desk.write('author', { op: 'create_page', path: 'A', text: 'One.\n' });
    await desk.run('turn', researchEvents);
    await expect.poll(() => kindsOf(heard), { timeout: 10_000 }).toContain('run_finished');
    check(heard, workspaceEvent);
    expect(kindsOf(heard)).toEqual(expect.arrayContaining(['create_page', 'run_started']));
  });

  it.each([
    ['a question', researchEvents],
    ['an incident', incidentEvents],
  ])('of a run: %s', async (_, events) => {
    await desk.run('one', events, desk.own);
    const heard = await listen('/runs/one/events');
    await expect.poll(() => heard.length).toBe(events.length);
    check(heard, runStep);
    expect(kindsOf(heard)).toEqual([...new Set(events.map(({ kind }) => kind))]);
  });
});

it('the document names the schema of the events of each stream', async () => {
  const { body } = await desk.get('/openapi.json');
  const named = ['/events', '/threads/{thread}/events', '/runs/{run}/events'].map(
    (path) =>
      body.paths[`/api/v1${path}`].get.responses['200'].content['text/event-stream']['x-event-data'].$ref,
  );
  expect(named).toEqual(
    ['WorkspaceEvent', 'ThreadEvent', 'RunStep'].map((name) => `#/components/schemas/${name}`),
  );
  for (const ref of named) expect(body.components.schemas[ref.split('/').at(-1)]).toBeDefined();
});
