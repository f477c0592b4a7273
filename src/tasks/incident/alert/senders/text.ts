/** Plain text. */
import { type Alert, defaultName } from '../alert.ts';
import { fingerprintOf, serviceIn, withoutVariables } from '../fields.ts';

const isoTime = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?\b/;

/** Keeps the text as it is, since only a model can interpret it. The first time in it counts as the beginning. */
export function readPlainText(text: string): Alert {
  const line = text.trim().split('\n')[0]?.slice(0, 200) ?? '';
  const found = isoTime.exec(text)?.[0];
  const started =
    found === undefined
      ? null
      : Date.parse(/Z|[+-]\d{2}:?\d{2}$/.test(found) ? found : `${found.replace(' ', 'T')}Z`);
  const labels: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/\b([a-z_]{3,30})\s*[=:]\s*"?([\w./@-]{2,80})"?/gi))
    labels[name!.toLowerCase()] ??= value!;
  const fingerprint = fingerprintOf(withoutVariables(text));
  return {
    name: labels['alertname'] ?? (line === '' ? defaultName : line),
    rule: fingerprint,
    severity:
      /\b(critical|fatal|emergency|high|warning|minor|info|sev-?\d|p\d)\b/i.exec(text)?.[1]?.toLowerCase() ??
      null,
    source: 'text',
    state: 'firing',
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: labels['metric'] ?? null,
    query: null,
    summary: text.trim().slice(0, 2_000),
    error: null,
    labels,
    started: started === null || !Number.isFinite(started) ? null : started,
    ended: null,
    fingerprint,
  };
}
