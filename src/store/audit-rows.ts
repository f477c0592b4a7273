import type { AuditRow } from './audit.ts';

export const toAuditRow = ({
  id,
  at,
  actor,
  team,
  act,
  target,
  result,
}: Readonly<Record<string, unknown>>): AuditRow =>
  Object.freeze({
    id: String(id),
    at: Number(at),
    actor: String(actor),
    team: String(team),
    act: String(act),
    on: String(target),
    result: String(result),
  });
