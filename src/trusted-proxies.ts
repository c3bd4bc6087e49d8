import { BlockList, isIP } from 'node:net';

/** Values of the headers in which proxies name addresses; empty if absent. */
export interface Forwarding {
  readonly forwardedFor: string;
  readonly forwarded: string;
}

/** Proxies whose word about the address of a client counts. */
export class TrustedProxies {
  readonly #ranges = new BlockList();

  /** @param ranges addresses and CIDR ranges; throws an Error that names one that is neither */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.#add(range);
  }

  #add(range: string): void {
    const [address = '', length] = range.split('/');
    const family = familyOf(address);
    const bits = length === undefined ? undefined : Number(length);
    const bitsMax = family === 'ipv4' ? 32 : 128;
    const isLength = bits === undefined || (/^\d+$/.test(length ?? '') && bits <= bitsMax);
    if (family === undefined || !isLength) {
      throw new Error(`"${range}" is neither an address nor a range such as 10.0.0.0/8`);
    }
    this.#ranges.addSubnet(address, bits ?? bitsMax, family);
  }

  /**
   * The address of the client, as text: where a trusted proxy connected, the right-most address in
   * `X-Forwarded-For`, else in `Forwarded`, that is no trusted proxy. What stands left of it is the
   * client's own claim. An entry that is no address ends the search at the proxy that wrote it.
   */
  clientOf(remote: string, { forwardedFor, forwarded }: Forwarding): string {
    let client = remote;
    const named = forwardedFor === '' ? forwardedNodes(forwarded) : forwardedFor.split(',');
    while (this.isTrusted(client)) {
      const next = addressOf(named.pop() ?? '');
      if (next === undefined) break;
      client = next;
    }
    return client;
  }

  isTrusted(address: string): boolean {
    const family = familyOf(address);
    return family !== undefined && this.#ranges.check(address, family);
  }
}

/** `[2001:db8::1]`, `[2001:db8::1]:4711` or `192.0.2.1:4711`. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/;

/** The nodes named by `for=` (RFC 7239, 4). */
function forwardedNodes(value: string): string[] {
  const named = value.matchAll(/(?:^|[;,])\s*for=(?:"([^"]*)"|([^;,\s]*))/gi);
  return [...named].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

/** An address with or without a port; undefined if it is none. */
function addressOf(node: string): string | undefined {
  const text = node.trim();
  const address = WITH_PORT.exec(text)?.slice(1).find(Boolean) ?? text;
  return isIP(address) > 0 ? address : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
