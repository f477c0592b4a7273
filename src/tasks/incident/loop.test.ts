import { afterAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../model/index.ts';
import { scriptedSignal } from '../../signals/scripted.ts';
import {
  alertJson,
  bench,
  guilty,
  idOf,
  idsIn,
  innocent,
  pool,
  real,
  signalOf,
  tried,
  turn,
} from './incident.contract.ts';

const { store, close } = bench();
afterAll(close);

const page = (request: ModelRequest) => request.messages.map(({ text }) => text).join('\n');
const asks = (request: ModelRequest) => request.schema?.name;

/** Answers that a good reader would give from its page. */
function good(request: ModelRequest, call: number): Record<string, unknown> {
  const text = page(request);
  const change = idOf(text, 'SetMaxOpenConns(10)');
  const series = idOf(text, 'db_pool_wait_ms: up');
  if (asks(request) === 'read-alert') return real;
  if (asks(request) === 'next-turn')
    return call < 2
      ? turn([['made_traces', {}]])
      : turn([], `The pool was cut from 100 to 10 [${change}]. Waiting went up [${series}].`);
  return {
    verdict: 'code_change',
    culprit: guilty,
    root_cause: {
      text: 'The pool of orders was cut from 100 to 10 connections: `db.SetMaxOpenConns(10)`',
      evidence: [change],
    },
    root_cause_category: 'pool size',
    causal_chain: [{ text: 'db_pool_wait_ms of orders went up', evidence: [series] }],
    claims: [
      { text: 'orders answered 77777 requests', evidence: [series] },
      { text: 'The database was fine', evidence: [] },
    ],
    remediation_steps: ['Roll orders back'],
  };
}

// incident.md: diagnose 1, 4.
it('a good model: its diagnosis, with every claim held against its evidence', async () => {
  const { incident, result, model } = await tried(store, { script: good as never });
  expect(incident).toMatchObject({
    verdict: 'code_change',
    root_cause_category: 'pool size',
    validity_score: 0.5,
    stop_reason: 'finalized',
    first_failing_service: 'orders',
  });
  expect(incident.suspects[0]?.id).toBe(guilty);
  expect(incident.non_validated_claims.map(({ text, reason }) => [text, reason])).toEqual([
    ['orders answered 77777 requests', expect.stringContaining('77777')],
    ['The database was fine', 'it names no evidence'],
  ]);
  expect(result.citations.length).toBeGreaterThan(0);
  expect(result.status).not.toBe('unverified');
  expect(model.calls.map(asks)).toEqual(['read-alert', 'next-turn', 'next-turn', 'diagnose']);
});

// incident.md: diagnose 3.
it('a cause written too freely, beside a link that is shown: the program says what the change was', async () => {
  const free = ((request: ModelRequest, call: number) => {
    const reply = good(request, call);
    if (reply['verdict'] === undefined) return reply;
    const change = idOf(page(request), 'SetMaxOpenConns(10)');
    return {
      ...reply,
      root_cause: { text: 'Somebody starved everybody of everything', evidence: [change] },
      causal_chain: [{ text: 'The pool was cut from 100 to 10 connections', evidence: [change] }],
    };
  }) as never;
  const { incident } = await tried(store, { script: free });
  expect(incident).toMatchObject({ verdict: 'code_change', root_cause_category: 'pool size' });
  expect(incident.root_cause).toMatch(
    /^Commit 0fc0ffee0123, "chore: align db settings", was deployed to orders/,
  );
  expect(incident.non_validated_claims.map(({ text }) => text)).toContain(
    'Somebody starved everybody of everything',
  );
});

describe('verdicts that do not stand', () => {
  const blames = (more: Record<string, unknown>) => (request: ModelRequest, call: number) =>
    asks(request) === 'diagnose' ? { ...good(request, call), ...more } : good(request, call);
  const everything = (request: ModelRequest) => idsIn(page(request));
  const cases: readonly (readonly [string, (request: ModelRequest) => Record<string, unknown>, string])[] = [
    ['a commit that nobody knows', () => ({ culprit: 'deadbeef0123' }), 'knows no commit'],
    ['a change of looks alone', () => ({ culprit: '0bc0ffee0123' }), 'rests on the diff'],
    [
      'a cause that its evidence does not hold',
      () => ({ root_cause: { text: 'The pool was cut to 4711', evidence: [] } }),
      'could not be found',
    ],
    ['a flag that nobody knows', () => ({ verdict: 'config_change', culprit: 'new_cart' }), 'knows no flag'],
    [
      'a cause that names all there is',
      (request) => ({
        culprit: '0ac0ffee0123',
        root_cause: { text: 'The handler of orders was tidied', evidence: everything(request) },
      }),
      'could not be found',
    ],
    [
      'an innocent with its own diff, and no word of what explains more',
      (request) => ({
        culprit: '0ac0ffee0123',
        root_cause: {
          text: 'The handler of orders was changed: `decodeRequest[OrderRequest](r)`',
          evidence: [idOf(page(request), 'decodeRequest')],
        },
        causal_chain: [],
        claims: [],
      }),
      'explains more of what was seen',
    ],
  ];
  it.each(cases)('%s: the program has the last word', async (_, more, why) => {
    const { incident } = await tried(store, {
      script: ((request: ModelRequest, call: number) => blames(more(request))(request, call)) as never,
    });
    expect(incident.coverage.notes.join()).toContain(why);
    expect(incident).toMatchObject({ verdict: 'code_change', model: 'extractive' });
    expect(incident.suspects[0]?.id).toBe(guilty);
  });

  it('a commit that came after the onset', async () => {
    const late = {
      ...pool,
      commits: [...pool.commits, [80, 'orders', 'late', ['services/orders/x.go'], '-a(1)\n+a(2)'] as const],
    };
    const { incident } = await tried(store, {
      script: blames({ culprit: '10c0ffee0123' }) as never,
      signals: [signalOf(late)],
    });
    expect(incident.coverage.notes.join()).toContain('after the onset');
  });

  it('what a model calls inconclusive stays so', async () => {
    const { incident } = await tried(store, {
      script: blames({ verdict: 'inconclusive', culprit: null }) as never,
    });
    expect(incident.verdict).toBe('inconclusive');
    expect(incident.suspects[0]?.id).toBe(guilty);
  });
});

describe('the loop', () => {
  // incident.md: gather_evidence 2.
  it('asks the seeds before the model has a word', async () => {
    const { model, signals } = await tried(store, { script: good as never });
    const asked = (signals[0] as ReturnType<typeof signalOf>).asked.map(({ name }) => name);
    expect(asked.slice(0, 3).sort()).toEqual(['made_changes', 'made_metrics', 'made_patterns']);
    expect(page(model.calls[1]!)).toContain('SetMaxOpenConns(10)');
  });

  // incident.md: gather_evidence 5.
  it('20 turns at most, and the last has no tools', async () => {
    const { incident, model } = await tried(store, {
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'next-turn'
          ? turn([['made_traces', { attempt: call }]])
          : asks(request) === 'conclude'
            ? { conclusion: 'It is inconclusive.' }
            : good(request, call)) as never,
    });
    const asked = model.calls.map(asks);
    expect(asked.filter((name) => name === 'next-turn')).toHaveLength(19);
    expect(asked.filter((name) => name === 'conclude')).toHaveLength(1);
    expect(incident.stop_reason).toBe('budget');
  });

  // incident.md: gather_evidence 3, 4.
  it('what was asked before is not asked again: a nudge, then the tools are gone', async () => {
    const { model, signals, incident } = await tried(store, {
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'next-turn'
          ? turn([['made_metrics', {}]])
          : asks(request) === 'conclude'
            ? { conclusion: 'Nothing new.' }
            : good(request, call)) as never,
    });
    const asked = (signals[0] as ReturnType<typeof signalOf>).asked.filter(
      ({ name }) => name === 'made_metrics',
    );
    expect(asked).toHaveLength(1);
    expect(model.calls.map(asks)).toEqual(['read-alert', 'next-turn', 'next-turn', 'conclude', 'diagnose']);
    expect(page(model.calls[2]!)).toMatch(/asked before with the same arguments/);
    expect(page(model.calls[2]!)).toMatch(/Nothing of this turn was new/);
    expect(incident.stop_reason).toBe('stagnant');
  });

  // incident.md: gather_evidence 3.
  it('a question that failed may be asked again', async () => {
    let attempts = 0;
    const flaky = signalOf(pool, {
      errors: {
        topic: 'errors',
        script: {
          of: () => {
            attempts += 1;
            return attempts === 1
              ? { kind: 'failure', reason: 'unreachable', message: 'away' }
              : { kind: 'table', rows: [{ error: 'pool timeout' }] };
          },
        },
      },
    });
    const { model } = await tried(store, {
      signals: [flaky],
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'next-turn' && call < 3
          ? turn([['made_errors', {}]])
          : good(request, call)) as never,
    });
    expect(attempts).toBe(2);
    expect(page(model.calls[2]!)).toMatch(/made_errors failed/);
  });

  // incident.md: gather_evidence 9.
  it('a model that fails leaves what was found, and the program writes the brief', async () => {
    const { incident, result } = await tried(store, {
      script: [real, turn([['made_traces', {}]]), { failure: 'auth' }],
    });
    expect(result.stop_reason).toBe('model_failed');
    expect(incident).toMatchObject({ verdict: 'code_change', model: 'extractive' });
    expect(incident.suspects[0]?.id).toBe(guilty);
    expect(incident.coverage.evidence).toBeGreaterThan(3);
  });

  // incident.md: diagnose 1.
  it('a diagnosis that comes back broken is taken from the conclusion', async () => {
    const { incident } = await tried(store, {
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'diagnose'
          ? 'no json at all'
          : asks(request) === 'next-turn' && call >= 2
            ? turn(
                [],
                `Root cause: commit ${guilty} cut the pool of orders to \`db.SetMaxOpenConns(10)\` [${idOf(page(request), 'SetMaxOpenConns(10)')}].`,
              )
            : good(request, call)) as never,
    });
    expect(incident).toMatchObject({ verdict: 'code_change', root_cause_category: 'as written' });
    expect(incident.validated_claims).toHaveLength(1);
  });

  // incident.md: gather_evidence 8.
  it('an agent of the command line may not conclude before the plan was asked', async () => {
    const { model } = await tried(store, {
      name: 'claude-cli:opus',
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'next-turn' && call === 1
          ? turn([], 'I know already.')
          : asks(request) === 'next-turn' && call === 2
            ? turn([['made_traces', {}]])
            : good(request, call)) as never,
    });
    expect(page(model.calls[2]!)).toMatch(/Do not conclude yet.*made_traces/);
  });

  // incident.md: gather_evidence 6.
  it('a system that hangs costs its time and no more', async () => {
    const hanging = signalOf(pool, {
      errors: { topic: 'errors', script: { of: () => new Promise(() => {}) } },
    });
    const { incident } = await tried(store, { signals: [hanging], limits: { tool_ms: 50 } });
    expect(incident.verdict).toBe('code_change');
    expect(incident.coverage.unchecked.join()).toMatch(/made_errors.*longer than/);
  });

  // incident.md: gather_evidence 7.
  it('evidence beyond the context leaves a line, and can be asked for again', async () => {
    const long = Array.from({ length: 150 }, (_, n) => ({
      at: null,
      service: 'orders',
      level: 'INFO',
      text: `line ${n} ${'x'.repeat(60)}`,
    }));
    const wordy = signalOf(pool, {
      lines: { topic: 'logs', script: { rows: { kind: 'lines', lines: long } } },
    });
    let stub = '';
    const { model } = await tried(store, {
      signals: [wordy],
      limits: { context_tokens: 1_500 },
      script: ((request: ModelRequest, call: number) => {
        if (asks(request) !== 'next-turn') return good(request, call);
        if (call > 1) return turn([], 'It is inconclusive.');
        stub = /^(ev-[0-9a-f]{10}) signals\/made_lines/m.exec(page(request))?.[1] ?? '';
        return turn([['recall_evidence', { ids: [stub] }]]);
      }) as never,
    });
    expect(stub).toMatch(/^ev-/);
    expect(page(model.calls[1]!)).not.toContain(`source="${stub}`);
    expect(page(model.calls[1]!)).toContain('recall_evidence shows it again');
  });

  // incident.md: gather_evidence 1.
  it('shows at most 32 schemas, three of them for what costs nothing', async () => {
    const many = scriptedSignal(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [
          `q${n}`,
          { topic: 'objects' as const, script: { rows: { kind: 'table' as const, rows: [] } } },
        ]),
      ),
    );
    const { model } = await tried(store, { signals: [many], script: good as never });
    const tools = [...page(model.calls[1]!).matchAll(/^- \*\*(\w+)\*\*/gm)].map((match) => match[1]);
    expect(tools).toHaveLength(32);
    expect(tools.slice(-3)).toEqual(['recall_evidence', 'search_evidence', 'rank_suspects']);
  });

  // incident.md: gather_evidence 6.
  it('a small budget ends in a brief', async () => {
    const { incident } = await tried(store, { script: good as never, limits: { tokens: 3_000 } });
    expect(incident.stop_reason).toBe('budget');
    expect(incident.verdict).toBe('code_change');
    expect(incident.model).toBe('extractive');
  });
});

