/** Settings of `sonde serve`: how it can be reached. A project says nothing about it. */
import { type Setting, setting } from './setting.ts';
import { list, plain } from './values.ts';

const never = { project: 'never' } as const;

export const serveSettings = {
  serve_tls_cert_file: setting(plain().optional(), {
    what: 'Certificate of sonde serve, with those that it was signed by. It is read anew when it changes.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_CERT_FILE'],
    path: true,
    ...never,
  }),
  serve_tls_key_file: setting(plain().optional(), {
    what: 'Key of that certificate.',
    allowed: 'path of a file in the form PEM',
    env: ['SONDE_SERVE_TLS_KEY_FILE'],
    path: true,
    ...never,
  }),
  serve_proxy: setting(list(',').default([]), {
    what: 'Proxies that end TLS in front of sonde serve. Where some are named and there is no certificate, others get nothing.',
    allowed: 'addresses and networks, separated by commas',
    env: ['SONDE_SERVE_PROXY'],
    ...never,
  }),
  serve_hosts: setting(list(',').default([]), {
    what: 'Names under which sonde serve may be asked, beside those of --bind and --public-url.',
    allowed: 'names of hosts, separated by commas',
    env: ['SONDE_SERVE_HOSTS'],
    ...never,
  }),
} satisfies Readonly<Record<string, Setting>>;
