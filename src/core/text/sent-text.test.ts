import { expect, it } from 'vitest';
import { decodeSentText } from './sent-text.ts';

const text = '{"title":"Größe"}\n';

it.each([
  ['UTF-8', Buffer.from(text), undefined],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), undefined],
  ['UTF-16 with a mark, as PowerShell writes it', Buffer.from(`\ufeff${text}`, 'utf16le'), undefined],
  ['UTF-16 without one', Buffer.from(text, 'utf16le'), undefined],
  ['UTF-16, big end first', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), undefined],
  ['Latin-1', Buffer.from(text, 'latin1'), undefined],
  ['Latin-1 that says UTF-8', Buffer.from(text, 'latin1'), 'utf-8'],
  ['a charset that nobody knows', Buffer.from(text), 'klingon'],
])('%s is read', (_, bytes, named) => {
  expect(decodeSentText(bytes, named)).toBe(text);
});

it('is empty where nothing was sent, and never throws', () => {
  expect(decodeSentText(Buffer.alloc(0))).toBe('');
  expect(decodeSentText(Buffer.from([0xff, 0xfe, 0x00]))).not.toBe('');
});
