/** Starts a tally as a library would, and is killed once two files are counted. */
import { tally } from './tally-kind.contract.ts';

const [root = '.'] = process.argv.slice(2);
let counted = 0;
await tally.start({
  word: 'deliver',
  root,
  onRun: (run) => process.stdout.write(`${run}\n`),
  onEvent({ event }) {
    if (event.kind === 'action_finished') counted += 1;
    if (counted === 2) process.kill(process.pid, 'SIGKILL');
  },
});
