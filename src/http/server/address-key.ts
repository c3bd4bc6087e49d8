import { isIP, SocketAddress } from 'node:net';

/** @param bytes 4 or 16; empty if the connection has closed */
export function addressText(bytes: Uint8Array): string {
  // Twice as fast as `join`, and every forwarded request needs it.
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/(....)(?!$)/g, '$1:');
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key of a client in limits: its IPv4 address, or the /64 prefix of its IPv6 address, because
 * providers assign a whole /64 to a client.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || isIP(address) !== 6) return address === '' ? 'gone' : address;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  const mapped = MAPPED.exec(canonical)?.[1];
  if (mapped !== undefined) return mapped;
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: GROUPS - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
