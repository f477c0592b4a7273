import { Command } from 'commander';
import { jsonOption } from '../flags.ts';

interface AuditFlags {
  readonly since?: string;
  readonly actor?: string;
  readonly max?: string;
  readonly json?: true;
}

const defaultMax = 50;

export function auditCommand(): Command {
  return new Command('audit')
    .description('list who did what, newest first: actions of people and tokens, never the content of texts')
    .option(
      '--since <when>',
      'only actions since this time: a duration such as 24h, or a date such as 2026-11-23',
    )
    .option('--actor <name>', 'only actions by this person or token, such as user:alice or token:phone')
    .option('--max <n>', `maximum number of actions (default: ${defaultMax})`)
    .addOption(jsonOption('print [{id, at, actor, team, act, on, result}]'))
    .action(printAudit);
}

async function printAudit({ since, actor, max, json }: AuditFlags): Promise<void> {
  const { openAudit } = await import('../../audit/open-audit.ts');
  const { loadConfiguration, processEnvironment } = await import('../../config/index.ts');
  const { plainLine } = await import('../../../core/index.ts');
  const { print, printJson, tell } = await import('../terminal.ts');
  const sinceMs = since === undefined ? undefined : await parseTime(since);
  const count = await parseCount(max ?? String(defaultMax));
  const auditLog = await openAudit(loadConfiguration({ environment: processEnvironment() }));
  try {
    const rows = await auditLog.list({
      max: count,
      ...(sinceMs !== undefined && { since: sinceMs }),
      ...(actor !== undefined && { actor }),
    });
    const printedRows = rows.map(({ at, ...row }) => ({ at: new Date(at).toISOString(), ...row }));
    if (json) return await printJson(printedRows);
    if (printedRows.length === 0) return await tell('No action is recorded.');
    await print(
      printedRows
        .map((row) =>
          [
            row.at.slice(0, 19).replace('T', ' '),
            ...[row.actor, ...(row.team === '' ? [] : [`team ${row.team}`]), row.act, row.on].map(plainLine),
            ...(row.result === 'done' ? [] : [plainLine(row.result)]),
          ].join('  '),
        )
        .join('\n'),
    );
  } finally {
    await auditLog.close();
  }
}

/** Converts a date, or a duration before now, to milliseconds since 1970. Throws `bad_argument`. */
async function parseTime(text: string): Promise<number> {
  const { parseDuration } = await import('../../config/index.ts');
  const { SondeError } = await import('../../../core/index.ts');
  const age = parseDuration(text);
  const timeMs = age === null ? Date.parse(text) : Date.now() - age;
  if (Number.isFinite(timeMs)) return timeMs;
  throw new SondeError('bad_argument', {
    message: `--since is ${JSON.stringify(text)}, not a duration or a date`,
    remedy: 'Give a duration, such as 24h or 7d, or a date, such as 2026-11-23 or 2026-11-23T10:00Z.',
  });
}

async function parseCount(text: string): Promise<number> {
  const { SondeError } = await import('../../../core/index.ts');
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new SondeError('bad_argument', {
    message: `--max is ${JSON.stringify(text)}, not a whole number from 1`,
    remedy: 'Give a whole number from 1.',
  });
}
