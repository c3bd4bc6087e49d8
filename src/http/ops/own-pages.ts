import { isIP } from 'node:net';
import { JSON_TYPE } from '../../codec/negotiate.ts';
import { TwinError } from '../../errors.ts';
import type { CallHead } from '../server/head.ts';

/**
 * Refuses what a page of somebody else makes the browser of an operator send. A browser names the origin
 * of a page in each POST, and asks first before it sends JSON to another origin. A host that is no IP
 * address may be a name of somebody who has it resolved to this machine: the page would have that origin.
 * Throws TwinError `foreign_origin` or `unsupported_type`.
 * @param ownName the name under which the port is known, beside localhost
 */
export function refuseForeignPages(
  { origin = '', host = '', contentType }: CallHead,
  ownName: string,
): void {
  const isOwn = isSafe(nameOf(host), ownName) && origin.toLowerCase() === originOf(host);
  if (origin !== '' && !isOwn) throw new TwinError('foreign_origin');
  const [type = ''] = contentType.split(';');
  if (type.trim().toLowerCase() !== JSON_TYPE) throw new TwinError('unsupported_type');
}

function originOf(host: string): string {
  return `http://${host.toLowerCase()}`;
}

/** Without the port, and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

function isSafe(name: string, ownName: string): boolean {
  return isIP(name) !== 0 || name === 'localhost' || name === ownName.toLowerCase();
}
