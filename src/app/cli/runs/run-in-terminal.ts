/**
 * Executes a run for a command: prints progress and the result, handles Ctrl-C, and sets the exit code. Shared by the
 * commands of all kinds of run, and by `resume` and `replay`.
 */

import type { Evidence } from '../../../core/index.ts';
import { createProgressFormatter } from '../../../core/runs.ts';
import { currentProcess } from '../../current-process.ts';
import type { FinishedRun } from '../../runs/run-kind.ts';
import type { Watch } from '../../runs/watch.ts';
import { formatProgress } from '../../search/index-progress.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { print, printJson, tell, tellNote } from '../terminal.ts';

export async function runInTerminal(
  flags: { readonly json?: boolean; readonly debug?: boolean },
  run: (watch: Watch) => Promise<FinishedRun>,
): Promise<void> {
  const showsProgress = currentProcess().stderr.isTTY === true;
  const interrupt = listenForInterrupt();
  const progressLine = createProgressFormatter();
  let lastIndexLineAt = 0;
  const evidence: Evidence[] = [];
  const watch: Watch = {
    signal: interrupt.signal,
    onEvent: ({ event, seq }) => {
      if (event.kind === 'evidence_registered') evidence.push(event.evidence);
      if (flags.debug === true) void tell(`${seq} ${JSON.stringify(event)}`);
      else if (showsProgress) {
        const text = progressLine(event);
        if (text !== null) void tell(text);
      }
    },
    onIndex: (progress) => {
      if (!showsProgress || Date.now() - lastIndexLineAt < 1000) return;
      lastIndexLineAt = Date.now();
      void tell(formatProgress(progress));
    },
    onNote: (note) => void tellNote(note),
  };
  try {
    const { exitCode, json, lines, text } = await run(watch);
    for (const line of lines) await tell(line);
    currentProcess().exitCode = exitCode;
    await (flags.json === true ? printJson(json) : print(text(evidence)));
    const { pruneAndReport } = await import('../../prune/retention.ts');
    await pruneAndReport(tell);
  } finally {
    interrupt.dispose();
  }
}
