/** A question that a fixed program answers inside an investigation, what it came to, and the table of them all. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InvestigationResult, investigate, type LoggedEvent } from '../../src/index.ts';

export interface Asked {
  /** The name of its program. */
  readonly kind: string;
  readonly question: string;
  /** What the program is told besides the question. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Computed straight from the files, by other code. */
  readonly truth: unknown;
}

export const folder = (name: string): string => mkdtempSync(join(tmpdir(), `sonde-${name}-`));
export const fenced = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;

/** The name of a model that says these lines in turn. */
export function script(lines: readonly unknown[]): string {
  const path = join(folder('script'), 'script.jsonl');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return `scripted:${path}`;
}

export const program = (name: string): string =>
  readFileSync(join(import.meta.dirname, `${name}.py`), 'utf8');

export interface Came {
  readonly kind: string;
  readonly exact: boolean;
  readonly ms: number;
  readonly fuel: number;
  /** Bytes: given to the code, given back to whoever asked, shown to the model in each turn. */
  readonly handled: number;
  readonly back: number;
  readonly prompt: number;
  /** Milliseconds of its cells alone, as they ran first. */
  readonly cells: number;
  /** The flow of the answer was kept, and what it came from is told. */
  readonly kept: boolean;
  /** Why it was lost. */
  readonly lost?: string;
}

export type Place = { readonly root: string } | { readonly workspace: string };

/** One turn, or one for each program given. */
export async function carriedOut(
  question: string,
  { place, context, programs }: { place: Place; context: unknown; programs: readonly string[] },
): Promise<Omit<Came, 'kind' | 'exact'> & { readonly result: InvestigationResult }> {
  const started = performance.now();
  const events: LoggedEvent[] = [];
  const result = await investigate(question, {
    ...place,
    context,
    settings: { model: script(programs.map(fenced)), max_tokens: 10_000_000 },
    onEvent: (event) => events.push(event),
  });
  const last = events.at(-1)?.event;
  const found = last?.kind === 'run_finished' ? last.investigation : undefined;
  const bytes = found?.bytes;
  const computed = found?.computed;
  const whole = computed?.values.find(({ at, stretch }) => at.length === 0 && stretch === undefined);
  const kept = computed?.again === 'same' && whole?.flow === 'material';
  return {
    result,
    ms: performance.now() - started,
    fuel: result.spent.fuel,
    handled: bytes?.handled ?? 0,
    back: Buffer.byteLength(JSON.stringify(result)),
    prompt: (bytes?.prompts ?? 0) / Math.max(1, result.spent.steps),
    cells: events.reduce((sum, { event }) => sum + (event.kind === 'cell_finished' ? event.wall_ms : 0), 0),
    kept,
    ...(!kept && { lost: computed?.lost ?? `${computed?.again}, ${whole?.flow}` }),
  };
}

export async function answered(
  asked: readonly Asked[],
  { begin, folder: from, ...how }: { begin: string; folder: string; place: Place; path?: string },
): Promise<readonly Came[]> {
  const came: Came[] = [];
  for (const { kind, question, given, truth } of asked) {
    const { result, ...measured } = await carriedOut(question, {
      place: how.place,
      context: { ...(how.path !== undefined && { path: how.path }), given },
      programs: [`${program(`${from}/${begin}`)}\n${program(`${from}/${kind}`)}`],
    });
    const exact = JSON.stringify(result.answer) === JSON.stringify(truth);
    if (!exact) console.log(`  not exact: ${told(question)}\n    ${told(result.answer)}, not ${told(truth)}`);
    if (!measured.kept) console.log(`  flow lost: ${kind}: ${measured.lost}`);
    came.push({ kind, exact, ...measured });
  }
  return came;
}

function told(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\s+/g, ' ').slice(0, 240);
}

export const rounded = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Markdown. */
export function table(title: string, came: readonly Came[]): void {
  const exact = came.filter((one) => one.exact).length;
  const kept = came.filter((one) => one.kept).length;
  console.log(
    `\n### ${title}: ${exact} of ${came.length} exact, the flow of ${kept} kept (wanted: 80 in 100)\n`,
  );
  console.log(
    '| kind | exact | flow kept | ms each | of them cells | fuel each | bytes handled inside | bytes returned | bytes of the prompt, a turn |',
  );
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const kind of new Set(came.map((one) => one.kind))) {
    const of = came.filter((one) => one.kind === kind);
    const each = (part: Exclude<keyof Came, 'kind' | 'exact' | 'kept' | 'lost'>) =>
      rounded(of.reduce((sum, one) => sum + one[part], 0) / of.length);
    const cells = [
      kind,
      `${of.filter((one) => one.exact).length} of ${of.length}`,
      `${of.filter((one) => one.kept).length} of ${of.length}`,
      each('ms'),
      each('cells'),
      `${(of.reduce((sum, one) => sum + one.fuel, 0) / of.length / 1e6).toFixed(1)}M`,
      each('handled'),
      each('back'),
      each('prompt'),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log();
}
