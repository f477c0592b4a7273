/** Converts a host as Ollama accepts it (`0.0.0.0:11434`, `host`, `http://host:1`) to the address of its `/v1`. */
export function ollamaAddress(host: string): string {
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !/:\d+/.test(host) && url.protocol === 'http:') url.port = '11434';
  return `${url.origin}/v1`;
}
