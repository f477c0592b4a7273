/**
 * A frozen incident, small enough to read: `npx node examples/incident.ts`. Nothing is asked of a model or of the
 * network. The deploy right before the alert is innocent; the one before it cut the workers from 48 to 4.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { incident } from 'sonde';

const home = mkdtempSync(join(tmpdir(), 'sonde-example-'));
process.env['SONDE_HOME'] = home;

const folder = fileURLToPath(new URL('./incident', import.meta.url));
const guilty = '4be1d7a09c52f3668e0b7d91a2c4f5e6078391da';
const innocent = 'c07f21ee8a6b4d5590317bfa6e8d2c419f50ab37';

const found = await incident({ replay: folder, settings: { model: 'extractive' } });

assert.equal(found.verdict, 'code_change');
assert.equal(found.first_failing_service, 'tickets');
const ids = found.suspects.map(({ id }) => id);
assert.equal(ids[0], guilty);
assert.ok(ids.indexOf(innocent) !== 0);
// Each claim names the evidence that it was found in.
assert.deepEqual(found.non_validated_claims, []);
assert.ok(found.validated_claims.every(({ evidence }) => evidence.length > 0));
assert.ok(found.remediation_steps.some((step) => step.includes(guilty.slice(0, 12))));

// The report is a file beside the runs, for people; it holds the diff that it blames.
const report = readFileSync(join(home, 'data/incidents', found.run_id, 'report.md'), 'utf8');
assert.match(report, /-\s+poolSize: 48,\n\+\s+poolSize: 4,/);

console.log(`${found.verdict}: ${found.root_cause}`);
rmSync(home, { recursive: true, force: true });
