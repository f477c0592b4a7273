import { describe, expect, test } from 'vitest';
import { wireGauge } from './wire-gauge.ts';

const bounds = { maxTokens: 500, echo: 0, repeats: 0 };

/** Bytes that go by without a piece of the reply until it says stop. */
function unread(gauge: ReturnType<typeof wireGauge>): number {
  let bytes = 0;
  for (;;) {
    bytes += 100;
    if (gauge.addBytes(100)) return bytes;
  }
}

describe('what comes without a piece of the reply', () => {
  test('is stopped within 64 KB', () => {
    expect(unread(wireGauge(bounds))).toBeLessThan(65_536);
  });

  test('is stopped no later for what came before it', () => {
    const gauge = wireGauge(bounds);
    for (let nth = 0; nth < 500; nth += 1) {
      gauge.addBytes(120);
      gauge.addPiece(' word');
    }
    expect(unread(gauge)).toBe(unread(wireGauge(bounds)));
  });
});

test.each([' word', 'ሰላም', '"\\"', '🙂'])('events that bring %s are never stopped', (piece) => {
  const gauge = wireGauge(bounds);
  for (let nth = 0; nth < 5_000; nth += 1) {
    // As a server writes it that escapes all that is not ASCII, with filters told in each event.
    expect(gauge.addBytes(900 + piece.length * 6)).toBe(false);
    gauge.addPiece(piece);
  }
});

test('what the last events repeat is not taken for more of the reply', () => {
  const gauge = wireGauge({ maxTokens: 20_000, echo: 3_000, repeats: 4 });
  for (let nth = 0; nth < 20_000; nth += 1) {
    gauge.addBytes(400);
    gauge.addPiece(' words of length');
  }
  expect(gauge.addBytes(4 * 20_000 * ' words of length'.length + 3_000)).toBe(false);
});
