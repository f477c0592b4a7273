/**
 * Checks a claim about an incident, given as fields, against one record at a time: one record must confirm all of it. A
 * record about the same subject with other values contradicts it.
 */
import type { ClaimVerdict, IncidentFields, IncidentVerb } from '../../core/index.ts';
import { compareChange } from './in-change.ts';
import { compareLog } from './in-log.ts';
import { compareSeries } from './in-series.ts';
import type { Finding, IncidentRecord } from './records.ts';

export interface FieldsVerdict {
  readonly verdict: Extract<ClaimVerdict, 'shown' | 'contradicted' | 'not shown' | 'unclear'>;
  readonly why?: string;
}

const recordKindOfVerb: Readonly<Record<Exclude<IncidentVerb, 'other'>, IncidentRecord['kind']>> = {
  rose: 'series',
  fell: 'series',
  stayed: 'series',
  was: 'series',
  deployed: 'change',
  brought: 'change',
  written: 'change',
  changed: 'change',
  added: 'change',
  removed: 'change',
  switched: 'change',
  logged: 'log',
};
const kindNames: Readonly<Record<IncidentRecord['kind'], string>> = {
  series: 'a series',
  change: 'a change',
  log: 'a line of a log',
};

export function checkFields(fields: IncidentFields, records: readonly IncidentRecord[]): FieldsVerdict {
  const { verb } = fields;
  if (verb === 'other') return { verdict: 'unclear', why: 'it is a sentence, for a reader' };
  const lacking = findMissing(fields);
  if (lacking !== null) return { verdict: 'unclear', why: lacking };
  const kind = recordKindOfVerb[verb];
  const incidentRecords = records.filter((record) => record.kind === kind);
  if (incidentRecords.length === 0)
    return { verdict: 'not shown', why: `what it names holds no ${kindNames[kind].slice(2)}` };
  const findings = incidentRecords.map((record) => compareRecord(fields, record, incidentRecords));
  if (findings.some((found) => found.kind === 'shown')) return { verdict: 'shown' };
  const contradiction = findings.find((found) => found.kind === 'against');
  if (contradiction !== undefined) return { verdict: 'contradicted', why: contradiction.why };
  const undecided = findings.find((found) => found.kind === 'open');
  if (undecided !== undefined) return { verdict: 'unclear', why: undecided.why };
  const [first] = findings;
  return { verdict: 'not shown', ...(first?.kind === 'lacks' && { why: first.why }) };
}

/** The fields that a verb needs before anything can be looked up. */
function findMissing({ verb, series, object, hunk, from, to }: IncidentFields): string | null {
  switch (verb) {
    case 'rose':
    case 'fell':
    case 'stayed':
    case 'was':
      return series === undefined ? 'it names no series' : null;
    case 'logged':
      return object === undefined ? 'it holds no words of the line, in `object`' : null;
    case 'changed':
      return object === undefined && hunk === undefined && (from === undefined || to === undefined)
        ? 'it names neither what was changed nor from what to what'
        : null;
    case 'added':
    case 'removed':
      return object === undefined && hunk === undefined
        ? 'it does not say what, in `object` or `hunk`'
        : null;
    default:
      return object === undefined ? 'it does not name the change, in `object`' : null;
  }
}

function compareRecord(
  fields: IncidentFields,
  record: IncidentRecord,
  all: readonly IncidentRecord[],
): Finding {
  switch (record.kind) {
    case 'series':
      return compareSeries(fields, record);
    case 'change':
      return compareChange(
        fields,
        record,
        all.flatMap((incidentRecord) => (incidentRecord.kind === 'change' ? [incidentRecord] : [])),
      );
    case 'log':
      return compareLog(fields, record);
  }
}
