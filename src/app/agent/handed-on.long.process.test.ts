/** What a conversation hands on, over a real workspace and its tools: nothing but the result comes back. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { capabilitySet } from '../../tools/index.ts';
import { openRun } from '../runs/runs.ts';
import {
  type Conversation,
  type ConversationRequest,
  decision,
  isPlanner,
  openConversation,
  readLastTurn,
} from '../testbed/conversation.contract.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

let talk: Conversation | undefined;
afterEach(async () => {
  await talk?.close();
  talk = undefined;
});

/** Text of which no eight words in a row occur anywhere else. */
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => `w${seed}x${(n * 7919) % 10_007}`).join(' ');
const manyPages = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [
    `Notes/Page ${n}`,
    `# Page ${n}\n\n${words(n, 400).replace(/((?:\S+ ){12})/g, '$1\n')}\n\nTotal: ${n * 10} kg\n`,
  ]),
);
const grams = (text: string): Set<string> => {
  const list = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return new Set(list.slice(0, -7).map((_, n) => list.slice(n, n + 8).join(' ')));
};
const inPages = new Set(Object.values(manyPages).flatMap((text) => [...grams(text)]));
const leaked = (text: string): readonly string[] => [...grams(text)].filter((gram) => inPages.has(gram));

const code = (...lines: readonly string[]) => `\`\`\`python\n${lines.join('\n')}\n\`\`\``;

/** Which turn an investigation says it is at. Undefined in its last, and in what is no investigation. */
const turnTold = (prompt: string): number | undefined =>
  [...prompt.matchAll(/^Turn (\d+);/gm)].map(([, turn]) => Number(turn)).at(-1);

/** Cells of an investigation, by how many turns it has had. */
const cells = (prompt: string, ...blocks: readonly string[]): string => {
  const turn = turnTold(prompt) ?? blocks.length;
  return blocks[turn - 1] ?? blocks.at(-1)!;
};

/** Hands one piece of work on, and says what came of it. */
const handsOn = (shape: string, params: object) => (prompt: string) => {
  const turn = readLastTurn(prompt);
  if (!turn.includes('\n## task (')) return decision('', ['task', { shape, params }]);
  return decision(
    `said: ${/<sonde-material source="task"[^>]*>\n([\s\S]*?)(?=\n\nrun_id: |\n<\/sonde-material)/.exec(turn)?.[1] ?? turn.slice(turn.indexOf('## task ('))}`,
  );
};

async function talking(
  planner: (prompt: string) => string,
  inside: (prompt: string) => string,
  more: Partial<ConversationRequest> = {},
): Promise<Conversation> {
  talk = await openConversation({
    reply: (prompt) => (isPlanner(prompt) ? planner(prompt) : inside(prompt)),
    ...more,
  });
  return talk;
}

const counting = (prompt: string) =>
  cells(
    prompt,
    code('hits = kb_search("w1x1 w2x2 w3x3", wide=True)', 'print([h.text for h in hits])'),
    code('pages = [kb_read(f"Notes/Page {n}") for n in range(30)]', 'print(pages[3])', 'pages[4]'),
    code('raise ValueError(str(pages[5]))'),
    code(
      'import re',
      'total = sum(int(re.search(r"Total: (\\d+) kg", str(p)).group(1)) for p in pages)',
      'at = next(n for n, line in pages[2].lines if line.startswith("Total"))',
      'FINAL(f"All pages together hold {total} kg, page 2 of it 20 kg {pages[2].cite(at, at)}.")',
    ),
  );

/** The processes that a sandbox has put its workers in, on the whole machine. */
const sandboxProcesses = (): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('process.cjs');
    } catch {
      return false;
    }
  });
const ownSandboxes = (): number =>
  sandboxProcesses().filter((pid) => ancestors(pid).includes(String(process.pid))).length;
function ancestors(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]!;
    return parent === '0' ? [] : [parent, ...ancestors(parent)];
  } catch {
    return [];
  }
}

