/** Metrics of a server in Prometheus's format. Loaded at the first request for them. */
import type { Meter } from '@opentelemetry/api';

export interface Metrics {
  readonly meter: Meter;
  text(): Promise<string>;
}

/** Labels have only values that this program defines; never text of a sender, a model or a file. */
export async function openMetrics(version: string): Promise<Metrics> {
  const [{ MeterProvider }, { PrometheusExporter, PrometheusSerializer }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-prometheus'),
  ]);
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  // No prefix, no times, no `target_info` (this process) and no `otel_scope` (the library that measures).
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return {
    meter: provider.getMeter('sonde', version),
    async text() {
      const { resourceMetrics, errors } = await reader.collect();
      if (errors.length > 0) throw errors[0];
      return serializer.serialize(resourceMetrics);
    },
  };
}
