import { describe, expect, it } from 'vitest';
import { isSondeError } from '../../core/index.ts';
import { createServerAddress, parseHost, type ServerAddressRequest } from './server-address.ts';

const asked = (more: Partial<ServerAddressRequest> = {}): ServerAddressRequest => ({
  bind: '127.0.0.1',
  port: 0,
  proxies: [],
  hosts: [],
  ...more,
});
const files = { certFile: 'cert.pem', keyFile: 'key.pem' };

describe('what starts', () => {
  it.each<[string, Partial<ServerAddressRequest>]>([
    ['on this machine, without anything', {}],
    ['on this machine by IPv6', { bind: '::1' }],
    ['outside, with TLS', { bind: '0.0.0.0', ...files }],
    ['outside, behind a proxy', { bind: '10.0.0.5', proxies: ['10.0.0.7', 'fd00::/8'] }],
    ['with a public address', { publicUrl: 'https://sonde.example.com:8443' }],
    ['with a public address of this machine', { publicUrl: 'http://localhost:7077' }],
  ])('%s', (_, more) => {
    expect(createServerAddress(asked(more))).toMatchObject({ port: 0 });
  });
});

describe('what does not', () => {
  it.each<[string, Partial<ServerAddressRequest>, string]>([
    ['outside without TLS', { bind: '0.0.0.0' }, 'can be reached from other machines'],
    ['outside without TLS, by IPv6', { bind: '::' }, 'can be reached from other machines'],
    ['on one address without TLS', { bind: '192.168.1.4' }, 'can be reached from other machines'],
    ['with a certificate alone', { certFile: 'cert.pem' }, 'serve_tls_key_file is missing'],
    ['with a key alone', { keyFile: 'key.pem' }, 'serve_tls_cert_file is missing'],
    ['at a name', { bind: 'sonde.example.com', ...files }, '--bind is sonde.example.com'],
    ['with a proxy that is no address', { proxies: ['proxy'] }, 'serve_proxy has proxy'],
    ['with a proxy of a wrong network', { proxies: ['10.0.0.0/33'] }, 'serve_proxy has 10.0.0.0/33'],
    ['with everybody as proxy', { proxies: ['0.0.0.0/0'] }, 'which is everybody'],
    ['with a public address in the clear', { publicUrl: 'http://sonde.example.com' }, '--public-url is'],
    ['with a public address that has a path', { publicUrl: 'https://a/b' }, '--public-url is'],
    ['with a public address that has a password', { publicUrl: 'https://a:b@c' }, '--public-url is'],
    ['with a public address that is none', { publicUrl: 'sonde' }, '--public-url is'],
  ])('%s', (_, more, message) => {
    try {
      createServerAddress(asked(more));
      expect.unreachable();
    } catch (thrown) {
      expect(isSondeError(thrown, 'bad_config') && thrown.message).toContain(message);
    }
  });
});

it('is asked under its own names alone', () => {
  const { hosts } = createServerAddress(
    asked({
      bind: '10.0.0.5',
      ...files,
      publicUrl: 'https://sonde.example.com',
      hosts: ['Alerts.internal:443'],
    }),
  );
  expect([...hosts].sort()).toEqual([
    '10.0.0.5',
    '127.0.0.1',
    '::1',
    'alerts.internal',
    'localhost',
    'sonde.example.com',
  ]);
});

it.each([
  ['localhost:7077', 'localhost'],
  ['LOCALHOST', 'localhost'],
  ['[::1]:80', '::1'],
  ['[::1]', '::1'],
  ['10.0.0.5:1', '10.0.0.5'],
  ['::1', '::1'],
])('the host %s is %s', (header, host) => {
  expect(parseHost(header)).toBe(host);
});

it('behind a proxy alone, nobody passes it by', () => {
  const { isPeer, isProxy } = createServerAddress(asked({ bind: '0.0.0.0', proxies: ['10.0.0.0/8'] }));
  expect([isPeer('10.1.2.3'), isPeer('::ffff:10.1.2.3'), isPeer('192.168.0.1'), isPeer('127.0.0.1')]).toEqual(
    [...[true, true, false, true]],
  );
  expect([isProxy('10.1.2.3'), isProxy('127.0.0.1'), isProxy('nonsense')]).toEqual([true, false, false]);
});
