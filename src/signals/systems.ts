// biome-ignore-all format: written by scripts/folders.ts from the folders of src/signals: run npm run docs
import type { System } from './system.ts';

export const systems: Readonly<Record<string, () => Promise<System>>> = {
  'alertmanager': async () => (await import('./alertmanager/system.ts')).system,
  'argocd': async () => (await import('./argocd/system.ts')).system,
  'cloudwatch': async () => (await import('./cloudwatch/system.ts')).system,
  'datadog': async () => (await import('./datadog/system.ts')).system,
  'elasticsearch': async () => (await import('./elasticsearch/system.ts')).system,
  'git': async () => (await import('./git/system.ts')).system,
  'github': async () => (await import('./github/system.ts')).system,
  'gitlab': async () => (await import('./gitlab/system.ts')).system,
  'grafana': async () => (await import('./grafana/system.ts')).system,
  'kubernetes': async () => (await import('./kubernetes/system.ts')).system,
  'logs': async () => (await import('./logs/system.ts')).system,
  'loki': async () => (await import('./loki/system.ts')).system,
  'mcp': async () => (await import('./mcp/system.ts')).system,
  'mysql': async () => (await import('./mysql/system.ts')).system,
  'postgres': async () => (await import('./postgres/system.ts')).system,
  'prometheus': async () => (await import('./prometheus/system.ts')).system,
  'rabbitmq': async () => (await import('./rabbitmq/system.ts')).system,
  'redis': async () => (await import('./redis/system.ts')).system,
  'sentry': async () => (await import('./sentry/system.ts')).system,
  'tempo': async () => (await import('./tempo/system.ts')).system,
};
