import { Command } from 'commander';
import { currentProcess } from '../../current-process.ts';
import { jsonOption } from '../flags.ts';

interface DoctorFlags {
  readonly json?: true;
  readonly systems?: true;
  readonly cluster?: true;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check what is installed, configured and reachable, and say how to fix what is not')
    .argument('[path]', 'the folder whose settings and index are checked', '.')
    .option(
      '--systems',
      'check only the systems that sonde incident reads, all at the same time, for up to 10 s: version, rights of the account, clock',
    )
    .option(
      '--cluster',
      'check only the shared parts of a team’s installation: store, workers, hosts, waiting and abandoned jobs, leases, clocks, backups; exits with 1 if one is broken',
    )
    .addOption(jsonOption('print one JSON object'))
    .action(async (path: string, flags: DoctorFlags) => {
      const { examine, examineSharedStore, examineSystems } = await import('../../doctor/examine.ts');
      const { plainLine } = await import('../../../core/index.ts');
      const { print, printJson } = await import('../terminal.ts');
      const findings = await (flags.cluster === true
        ? examineSharedStore(path)
        : flags.systems === true
          ? examineSystems(path)
          : examine(path));
      if (findings.some((finding) => finding.state === 'broken')) currentProcess().exitCode = 1;
      if (flags.json === true) return printJson({ findings });
      if (findings.length === 0)
        return print('No system is configured: see docs/configuration.md, or sonde init incident.');
      await print(
        findings
          .map(({ state, name, found, remedy }) =>
            [
              `${state.padEnd(7)} ${plainLine(`${name}: ${found}`)}`,
              ...(remedy === null ? [] : [`        ${remedy}`]),
            ].join('\n'),
          )
          .join('\n'),
      );
    });
}
