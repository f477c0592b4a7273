/** The systems of a program as tools of a run that is no incident: each question is asked about the last hours. */
import { z } from 'zod';
import { done, failed, formatCount, type OwnTool, ownTool, toLines } from '../../catalogue/index.ts';
import { type IncidentWindow, type Signal, type SignalQuestion, systemClock } from '../../core/index.ts';

const hourMs = 60 * 60_000;
/** Of one reply. */
const limits = { rows: 500, bytes: 12_000, timeoutMs: 30_000 };

const hours = z
  .number()
  .positive()
  .max(24 * 31)
  .default(24)
  .describe('How many hours back to look.');

/** A name that two systems have in common is numbered. Throws `bad_argument` for a name that no tool may have. */
export function signalTools(signals: readonly Signal[]): readonly OwnTool[] {
  const useCounts = new Map<string, number>();
  return signals.flatMap((signal) =>
    signal.questions.map((question) => {
      const nth = (useCounts.get(question.name) ?? 0) + 1;
      useCounts.set(question.name, nth);
      return questionTool(question, nth === 1 ? question.name : `${question.name}_${nth}`, signal.source);
    }),
  );
}

function questionTool(question: SignalQuestion, name: string, source: string): OwnTool {
  const { shape } = question.parameters as { readonly shape?: z.ZodRawShape };
  return ownTool({
    name,
    description: `${question.description} Asks ${source}.`,
    cost: question.cost,
    parameters: z.object(shape === undefined ? { input: question.parameters, hours } : { ...shape, hours }),
    async run(args, { signal }) {
      const { hours, ...input } = args as Readonly<Record<string, unknown>> & { readonly hours: number };
      const parsedArgs = question.parameters.parse(shape === undefined ? input['input'] : input);
      const reply = await question.ask(parsedArgs, {
        window: createWindow(hours),
        limits,
        ...(signal !== undefined && { signal }),
      });
      if (reply.kind === 'failure') return failed(reply.message);
      const lines = toLines(reply.text);
      return done({
        summary: formatCount(lines.length, 'line'),
        lines,
        data: reply.rows,
        completeness: reply.completeness,
        notes: [...reply.notes, ...formatCut(reply.truncated)],
      });
    },
  });
}

function createWindow(hours: number): IncidentWindow {
  const to = systemClock.now();
  const from = to - hours * hourMs;
  return {
    from,
    to,
    baseline_from: from - (to - from),
    derivation: `the last ${formatCount(hours, 'hour')}`,
  };
}

const formatCut = (
  cut: { readonly shown: number; readonly total: number | null } | null,
): readonly string[] => (cut === null ? [] : [`${cut.shown} of ${cut.total ?? 'more'} rows are shown.`]);
