import { afterAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../model/index.ts';
import { openTestStore, runTrialWithoutModel } from '../research.contract.ts';
import { scriptedMaterial } from '../scripted.ts';

const { store, close } = openTestStore();
afterAll(close);

const redirects = `from .codes import (
    redirect_codes,
    method_names,
)

class Client:
    @staticmethod
    def redirect_method(
        request,
        response,
    ):
        """
        The method of a redirect.
        """
        method = request.method
${Array.from({ length: 40 }, (_, n) => `        step_${n}()`).join('\n')}
        # Do what the browsers do.
        if response.status == codes.SEE_OTHER and method != "HEAD":
            method = "GET"
        return method
`;
const lines = redirects.split('\n');
const question = 'Which response turns the method of a redirect into GET?';
const at = (part: string) => lines.findIndex((line) => line.includes(part)) + 1;

function materialWith(
  files: Readonly<Record<string, string>>,
  spans: readonly (readonly [string, number, number, string])[],
) {
  const hits = spans.map(([path, start, end, symbol], n) => ({
    ...{ path, start, end, symbol, symbolKind: 'function' },
    ...{ score: 10 - n, provenance: 'bm25' as const },
  }));
  return {
    ...scriptedMaterial({ files }),
    definitionSearch: { search: async () => ({ hits, completeness: 'complete' as const, notes: [] }) },
  };
}

const answerOf = async (material: ReturnType<typeof materialWith>) =>
  (await runTrialWithoutModel(store, { question, material })).result;

describe('definitions in an answer without a model', () => {
  it('stand with their header and the lines of the body that decide, and are checked', async () => {
    const files = { 'client.py': redirects, 'other.py': 'redirect = "a redirect of the response"\n' };
    const result = await answerOf(
      materialWith(files, [['client.py', at('@static'), lines.length, 'redirect_method']]),
    );
    const block = /```\n([\s\S]*?)```/.exec(result.answer)?.[1] ?? '';
    expect(block.trim().split('\n')[0]).toBe('def redirect_method(');
    expect(block).toContain('…');
    expect(block).toContain('if response.status == codes.SEE_OTHER and method != "HEAD":\n');
    expect(block).not.toMatch(/@staticmethod|redirect_codes/);
    // The body stands below its header as it does in the file.
    expect(block).toMatch(/^ {2}def redirect_method\($/m);
    expect(block).toMatch(/^ {6}if response\.status/m);
    expect(result.answer).toMatch(/- client\.py:\d+-\d+ \[ev-[0-9a-f]{10}\]:/);
    // A file without a definition worth quoting keeps its line.
    expect(result.answer).toMatch(/- other\.py:1 `redirect = /);
    expect(result).toMatchObject({ status: 'quotes', unsupported: [] });
  });

  it('stay within what the one who asks will take in', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `client_${n}.py`);
    const files = Object.fromEntries(names.map((name) => [name, redirects]));
    const result = await answerOf(
      materialWith(
        files,
        names.map((name) => [name, at('@static'), lines.length, 'redirect_method'] as const),
      ),
    );
    expect(countTokens(result.answer)).toBeLessThan(800);
    expect(result.answer).not.toContain('Cut to fit');
    expect(new Set(result.citations.map(({ path }) => path)).size).toBeGreaterThan(1);
  });

  it('hold text with fences of its own', async () => {
    const guide =
      '# Redirects of a response\n\n```\nmethod = "GET"\n```\n\nThe method of a redirect is GET.\n';
    const result = await answerOf(materialWith({ 'guide.md': guide }, [['guide.md', 1, 7, 'Redirects']]));
    expect(result.answer).toContain('````\n');
    expect(result).toMatchObject({ status: 'quotes', unsupported: [] });
  });

  it('leave out the properties that a note begins with', async () => {
    const note = [
      ...['---', 'aliases:', '  - redirect', '  - response', 'method: GET', '---'],
      ...['The method of a redirect is GET.', 'A response turns it.', ''],
    ].join('\n');
    const result = await answerOf(materialWith({ 'note.md': note }, [['note.md', 1, 8, 'redirect']]));
    expect(result.answer).toContain('The method of a redirect is GET.');
    expect(result.answer).not.toMatch(/aliases|method: GET|- redirect/);
  });
});