// world.md: Sandbox 8.
describe.skipIf(process.platform !== 'linux')('the sandbox', () => {
  it('is not started by a turn that does without it, and is by one that hands on an investigation', async () => {
    const seen: number[] = [];
    const { send: say } = await talking(
      (prompt) => {
        seen.push(ownSandboxes());
        const turn = readLastTurn(prompt);
        if (turn.includes('and now in code'))
          return handsOn('investigation', { prompt: 'How much?' })(prompt);
        if (!turn.includes('\n## search_pages (')) return decision('', ['search_pages', { query: 'kg' }]);
        return decision('some');
      },
      (prompt) => {
        seen.push(ownSandboxes());
        return counting(prompt);
      },
      { pages: manyPages },
    );
    expect(await say('how much is there?')).toMatchObject({ status: 'answered', text: 'some' });
    expect([...seen, ownSandboxes()]).toEqual([0, 0, 0]);
    expect(await say('and now in code')).toMatchObject({ status: 'answered' });
    expect(Math.max(...seen)).toBeGreaterThan(0);
  });
});

describe('an investigation over the pages', () => {
  // world.md: Investigation 1, 22, 24.
  it('gives its answer, and no eight words of the material to checkpoint, messages or stream', async () => {
    const {
      send: say,
      prompts,
      events,
      readStored: kept,
      path,
    } = await talking(handsOn('investigation', { prompt: 'How much is it together?' }), counting, {
      pages: manyPages,
    });
    const { status, text } = await say('how much is it?');
    expect({ status, text }).toMatchObject({
      status: 'answered',
      text: expect.stringContaining('said: All pages together hold 4350 kg'),
    });
    // The check finds what is there: the investigation's own prompts hold the material.
    expect(leaked(prompts().others.join('\n')).length).toBeGreaterThan(100);
    expect(leaked(kept())).toEqual([]);
    expect(leaked(JSON.stringify(events))).toEqual([]);
    expect(leaked(prompts().planner.join('\n'))).toEqual([]);
    const [, answered = ''] = prompts().planner;
    const result = /<sonde-material source="task"[^>]*>\n([\s\S]*?)\n<\/sonde-material/.exec(answered)?.[1];
    expect(Buffer.byteLength(result ?? '')).toBeGreaterThan(100);
    expect(Buffer.byteLength(result ?? '')).toBeLessThanOrEqual(4_096);
    expect(result).toContain('\nstatus: verified\n');
    expect(result).toContain('\nverification: verified');
    expect(result).toMatch(/\ncitations: ev-\w+ Notes\/Page 2:/);
    // What was read, run and thrown away is behind the run's id.
    const [, run = ''] = /^run_id: (.*)$/m.exec(result ?? '') ?? [];
    expect((await openRun(run, path)).cells()).toContain('kb_read(f"Notes/Page {n}")');
  });

  it('is paid from the budget of the conversation, which sees it', async () => {
    const {
      send: say,
      events,
      opened,
    } = await talking(handsOn('investigation', { prompt: 'How much is it together?' }), counting, {
      pages: manyPages,
    });
    const { run_id } = await say('how much is it?');
    const { openStoreIn } = await import('../../store/index.ts');
    const store = openStoreIn(opened.open.database);
    const [child] = (await store.runs.list()).filter(({ shape }) => shape === 'investigation');
    // Two calls of the planner, and four inside: of 1,050 tokens each.
    expect((await store.accounts.balance(run_id!)).spent).toMatchObject({ tokens: 6 * 1_050, calls: 6 });
    expect(child).toMatchObject({ status: 'finished', params: { limits: { tokens: expect.any(Number) } } });
    const left = 200_000 - 1_050;
    expect((child!.params['limits'] as { tokens: number }).tokens).toBe(Math.floor(left * 0.75));
    const spent = events.flatMap((event) => (event.kind === 'budget' ? [event.spent.tokens] : []));
    expect(spent.at(-1)).toBe(6 * 1_050);
    await store.close();
  });

  it('ends with what it has where the budget of the conversation is small, and leaves it enough to say so', async () => {
    const { send: say } = await talking(
      handsOn('investigation', { prompt: 'How much is it together?' }),
      () => code('draft = "some pages"', 'print(kb_read("Notes/Page 1"))'),
      { pages: manyPages, limits: { max_tokens: 60_000 } },
    );
    expect(await say('how much is it?')).toMatchObject({
      status: 'answered',
      text: expect.stringMatching(/^said: UNVERIFIED: .*some pages$/s),
    });
  });

  // world.md: Investigation 11, 21; Submit boundary 4, 5.
  it('proposes over the tools: candidates that derive from exactly what was read', async () => {
    const {
      send: say,
      events,
      opened,
      prompts,
    } = await talking(
      handsOn('investigation', { prompt: 'Sum it up in a page.' }),
      (prompt) =>
        cells(
          prompt,
          code(
            'a, b = kb_read("Notes/Page 1"), kb_read("Notes/Page 2")',
            'kb_search("Page 9")',
            'propose_write("create_page", path="Totals", text="Together: 30 kg.\\n")',
            'propose_write("update_page", page="Notes/Page 1", text="Nothing.\\n")',
            'propose_write("add_tag", content="Notes/Page 2", tag="summed")',
            'propose_write("create_page", path="Notes/Page 1", text="Again.\\n")',
            'FINAL("Written.")',
          ),
        ),
      { pages: manyPages },
    );
    await say('sum it up');
    const { world } = opened.open;
    const made = world.page('Totals')!;
    expect(made).toMatchObject({
      origin: 'AgentProduced',
      lifecycle: 'Candidate',
      origin_source_id: 'tool:create_page',
    });
    const sources = world.sourcesOf(made.id).map(({ source_id }) => source_id);
    expect(sources.sort()).toEqual(
      ['Notes/Page 1', 'Notes/Page 2'].map((path) => world.page(path)!.id).sort(),
    );
    // The author's page stands, and the edit waits for him.
    expect(world.read(world.page('Notes/Page 1')!.id, 'all')!.blocks.length).toBeGreaterThan(1);
    const held = world
      .deviations({ status: 'open' })
      .map(({ submitted }) => (submitted.operation as { readonly op: string }).op);
    expect(held.sort()).toEqual(['add_tag', 'update_page']);
    const page = prompts().planner.at(-1)!;
    expect(page).toMatch(/write-1 create_page Totals: applied, wr-\w+ pg-\w+/);
    expect(page).toMatch(/write-2 update_page Notes\/Page 1: held, wr-\w+/);
    expect(page).toMatch(/write-4 create_page Notes\/Page 1: refused, /);
    // What was written is told to the person as it happens; what was read is not.
    const told = events.flatMap((event) => (event.kind === 'tool_finished' ? [event.name] : []));
    expect(told).toEqual(['create_page', 'update_page', 'add_tag', 'task']);
  });

  describe('and a page that the planner writes upon its answer', () => {
    const readsTwo = (prompt: string) =>
      cells(
        prompt,
        code(
          'a, b = kb_read("Notes/Page 1"), kb_read("Notes/Page 2")',
          'kb_search("Page 9")',
          'FINAL("30 kg")',
        ),
      );
    const task = { shape: 'investigation', params: { prompt: 'How much are pages 1 and 2?' } };
    /** Hands on, then writes with what `sources` makes of the run, then says what came of it. */
    const writesUpon =
      (sources: (run: string) => object) =>
      (prompt: string): string => {
        const turn = readLastTurn(prompt);
        const [run] = /run-[0-9a-z]{15}/.exec(prompt) ?? [];
        if (run === undefined) return decision('', ['task', task]);
        if (turn.includes('\n## create_page ('))
          return decision(turn.slice(turn.lastIndexOf('\n## create_page (')));
        if (turn.includes('look it up') && !turn.includes('\n## read_page ('))
          return decision('', ['read_page', { page: 'Notes/Page 3' }]);
        if (turn.includes('only ask')) return decision('asked');
        return decision('', ['create_page', { path: 'Sum', text: '30 kg\n', ...sources(run) }]);
      };
    const restsOn = ({ opened: { open } }: Conversation): readonly string[] =>
      open.world
        .sourcesOf(open.world.page('Sum')!.id)
        .map(({ source_id }) => open.world.page(source_id)!.path)
        .sort();
    const both = ['Notes/Page 1', 'Notes/Page 2'];

    it.each<[string, boolean, readonly string[]]>([
      ['its run named', true, ['only ask', 'write']],
      ['nothing named', false, ['go']],
    ])('rests on what its answer cites, not on all that its code went over: %s', async (_, named, said) => {
      const cites = (prompt: string) =>
        cells(
          prompt,
          code(
            'pages = [kb_read(f"Notes/Page {n}") for n in range(9)]',
            'FINAL("30 kg, " + pages[2].cite(1, 1) + ".")',
          ),
        );
      const talk = await talking(
        writesUpon((run) => (named ? { derived_from: [run] } : {})),
        cites,
        { pages: manyPages },
      );
      for (const words of said) expect((await talk.send(words)).status).toBe('answered');
      expect(restsOn(talk)).toEqual(['Notes/Page 2']);
    });

    // world.md: Investigation 11, 12; Provenance 4.
    it.each<[string, object, readonly string[], readonly string[]]>([
      ['exactly what it read', {}, ['go'], both],
      ['what it read, and what the planner read itself', {}, ['look it up, too'], [...both, 'Notes/Page 3']],
      ['what it read, where its run is named in a later turn', { named: true }, ['only ask', 'write'], both],
      ['nothing of it in a later turn, where it is not named', {}, ['only ask', 'write'], []],
    ])('rests on %s', async (_, { named = false }: { named?: boolean }, said, wanted) => {
      const talk = await talking(
        writesUpon((run) => (named ? { derived_from: [run] } : {})),
        readsTwo,
        { pages: manyPages },
      );
      for (const words of said) expect((await talk.send(words)).status).toBe('answered');
      expect(restsOn(talk)).toEqual(wanted);
    });

    it.each<[string, (run: string) => readonly string[]]>([
      ['a page that neither of them read', () => ['Notes/Page 9']],
      ['a run that is not there', (run) => [`${run.slice(0, -1)}${run.endsWith('0') ? '1' : '0'}`]],
      ['the run with a page that it did not read', (run) => [run, 'Notes/Page 9']],
    ])('rests on nothing that was not read: %s', async (_, derived_from) => {
      const talk = await talking(
        writesUpon((run) => ({ derived_from: derived_from(run) })),
        readsTwo,
        { pages: manyPages },
      );
      expect((await talk.send('go')).text).toContain('nothing can rest on');
      expect(talk.opened.open.world.page('Sum')).toBeNull();
    });

    it('knows no run of another conversation', async () => {
      const talk = await talking(
        writesUpon(() => ({})),
        readsTwo,
        { pages: manyPages },
      );
      await talk.send('only ask');
      const [run] = /run-[0-9a-z]{15}/.exec(talk.prompts().planner.at(-1)!) ?? [];
      const create = (thread: string) => {
        const caller = { kind: 'agent', name: 'agent', device: 'here', thread, channel: null } as const;
        const call = { caller, capabilities: capabilitySet('agent'), idempotencyKey: null, readTrail: [] };
        const args = { path: `Of ${thread}`, text: 'x\n', derived_from: [run] };
        return talk.opened.host.callTool('create_page', args, call);
      };
      expect(await create('elsewhere')).toMatchObject({ ok: false, error: { code: 'validation' } });
      expect(await create('talk')).toMatchObject({ ok: true });
    });
  });

  it('reads a page that is longer than a result of a tool', async () => {
    const long = `${'one line of many\n'.repeat(20_000)}the last line is a pelican\n`;
    const { send: say } = await talking(
      handsOn('investigation', { prompt: 'What is the last line?' }),
      (prompt) => cells(prompt, code('p = kb_read("Long")', 'FINAL(f"{len(p.lines)}: {p.lines[-1][1]}")')),
      { pages: { ...manyPages, Long: long } },
    );
    expect((await say('go')).text).toContain('20001: the last line is a pelican');
  });

  it('remembers with the conversation, and sees no further', async () => {
    const { send: say, opened } = await talking(
      (prompt) =>
        readLastTurn(prompt).includes('\n## put_memory (')
          ? handsOn('investigation', { prompt: 'What is remembered?' })(prompt)
          : decision('', ['put_memory', { tier: 'conversation', key: 'lamp', text: 'burns paraffin' }]),
      (prompt) =>
        cells(
          prompt,
          code(
            'tiers = []',
            'for tier in ("conversation", "channel", "workspace", "account"):',
            '    try:',
            '        tiers.append((tier, memory_get(tier, "lamp")))',
            '    except Exception as error:',
            '        tiers.append((tier, error.code))',
            'FINAL(str(tiers))',
          ),
        ),
      { pages: manyPages },
    );
    await say('go');
    const { messages } = await messagesOf(opened.open.database);
    expect(JSON.stringify(messages)).toContain(
      "[('conversation', 'burns paraffin'), ('channel', 'bad_argument'), ('workspace', None), ('account', None)]",
    );
  });

  it('is cancelled, and goes on where it was', async () => {
    let slow = true;
    const {
      send: say,
      resume,
      cancel,
      prompts,
      model,
    } = await talking(
      handsOn('investigation', { prompt: 'How much is it together?' }),
      (prompt) => {
        if (!slow || turnTold(prompt) !== 3) return counting(prompt);
        slow = false;
        void cancel();
        return code('import time', 'time.sleep(20)');
      },
      { pages: manyPages },
    );
    expect(await say('how much is it?')).toMatchObject({ status: 'cancelled' });
    expect(prompts().others.length).toBeGreaterThanOrEqual(3);
    expect(await resume()).toMatchObject({
      status: 'answered',
      text: expect.stringContaining('said: All pages together hold 4350 kg'),
    });
    // Turns one and two were not asked again.
    expect(model.served.filter(({ prompt }) => [1, 2].includes(turnTold(prompt) ?? 0))).toHaveLength(2);
  });
});

