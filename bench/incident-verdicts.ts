/**
 * Whether a right verdict of a model is lost to its words: frozen incidents, each concluded rightly in three wordings
 * that were made without knowledge of the checks: what the incident's author noted, a line as people write it in haste,
 * and a sentence of somebody else's postmortem, which fits nothing. The model is a script.
 * `node bench/incident-verdicts.ts FOLDER [--sentences CLAIMS.jsonl]`: FOLDER as for `incidents.ts`; the file holds
 * lines with `claim` and `truth`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { incident } from '../src/index.ts';

interface Truth {
  readonly root_cause_commit?: string;
  readonly root_cause_flag?: string;
  readonly abstain?: boolean;
  readonly first_failing_service?: string | null;
  readonly root_cause_category?: string | readonly string[];
  readonly verdict?: string | readonly string[];
  readonly verdicts_accepted?: readonly string[];
  readonly blamed?: string | { readonly id?: string | readonly string[] | null } | null;
  readonly notes?: string;
}

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { sentences: { type: 'string' } },
});
const folder = resolve(positionals[0] ?? join(process.env['SONDE_DATA'] ?? '../shared/data', 'incidents'));
const scratch = mkdtempSync(join(tmpdir(), 'sonde-bench-'));
process.env['SONDE_HOME'] = join(scratch, 'home');
const strange = (options.sentences === undefined ? '' : readFileSync(options.sentences, 'utf8'))
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly claim: string; readonly truth: boolean })
  .filter(({ truth }) => truth)
  .map(({ claim }) => claim);

/** What a right conclusion blames; null where none is right. */
function rightIn(truth: Truth): { readonly verdict: string; readonly culprit: string | null } | null {
  if (truth.abstain === true) return null;
  if (truth.root_cause_flag !== undefined)
    return { verdict: 'config_change', culprit: truth.root_cause_flag };
  const commit = truth.root_cause_commit;
  if (commit !== undefined && commit !== 'none') return { verdict: 'code_change', culprit: commit };
  const { blamed } = truth;
  const id = typeof blamed === 'object' && blamed !== null ? [blamed.id ?? null].flat()[0] : blamed;
  const all = [truth.verdict ?? 'no_code_change', truth.verdicts_accepted ?? []].flat();
  // `noise` and the like end an incident before a model has a word.
  const verdict = all.find((one) => !['noise', 'resolved', 'duplicate'].includes(one));
  return verdict === undefined ? null : { verdict, culprit: id ?? null };
}

/** A model that concludes so, whatever it is shown; told what did not pass, it says the same again. */
function concluding(
  verdict: string,
  culprit: string | null,
  text: string,
  evidence: readonly string[],
): string {
  const path = join(scratch, 'script.jsonl');
  const input = {
    verdict,
    ...(culprit !== null && { culprit }),
    root_cause: { verb: 'other', text, evidence },
    root_cause_category: 'unknown',
    causal_chain: [],
    remediation_steps: [],
  };
  const line = JSON.stringify({ text: 'I conclude.', calls: [{ name: 'conclude', input }] });
  writeFileSync(path, Array.from({ length: 6 }, () => line).join('\n'));
  return `scripted:${path}`;
}

const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'truth.json')));
let [asked, lost, other] = [0, 0, 0];
for (const [n, name] of names.entries()) {
  const truth = JSON.parse(readFileSync(join(folder, name, 'truth.json'), 'utf8')) as Truth;
  const right = rightIn(truth);
  if (right === null) continue;
  const replay = join(folder, name);
  const alone = await incident({ replay, settings: { model: 'extractive' } });
  const suspect = alone.suspects.find(({ id }) => id === right.culprit);
  const evidence = (suspect?.evidence ?? alone.causal_chain[0]?.evidence ?? []).slice(0, 3);
  const wordings = [
    truth.notes ?? `${right.culprit ?? 'nothing of ours'} did it`,
    `${truth.first_failing_service ?? 'it'} went belly up, ${[truth.root_cause_category ?? 'no idea why'].flat()[0]?.replaceAll('_', ' ')}`,
    strange[(n * 37) % Math.max(1, strange.length)] ??
      'All of a sudden nothing worked any more, and nobody slept.',
  ];
  for (const text of wordings) {
    asked += 1;
    const found = await incident({
      replay,
      settings: { model: concluding(right.verdict, right.culprit, text, evidence) },
    });
    const isKept =
      found.verdict === right.verdict &&
      (right.culprit === null || found.blamed === null || found.blamed.id.startsWith(right.culprit)) &&
      found.model !== 'extractive';
    other += Number(found.own !== undefined);
    if (!isKept) {
      lost += 1;
      console.log(
        `lost: ${name}: ${right.verdict} ${right.culprit ?? ''} in "${text.slice(0, 80)}": ${found.root_cause.slice(0, 200)}`,
      );
    }
  }
}
rmSync(scratch, { recursive: true, force: true });
console.log(
  `${asked} right verdicts in ${asked / 3} incidents, three wordings each: ${lost} lost; beside ${other} stands another of the program's`,
);
