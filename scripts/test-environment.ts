// Every test runs as on a machine with no keys and no configuration of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const modelVariables =
  /(_API_KEY|_BASE_URL|_AUTH_TOKEN)$|^(RESEARCH_MODEL|SONDE_)|^(ANTHROPIC|OPENAI|OLLAMA|CLAUDE)_/;
for (const name of Object.keys(process.env))
  if (modelVariables.test(name) && name !== 'SONDE_DATA') delete process.env[name];

// Runs, indexes and configuration of a test live in a directory of their own, in that of the whole run.
process.env['SONDE_HOME'] = mkdtempSync(join(tmpdir(), 'sonde-test-'));