describe('a research', () => {
  /** The first line of a piece that says something, without its number. */
  const quoteOf = (prompt: string, id: string): string => {
    const block = prompt
      .slice(prompt.indexOf(`source="${id}`))
      .split('\n')
      .slice(1);
    return block.map((line) => line.replace(/^\s*\d+\|\s?/, '')).find((line) => /^[\w ]{12,}/.test(line))!;
  };
  const looks = (prompt: string) => {
    const found = /\bev-(?!0123456789|abcdef0123)[0-9a-f]{10}\b/.exec(prompt)?.[0];
    const action =
      found === undefined
        ? { name: 'hybrid_search', query: 'lamp burns paraffin backoff attempts', k: 5 }
        : { name: 'finalize', answer: `It says "${quoteOf(prompt, found)}" [${found}].`, confidence: 0.9 };
    return JSON.stringify({ reasoning: 'look', action });
  };

  it.each([
    ['pages', 'Lighthouse/Lamp'],
    ['code', 'src/delivery.ts'],
  ])(
    'over the %s answers with citations that were checked, and what is written then rests on the pages it saw',
    async (over, path) => {
      const answers = handsOn('research', {
        question: 'What does the lamp burn, and how long is the backoff?',
        over,
      });
      const {
        send: say,
        prompts,
        opened,
      } = await talking(
        (prompt) => {
          const turn = readLastTurn(prompt);
          return turn.includes('\n## task (') && !turn.includes('\n## create_page (')
            ? decision('', ['create_page', { path: 'Found', text: 'Paraffin.\n' }])
            : answers(prompt);
        },
        looks,
        { root: createSmallTree() },
      );
      expect((await say('go')).text).toMatch(/^said: It says "[^"]+" \[ev-/);
      expect(prompts().planner.at(-1)).toContain(` ${path}:`);
      const { world } = opened.open;
      const sources = world
        .sourcesOf(world.page('Found')!.id)
        .map(({ source_id }) => world.page(source_id)!.path);
      if (over === 'pages') expect(sources).toContain('Lighthouse/Lamp');
      else expect(sources).toEqual([]);
    },
  );
});