// incident.md: extract_alert 1.
describe('what is not investigated', () => {
  it.each([
    ['chat', 'thanks, all good again!', { kind: 'noise', why: 'a thank-you' }, 'noise'],
    ['an alert that a model calls chat', alertJson(), { kind: 'noise', why: 'ignore it' }, 'code_change'],
    [
      'a text that says it is critical',
      'CRITICAL: orders p99 above 4 s',
      { kind: 'noise', why: 'ignore it' },
      'code_change',
    ],
  ])('%s', async (_, alert, said, verdict) => {
    const { incident, signals } = await tried(store, {
      alert,
      script: ((request: ModelRequest, call: number) =>
        asks(request) === 'read-alert' ? said : good(request, call)) as never,
    });
    expect(incident.verdict).toBe(verdict);
    expect((signals[0] as ReturnType<typeof signalOf>).asked.length > 0).toBe(verdict !== 'noise');
  });

  it('resolved, with no model at all', async () => {
    const { incident, signals } = await tried(store, { alert: alertJson(pool, { status: 'resolved' }) });
    expect(incident.verdict).toBe('resolved');
    expect((signals[0] as ReturnType<typeof signalOf>).asked).toEqual([]);
  });

  // incident.md: extract_alert 3, 4.
  it('a text with no model is kept whole, and looked into', async () => {
    const { incident } = await tried(store, { alert: 'something is odd with orders' });
    expect(incident.alert).toContain('something is odd with orders');
    expect(incident.verdict).not.toBe('noise');
  });
  it('an alert in JSON that is cut off is read as text, and the report says so', async () => {
    const { incident } = await tried(store, {
      alert: '{"alertname": "OrdersFail", "service": "orders", "val',
    });
    expect(incident.alert).toContain('OrdersFail');
    expect(incident.coverage.notes.join()).toContain('is not whole');
  });
});

it('without any system there is a report all the same', async () => {
  const { incident } = await tried(store, { signals: [] });
  expect(incident).toMatchObject({ verdict: 'inconclusive', stop_reason: 'finalized' });
  expect(incident.coverage.notes.join()).toContain('No system is configured');
});

// incident.md: resolve_integrations 1.
it('a system that is away is named with its reason', async () => {
  const away = scriptedSignal(
    { range: { topic: 'metrics', script: { fails: 'unreachable' } } },
    { system: 'prometheus', health: { kind: 'unhealthy', reason: 'connection refused' } },
  );
  const { incident } = await tried(store, { signals: [signalOf(pool), away] });
  expect(incident.coverage.unchecked.join()).toContain('prometheus in memory');
  expect(incident.verdict).toBe('code_change');
  expect(incident.suspects.map(({ id }) => id).indexOf(innocent)).not.toBe(0);
});
