/** Reports failures of Sonde itself to an OpenTelemetry collector, if one is configured. */
import { messageOf } from '../../core/index.ts';
import type { ErrorSink } from '../../tasks/index.ts';
import type { Configuration } from '../config/index.ts';

/** Maximum time to send a report. Milliseconds. */
const timeoutMs = 3_000;

export function openErrorSink({ values, redact }: Pick<Configuration, 'values' | 'redact'>): ErrorSink {
  const { errors_url: url, errors_token: token } = values;
  return {
    report(error, about) {
      if (url === undefined) return;
      const attributes = Object.entries({
        ...about,
        'exception.type': error instanceof Error ? error.name : 'unknown',
        'exception.message': redact(messageOf(error)),
      }).map(([key, value]) => ({ key, value: { stringValue: value } }));
      const record = {
        timeUnixNano: `${Date.now()}000000`,
        severityNumber: 17,
        severityText: 'ERROR',
        body: { stringValue: redact(messageOf(error)) },
        attributes,
      };
      const service = [{ key: 'service.name', value: { stringValue: 'sonde' } }];
      // Not awaited: a collector that cannot be reached must not cause a second failure.
      fetch(`${url.replace(/\/$/, '')}/v1/logs`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token.reveal()}` }),
        },
        body: JSON.stringify({
          resourceLogs: [
            {
              resource: { attributes: service },
              scopeLogs: [{ scope: { name: 'sonde.incident' }, logRecords: [record] }],
            },
          ],
        }),
        // Redirects are not followed, so that the report reaches only this collector. Its answer is ignored.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
        .then(({ body }) => body?.cancel())
        .catch(() => {});
    },
  };
}
