/** The cookie of a window of the page in a browser. No script reads it, and no other site sends it. */
const name = 'sonde_session';
const hours = 12;

/** Behind a proxy that ends TLS, the page says where it is: writes have an origin. */
const isSecure = (headers: Headers): boolean => (headers.get('origin') ?? '').startsWith('https:');

const attributes = (headers: Headers): string =>
  `HttpOnly; SameSite=Strict; Path=/api/v1${isSecure(headers) ? '; Secure' : ''}`;

export const cookieOf = (token: string, headers: Headers): string =>
  `${name}=${token}; Max-Age=${hours * 3_600}; ${attributes(headers)}`;

export const endOfCookie = (headers: Headers): string => `${name}=; Max-Age=0; ${attributes(headers)}`;

/** Null: none was sent. */
export function cookieIn(headers: Headers): string | null {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const [key, value] = pair.trim().split('=');
    if (key === name && value !== undefined && /^[\w-]{20,100}$/.test(value)) return value;
  }
  return null;
}
