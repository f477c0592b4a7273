/** Runs with live progress, Ctrl-C and an exit code: what `ask`, `incident`, `resume` and `replay` share. */
import { type Evidence, incidentReport, progressLines } from '../../core/index.ts';
import { currentProcess } from '../current-process.ts';
import { incidentJson } from '../incident-json.ts';
import { indexLine } from '../index-progress.ts';
import type { AnyFinished } from '../resume.ts';
import type { Watch } from '../watch.ts';
import { exitCodeOfIncident, exitCodeOfResult } from './exit-codes.ts';
import { listenForInterrupt } from './interrupt.ts';
import { resultText } from './result-text.ts';
import { print, printJson, tell, tellNote } from './terminal.ts';

export async function showRun(
  flags: { readonly json?: true; readonly debug?: true },
  run: (watch: Watch) => Promise<AnyFinished>,
): Promise<void> {
  const live = currentProcess().stderr.isTTY === true;
  const interrupt = listenForInterrupt();
  const line = progressLines();
  let lastIndexLine = 0;
  const evidence: Evidence[] = [];
  const watch: Watch = {
    signal: interrupt.signal,
    onEvent: ({ event, seq }) => {
      if (event.kind === 'evidence_registered') evidence.push(event.evidence);
      if (flags.debug === true) void tell(`${seq} ${JSON.stringify(event)}`);
      else if (live) {
        const told = line(event);
        if (told !== null) void tell(told);
      }
    },
    onIndex: (progress) => {
      if (!live || Date.now() - lastIndexLine < 1000) return;
      lastIndexLine = Date.now();
      void tell(indexLine(progress));
    },
    onNote: (note) => void tellNote(note),
  };
  try {
    const { result, root, incident, investigation, differences = [] } = await run(watch);
    currentProcess().exitCode =
      incident === undefined ? exitCodeOfResult(result) : exitCodeOfIncident(incident);
    // A replay that comes to something else is a fault of this program, whatever the answer is.
    if (differences.length > 0) currentProcess().exitCode = 1;
    if (flags.json === true)
      await printJson(incident === undefined ? (investigation?.result ?? result) : incidentJson(incident));
    else if (incident === undefined)
      await print(
        resultText(result, root, process.cwd(), investigation === undefined ? '--trace' : '--cells'),
      );
    else await print(incidentReport(incident, evidence).trimEnd());
    const { tidyUp } = await import('../prune/retention.ts');
    await tidyUp(tell);
  } finally {
    interrupt.dispose();
  }
}