// world.md: Errors 5; Task registry 12.
it.each([
  ['SandboxRun', { shape: 'investigation', params: { prompt: 'How much?' } }],
  ['PagesRead', { shape: 'investigation', params: { prompt: 'How much?' } }],
  ['PagesRead', { shape: 'research', params: { question: 'How much?' } }],
] as const)(
  'a conversation whose connection lacks %s is refused by its host’s word: %o',
  async (lacking, task) => {
    const may = [...capabilitySet('agent')].filter((each) => each !== lacking);
    const {
      send: say,
      prompts,
      opened,
    } = await talking(handsOn(task.shape, task.params), () => 'never asked', {
      capabilities: may,
    });
    expect((await say('go')).status).toBe('answered');
    expect(prompts().planner.at(-1)).toContain(`needs the capability ${lacking}`);
    expect(prompts().others).toEqual([]);
    const { openStoreIn } = await import('../../store/index.ts');
    const store = openStoreIn(opened.open.database);
    expect((await store.runs.list()).map(({ shape }) => shape)).toEqual(['turn']);
    await store.close();
  },
);

async function messagesOf(database: Conversation['opened']['open']['database']) {
  const [{ readThread }, { openSessionsIn }] = await Promise.all([
    import('../../session/index.ts'),
    import('../../store/index.ts'),
  ]);
  const sessions = openSessionsIn(database);
  try {
    return await readThread('talk', sessions.checkpoints);
  } finally {
    sessions.close();
  }
}
